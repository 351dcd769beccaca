import { Type } from '@sinclair/typebox'
import { timestamp } from '../clock.ts'
import type { KindName } from '../domain/kinds.ts'
import { kinds } from '../domain/kinds.ts'
import type { Instruction, MetadataEntry } from '../domain/payment.ts'
import { isFinal, statusesOf } from '../domain/payment.ts'
import { Refused } from '../domain/refusal.ts'
import {
  Amount, ClientReferenceId, closed, Country, Currency, DateTime, FailureReason, Identifier, maxMetadata, Message, MetadataObject, orNull,
  PhoneNumber, PreAuthorisationCode, ProviderCode, ReturnUrl, word
} from './fields.ts'
import { RecipientDetails, Sender } from './remittance.ts'
import { answers } from './v2-answers.ts'
import { finances } from './v2-finances.ts'
import { toolkit } from './v2-toolkit.ts'
import type { View, Wire } from './wire.ts'
import { codec, metadataObject, uniqueNames } from './wire.ts'

/** The current generation: paths under /v2, provider and phoneNumber inside accountDetails, failureReason everywhere. */

const Party = Type.Object({
  type: Type.Literal('MMO', { description: "'MMO'" }),
  accountDetails: Type.Object({ phoneNumber: PhoneNumber, provider: ProviderCode }, { ...closed, description: '{ phoneNumber, provider }' })
}, { ...closed, description: '{ type, accountDetails }' })

const Metadata = Type.Array(
  Type.Object({ isPII: Type.Optional(Type.Boolean({ description: 'true or false' })) }, {
    additionalProperties: Type.String({ description: 'a string' }), minProperties: 1, maxProperties: 2, description: "one name with a string value, and 'isPII' if you like"
  }),
  { maxItems: maxMetadata, description: `a list of at most ${maxMetadata} objects` }
)

/** What the requests of all kinds may carry beside their own fields. */
const common = {
  customerMessage: Type.Optional(orNull(Message)),
  clientReferenceId: Type.Optional(orNull(ClientReferenceId)),
  metadata: Type.Optional(orNull(Metadata))
}

/** What the records of all kinds show beside their own fields. */
const recordFields = {
  status: Type.String(),
  amount: Amount,
  currency: Currency,
  country: Country,
  customerMessage: Message,
  clientReferenceId: Type.Optional(Type.String()),
  created: DateTime,
  providerTransactionId: Type.Optional(Type.String()),
  failureReason: Type.Optional(FailureReason),
  metadata: Type.Optional(MetadataObject)
}

/** The states a record of this kind can be in. */
const stateOf = (name: KindName) => word(...statusesOf(kinds[name]))

const deposit = codec({
  request: Type.Object({
    depositId: Identifier,
    amount: Amount,
    currency: Currency,
    payer: Party,
    preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
    successfulUrl: Type.Optional(orNull(ReturnUrl)),
    failedUrl: Type.Optional(orNull(ReturnUrl)),
    ...common
  }, { ...closed, description: 'a deposit' }),
  read: ({ depositId, payer, preAuthorisationCode, successfulUrl, failedUrl, ...rest }) => ({
    ...readCommon(depositId, rest),
    ...payer.accountDetails,
    ...given({ preAuthorisationCode, successfulUrl, failedUrl })
  }),
  record: Type.Object({
    depositId: Identifier,
    ...recordFields,
    status: stateOf('deposit'),
    payer: Party,
    nextStep: Type.Optional(word('GET_AUTH_URL', 'REDIRECT_TO_AUTH_URL', 'FINAL_STATUS')),
    successfulUrl: Type.Optional(ReturnUrl),
    failedUrl: Type.Optional(ReturnUrl),
    authorizationUrl: Type.Optional(Type.String({ format: 'http-url', description: 'where the customer authorises it' }))
  }, closed),
  write: (view) => ({ ...writeRecord(view), ...writeAuthorisation(view) }),
  actions: { resend: true }
})

const payout = codec({
  request: Type.Object({ payoutId: Identifier, amount: Amount, currency: Currency, recipient: Party, ...common }, { ...closed, description: 'a payout' }),
  read: ({ payoutId, recipient, ...rest }) => ({ ...readCommon(payoutId, rest), ...recipient.accountDetails }),
  record: Type.Object({ payoutId: Identifier, ...recordFields, status: stateOf('payout'), recipient: Party }, closed),
  write: writeRecord,
  actions: { bulk: true, resend: true, cancel: true }
})

const refund = codec({
  request: Type.Object({
    refundId: Identifier,
    depositId: Identifier,
    amount: Type.Optional(orNull(Amount)),
    currency: Type.Optional(orNull(Currency)),
    ...common
  }, { ...closed, description: 'a refund' }),
  read: ({ refundId, depositId, ...rest }) => ({ ...readCommon(refundId, rest), depositId }),
  record: Type.Object({ refundId: Identifier, ...recordFields, status: stateOf('refund'), recipient: Party }, closed),
  write: writeRecord,
  actions: { resend: true, cancel: true }
})

const Recipient = Type.Object({ ...Party.properties, recipientDetails: RecipientDetails }, { ...closed, description: '{ type, accountDetails, recipientDetails }' })

