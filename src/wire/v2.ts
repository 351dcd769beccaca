import { Type } from '@sinclair/typebox'
import { timestamp } from '../clock.ts'
import type { Kind } from '../domain/kinds.ts'
import { kinds } from '../domain/kinds.ts'
import type { Instruction, MetadataEntry, Move, Payment } from '../domain/payment.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import { Refused } from '../domain/refusal.ts'
import {
  Amount, ClientReferenceId, closed, Country, Currency, DateTime, FailureReason, Identifier, maxMetadata, Message, MetadataObject, orNull,
  PhoneNumber, PreAuthorisationCode, ProviderCode, ReturnUrl
} from './fields.ts'
import type { Initiation, Place, Reply, Wire } from './wire.ts'
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
  record: Type.Object({ depositId: Identifier, ...recordFields, payer: Party }),
  write: (payment, state) => writeRecord(payment, state)
})

interface Common {
  amount?: string
  currency?: string
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

function writeRecord ({ kind, created, details, plan }: Payment, state: Move): object {
  return {
    [kind.id]: details.id,
    status: state.to,
    amount: details.amount,
    currency: details.currency,
    country: details.country,
    [kind.party]: { type: 'MMO', accountDetails: { phoneNumber: details.phoneNumber, provider: details.provider } },
    customerMessage: details.customerMessage,
    clientReferenceId: details.clientReferenceId,
    created: timestamp(created),
    providerTransactionId: state.to === 'COMPLETED' ? plan.providerTransactionId : undefined,
    failureReason: state.failure,
    metadata: metadataObject(details.metadata)
  }
}

/** How each refusal is spelled: the HTTP status and the failure code. 200 means a REJECTED initiation. */
const spelling: Record<RefusalCode, [status: number, code: string | ((kind: Kind) => string)]> = {
  NOT_AUTHENTICATED: [401, 'AUTHENTICATION_ERROR'],
  NOT_AUTHORISED: [403, 'AUTHORISATION_ERROR'],
  SIGNATURE_INVALID: [401, 'HTTP_SIGNATURE_ERROR'],
  UNREADABLE: [400, 'INVALID_INPUT'],
  TOO_LARGE: [413, 'INVALID_INPUT'],
  MISSING: [400, 'MISSING_PARAMETER'],
  UNSUPPORTED: [400, 'UNSUPPORTED_PARAMETER'],
  INVALID: [400, 'INVALID_PARAMETER'],
  DUPLICATE_METADATA: [400, 'DUPLICATE_METADATA_FIELD'],
  UNKNOWN_PROVIDER: [400, 'INVALID_PARAMETER'],
  PROVIDER_NOT_ENABLED: [200, 'INVALID_PROVIDER'],
  KIND_NOT_ALLOWED: [403, (kind) => `${kind.path.replace('-', '_').toUpperCase()}_NOT_ALLOWED`],
  CURRENCY: [200, 'INVALID_CURRENCY'],
  COUNTRY: [400, 'INVALID_PARAMETER'],
  PHONE_NUMBER: [200, 'INVALID_PHONE_NUMBER'],
  DECIMALS: [200, 'INVALID_AMOUNT'],
  BELOW_MINIMUM: [200, 'AMOUNT_OUT_OF_BOUNDS'],
  ABOVE_MAXIMUM: [200, 'AMOUNT_OUT_OF_BOUNDS'],
  PROVIDER_UNAVAILABLE: [200, 'PROVIDER_TEMPORARILY_UNAVAILABLE'],
  NO_ROUTE: [404, 'NOT_FOUND'],
  UNEXPECTED: [500, 'UNKNOWN_ERROR']
}

function initiated (kind: Kind, id: string, initiation: Initiation): Reply {
  switch (initiation.outcome) {
    case 'ACCEPTED': return { status: 200, body: { [kind.id]: id, status: 'ACCEPTED', ...(kind.name === 'deposit' && { nextStep: 'FINAL_STATUS' }), created: timestamp(initiation.payment.created) } }
    case 'DUPLICATE': return { status: 200, body: { [kind.id]: id, status: 'DUPLICATE_IGNORED', created: timestamp(initiation.created) } }
    case 'REFUSED': return refused(initiation.refusal, { operation: 'initiate', kind, id })
  }
}

/** Toolkit and finances have no status to speak of, and neither has an error of ours. */
function refused ({ code, message }: Refusal, { operation, kind, id }: Place): Reply {
  const [status, spelled] = spelling[code]
  return {
    status,
    body: {
      ...(kind !== undefined && id !== undefined && { [kind.id]: id }),
      ...(status < 500 && operation !== 'toolkit' && { status: 'REJECTED' }),
      failureReason: { failureCode: typeof spelled === 'string' ? spelled : spelled(kind ?? kinds.deposit), failureMessage: message }
    }
  }
}

export const v2: Wire = {
  generation: 'v2',
  prefix: '/v2',
  codecs: { deposit },
  answers: {
    initiation: (kind) => Type.Object({
      [kind.id]: Type.String(),
      status: Type.String(),
      nextStep: Type.Optional(Type.String()),
      created: Type.Optional(DateTime),
      failureReason: Type.Optional(FailureReason)
    }),
    lookup: (_kind, record) => Type.Object({ status: Type.String(), data: Type.Optional(record) }),
    refusal: Type.Object({ status: Type.Optional(Type.String()), failureReason: FailureReason }, { additionalProperties: Type.String() })
  },
  initiated,
  found: (record) => ({ status: 200, body: record === undefined ? { status: 'NOT_FOUND' } : { status: 'FOUND', data: record } }),
  refused
}
