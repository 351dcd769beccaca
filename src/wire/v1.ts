import { Type } from '@sinclair/typebox'
import { timestamp } from '../clock.ts'
import { amountPattern } from '../domain/amount.ts'
import type { Kind } from '../domain/kinds.ts'
import { kinds } from '../domain/kinds.ts'
import type { FailureReason as Reason, Instruction, MetadataEntry, Move, Payment, Status } from '../domain/payment.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import { Refused } from '../domain/refusal.ts'
import {
  Amount, Country, Currency, DateTime, FailureReason, Identifier, maxMetadata, Message, MetadataObject, orNull, PhoneNumber,
  PreAuthorisationCode, ProviderCode
} from './fields.ts'
import type { Initiation, Place, Reply, Wire } from './wire.ts'
import { codec, metadataObject, uniqueNames } from './wire.ts'

/** The earlier generation: correspondent, MSISDN, statementDescription, SUBMITTED, rejectionReason and numbered errors. */

const Party = Type.Object({
  type: Type.Literal('MSISDN', { description: "'MSISDN'" }),
  address: Type.Object({ value: PhoneNumber }, { description: '{ value }' })
}, { description: '{ type, address }' })

const Metadata = Type.Array(Type.Object({
  fieldName: Type.String({ minLength: 1, description: 'a name' }),
  fieldValue: Type.String({ description: 'a string' }),
  isPII: Type.Optional(Type.Boolean({ description: 'true or false' }))
}, { description: '{ fieldName, fieldValue, isPII }' }), { maxItems: maxMetadata, description: `a list of at most ${maxMetadata} objects` })

/** Some clients send the amount as a number. */
const LooseAmount = Type.Union([Amount, Type.Number({ minimum: 0 })], { description: Amount.description })

const common = {
  amount: LooseAmount,
  currency: Currency,
  country: Type.Optional(orNull(Country)),
  correspondent: ProviderCode,
  customerTimestamp: DateTime,
  statementDescription: Message,
  metadata: Type.Optional(orNull(Metadata))
}

const recordFields = {
  status: Type.String(),
  currency: Currency,
  country: Country,
  correspondent: ProviderCode,
  statementDescription: Message,
  customerTimestamp: DateTime,
  created: DateTime,
  correspondentIds: Type.Optional(Type.Record(Type.String(), Type.String())),
  failureReason: Type.Optional(FailureReason),
  metadata: Type.Optional(MetadataObject)
}

const deposit = codec({
  request: Type.Object({
    depositId: Identifier,
    payer: Party,
    preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
    ...common
  }, { description: 'a deposit' }),
  read: ({ depositId, payer, preAuthorisationCode, ...rest }) => ({
    ...readCommon(depositId, payer.address.value, rest),
    ...(preAuthorisationCode && { preAuthorisationCode })
  }),
  record: Type.Object({
    depositId: Identifier,
    ...recordFields,
    requestedAmount: Amount,
    depositedAmount: Type.Optional(Amount),
    payer: Party,
    respondedByPayer: Type.Optional(DateTime)
  }),
  write: (payment, state) => ({
    ...writeRecord(payment, state),
    requestedAmount: payment.details.amount,
    ...(state.to === 'COMPLETED' && { depositedAmount: payment.details.amount, respondedByPayer: timestamp(state.at) })
  })
})

interface Common {
  amount: string | number
  currency: string
  country?: string | null
  correspondent: string
  customerTimestamp: string
  statementDescription: string
  metadata?: Array<{ fieldName: string, fieldValue: string, isPII?: boolean }> | null
}

function readCommon (id: string, phoneNumber: string, body: Common): Instruction {
  return {
    id,
    amount: readAmount(body.amount),
    currency: body.currency,
    ...(body.country && { country: body.country }),
    provider: body.correspondent,
    phoneNumber,
    customerTimestamp: body.customerTimestamp,
    customerMessage: body.statementDescription,
    ...(body.metadata && { metadata: readMetadata(body.metadata) })
  }
}

function readAmount (amount: string | number): string {
  const text = String(amount)
  if (!new RegExp(amountPattern).test(text)) throw new Refused('INVALID', `amount must be ${Amount.description}, got ${text}`)
  return text
}

function readMetadata (entries: NonNullable<Common['metadata']>): MetadataEntry[] | undefined {
  return uniqueNames(entries.map(({ fieldName, fieldValue, isPII }) => ({ name: fieldName, value: fieldValue, ...(isPII === true && { isPII }) })))
}

const statusWords: Record<Status, string> = {
  ACCEPTED: 'ACCEPTED',
  ENQUEUED: 'ENQUEUED',
  PROCESSING: 'SUBMITTED',
  IN_RECONCILIATION: 'SUBMITTED',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED'
}

/** Failures that had another name; the rest are called the same. */
const failureWords: Record<string, string> = {
  UNSPECIFIED_FAILURE: 'OTHER_ERROR',
  UNKNOWN_ERROR: 'OTHER_ERROR',
  WALLET_LIMIT_REACHED: 'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'BALANCE_INSUFFICIENT'
}