const remittance = codec({
  request: Type.Object({
    remittanceId: Identifier,
    amount: Amount,
    currency: Currency,
    recipient: Recipient,
    sender: Sender,
    ...common
  }, { ...closed, description: 'a remittance' }),
  read: ({ remittanceId, recipient, sender, ...rest }) => ({
    ...readCommon(remittanceId, rest),
    ...recipient.accountDetails,
    recipientDetails: recipient.recipientDetails,
    sender
  }),
  record: Type.Object({ remittanceId: Identifier, ...recordFields, status: stateOf('remittance'), recipient: Recipient, sender: Sender }, closed),
  write: (view) => {
    const { recipientDetails, sender } = view.payment.details
    return { ...writeRecord(view), recipient: { ...writeParty(view.payment.details), recipientDetails }, sender }
  },
  actions: { bulk: true, resend: true, cancel: true }
})

const maxSplits = 20
const SplitRequest = Type.Object({ payoutId: Identifier, amount: Amount, recipient: Party, customerMessage: Type.Optional(orNull(Message)) }, { ...closed, description: '{ payoutId, amount, recipient, customerMessage }' })

const splitPayment = codec({
  request: Type.Object({
    splitPaymentId: Identifier,
    amount: Amount,
    currency: Currency,
    payer: Party,
    splits: Type.Array(SplitRequest, { minItems: 1, maxItems: maxSplits, description: `a list of 1 to ${maxSplits} parts` }),
    ...common
  }, { ...closed, description: 'a split payment' }),
  read: ({ splitPaymentId, payer, splits, ...rest }) => ({
    ...readCommon(splitPaymentId, rest),
    ...payer.accountDetails,
    splits: splits.map(({ payoutId, amount, recipient, customerMessage }) => ({ payoutId, amount, ...recipient.accountDetails, ...given({ customerMessage }) }))
  }),
  record: Type.Object({
    splitPaymentId: Identifier,
    ...recordFields,
    status: stateOf('splitPayment'),
    payer: Party,
    splits: Type.Array(Type.Object({ payoutId: Identifier, status: stateOf('payout'), amount: Amount, recipient: Party, failureReason: Type.Optional(FailureReason) }, closed))
  }, closed),
  write: (view) => ({ ...writeRecord(view), splits: writeSplits(view) }),
  actions: {}
})

interface Common {
  amount?: string | null
  currency?: string | null
  customerMessage?: string | null
  clientReferenceId?: string | null
  metadata?: Array<Record<string, string | boolean | undefined>> | null
}

function readCommon (id: string, { amount, currency, customerMessage, clientReferenceId, metadata }: Common): Instruction {
  return { id, ...given({ amount, currency, customerMessage, clientReferenceId, metadata: metadata ? readMetadata(metadata) : undefined }) }
}

function readMetadata (entries: NonNullable<Common['metadata']>): MetadataEntry[] | undefined {
  return uniqueNames(entries.map(({ isPII, ...named }, index) => {
    const names = Object.keys(named)
    if (names.length !== 1) throw new Refused('INVALID', `metadata.${index} must be one name with a string value, and 'isPII' if you like; got ${names.length === 0 ? 'no name' : names.join(', ')}`)
    return { name: names[0], value: named[names[0]] as string, ...(isPII === true && { isPII }) }
  }))
}

/** The fields that have a value; null is no value. */
function given<T extends object> (fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) if (value !== undefined && value !== null) present[key] = value
  return present as { [K in keyof T]?: NonNullable<T[K]> }
}

function writeRecord ({ payment: { kind, created, details, plan }, state }: View): object {
  return {
    [kind.id]: details.id,
    status: state.to,
    amount: details.amount,
    currency: details.currency,
    country: details.country,
    [kind.party]: writeParty(details),
    customerMessage: details.customerMessage,
    clientReferenceId: details.clientReferenceId,
    created: timestamp(created),
    providerTransactionId: state.to === 'COMPLETED' ? plan.providerTransactionId : undefined,
    failureReason: state.failure,
    metadata: metadataObject(details.metadata)
  }
}

function writeParty ({ phoneNumber, provider }: { phoneNumber: string, provider: string }): object {
  return { type: 'MMO', accountDetails: { phoneNumber, provider } }
}

/** Only deposits whose customer is sent elsewhere to authorise them say so. */
function writeAuthorisation ({ payment: { details }, state }: View): object {
  const { authorizationUrl, successfulUrl, failedUrl } = details
  if (authorizationUrl === undefined) return {}
  if (state.to === 'ACCEPTED') return { nextStep: 'GET_AUTH_URL', successfulUrl, failedUrl }
  return { nextStep: isFinal(state.to) ? 'FINAL_STATUS' : 'REDIRECT_TO_AUTH_URL', successfulUrl, failedUrl, authorizationUrl }
}

/** A part is accepted with the whole, and becomes a payout of its own when the deposit is through. */
function writeSplits ({ payment: { details }, parts }: View): object[] {
  return (details.splits ?? []).map((split) => {
    const part = parts.find(({ payment }) => payment.kind.name === 'payout' && payment.details.id === split.payoutId)
    return { payoutId: split.payoutId, status: part?.state.to ?? 'ACCEPTED', amount: split.amount, recipient: writeParty(split), failureReason: part?.state.failure }
  })
}

export const v2: Wire = {
  generation: 'v2',
  prefix: '/v2',
  resendBy: 'path',
  codecs: { deposit, payout, refund, remittance, splitPayment },
  answers,
  toolkit,
  finances
}