function writeRecord ({ kind, created, details, plan }: Payment, state: Move): object {
  return {
    [kind.id]: details.id,
    status: statusWords[state.to],
    currency: details.currency,
    country: details.country,
    correspondent: details.provider,
    [kind.party]: { type: 'MSISDN', address: { value: details.phoneNumber } },
    statementDescription: details.customerMessage,
    customerTimestamp: details.customerTimestamp ?? timestamp(created),
    created: timestamp(created),
    correspondentIds: state.to === 'COMPLETED' ? correspondentIds(details.provider, plan.providerTransactionId) : undefined,
    failureReason: state.failure && writeFailure(state.failure),
    metadata: metadataObject(details.metadata)
  }
}

function writeFailure ({ failureCode, failureMessage }: Reason): Reason {
  return { failureCode: failureWords[failureCode] ?? failureCode, failureMessage }
}

function correspondentIds (provider: string, transaction: string): Record<string, string> {
  const tag = provider.slice(0, provider.indexOf('_'))
  return { [`${tag}_INIT`]: transaction, [`${tag}_FINAL`]: transaction }
}

/** How each refusal is spelled: as the rejection of an initiation, or as an error with its HTTP status and number. */
const spelling: Record<RefusalCode, { rejection: string | ((kind: Kind) => string) } | { status: number, errorCode: 0 | 1 | 2 | 3 }> = {
  NOT_AUTHENTICATED: { status: 401, errorCode: 2 },
  NOT_AUTHORISED: { status: 403, errorCode: 3 },
  SIGNATURE_INVALID: { status: 401, errorCode: 2 },
  UNREADABLE: { status: 400, errorCode: 1 },
  TOO_LARGE: { status: 413, errorCode: 1 },
  MISSING: { status: 400, errorCode: 1 },
  UNSUPPORTED: { status: 400, errorCode: 1 },
  INVALID: { status: 400, errorCode: 1 },
  DUPLICATE_METADATA: { status: 400, errorCode: 1 },
  UNKNOWN_PROVIDER: { rejection: 'INVALID_CORRESPONDENT' },
  PROVIDER_NOT_ENABLED: { rejection: 'INVALID_CORRESPONDENT' },
  KIND_NOT_ALLOWED: { rejection: (kind) => `${kind.path.toUpperCase()}_NOT_ALLOWED` },
  CURRENCY: { rejection: 'INVALID_CURRENCY' },
  COUNTRY: { rejection: 'INVALID_COUNTRY' },
  PHONE_NUMBER: { rejection: (kind) => `INVALID_${kind.party.toUpperCase()}_FORMAT` },
  DECIMALS: { rejection: 'INVALID_AMOUNT' },
  BELOW_MINIMUM: { rejection: 'AMOUNT_TOO_SMALL' },
  ABOVE_MAXIMUM: { rejection: 'AMOUNT_TOO_LARGE' },
  PROVIDER_UNAVAILABLE: { rejection: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE' },
  NO_ROUTE: { status: 404, errorCode: 1 },
  UNEXPECTED: { status: 500, errorCode: 0 }
}

function initiated (kind: Kind, id: string, initiation: Initiation, errorId: () => string): Reply {
  switch (initiation.outcome) {
    case 'ACCEPTED': return { status: 200, body: { [kind.id]: id, status: initiation.state.to === 'ENQUEUED' ? 'ENQUEUED' : 'ACCEPTED', created: timestamp(initiation.payment.created) } }
    case 'DUPLICATE': return { status: 200, body: { [kind.id]: id, status: 'DUPLICATE_IGNORED', created: timestamp(initiation.created) } }
    case 'REFUSED': return refused(initiation.refusal, { operation: 'initiate', kind, id }, errorId)
  }
}

function refused ({ code, message }: Refusal, { kind, id }: Place, errorId: () => string): Reply {
  const spelled = spelling[code]
  if ('errorCode' in spelled) return { status: spelled.status, body: { errorId: errorId(), errorCode: spelled.errorCode, errorMessage: message } }
  const rejectionCode = typeof spelled.rejection === 'string' ? spelled.rejection : spelled.rejection(kind ?? kinds.deposit)
  return { status: 200, body: { ...(kind !== undefined && { [kind.id]: id }), status: 'REJECTED', rejectionReason: { rejectionCode, rejectionMessage: message } } }
}

export const v1: Wire = {
  generation: 'v1',
  prefix: '',
  codecs: { deposit },
  answers: {
    initiation: (kind) => Type.Object({
      [kind.id]: Type.String(),
      status: Type.String(),
      created: Type.Optional(DateTime),
      rejectionReason: Type.Optional(Type.Object({ rejectionCode: Type.String(), rejectionMessage: Type.String() }))
    }),
    lookup: (_kind, record) => Type.Array(record, { maxItems: 1 }),
    refusal: Type.Object({ errorId: Type.String(), errorCode: Type.Integer(), errorMessage: Type.String() })
  },
  initiated,
  found: (record) => ({ status: 200, body: record === undefined ? [] : [record] }),
  refused
}
