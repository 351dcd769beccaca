import { answerWord, closed, orNull, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { formatAmount, type AmountStyle } from '../../domain/amount.ts'
import type { KindName } from '../../domain/kinds.ts'
import { kinds } from '../../domain/kinds.ts'
import type { PaymentRequest, MetadataEntry } from '../../domain/payment-request.ts'
import { statusesOf } from '../../domain/status.ts'
import { Refused } from '../../domain/refusal.ts'
import {
  Amount,
  ClientReferenceId,
  Country,
  Currency,
  DateTime,
  FailureReason,
  maxMetadata,
  Message,
  MetadataObject,
  PhoneNumber,
  ProviderCode
} from '../fields.ts'
import type { View } from '../wire.ts'
import { metadataObject, repeatedName } from '../wire.ts'

/** Shared parts of the kinds of v2: fields, readers and writers. */

export const Party = Type.Object(
  {
    type: Type.Literal('MMO', { description: "'MMO'" }),
    accountDetails: Type.Object(
      { phoneNumber: PhoneNumber, provider: ProviderCode },
      { ...closed, description: '{ phoneNumber, provider }' }
    )
  },
  { ...closed, description: '{ type, accountDetails }' }
)

export const Metadata = Type.Array(
  Type.Object(
    { isPII: Type.Optional(orNull(Type.Boolean({ description: 'true or false' }))) },
    {
      additionalProperties: Type.String({ description: 'a string' }),
      minProperties: 1,
      description: "one name with a string value, and 'isPII' if you like"
    }
  ),
  { maxItems: maxMetadata, description: `a list of at most ${maxMetadata} objects` }
)

/** Fields of requests that all kinds share. */
export const commonFields = {
  customerMessage: Type.Optional(orNull(Message)),
  clientReferenceId: Type.Optional(orNull(ClientReferenceId)),
  metadata: Type.Optional(orNull(Metadata))
}

/** Fields of records that all kinds share. */
export const recordFields = {
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
export const wireStatus = (name: KindName) => answerWord(...statusesOf(kinds[name]))

interface Common {
  amount?: string | null
  currency?: string | null
  customerMessage?: string | null
  clientReferenceId?: string | null
  metadata?: Array<Record<string, string | boolean | null | undefined>> | null
}

/** Reads the shared fields. */
export function readCommon (
  id: string,
  { amount, currency, customerMessage, clientReferenceId, metadata }: Common
): PaymentRequest {
  const request: PaymentRequest = {
    id,
    ...omitUndefined({ amount, currency, customerMessage, clientReferenceId })
  }
  const entries = metadata ? readMetadata(metadata) : undefined
  if (entries !== undefined) request.metadata = entries
  return request
}

/** Reads metadata: the last name of each entry counts, and none may be given twice. */
export function readMetadata (
  entries: NonNullable<Common['metadata']>
): MetadataEntry[] | undefined {
  const seen = new Set<string>()
  const read = entries.map(({ isPII, ...named }, index) => {
    const name = Object.keys(named).at(-1) ?? ''
    if (name === '') {
      throw new Refused(
        'INVALID',
        `metadata.${index} must be one name with a string value, and 'isPII' if you like; ` +
          'got no name'
      )
    }
    seen.add(name)
    return { name, value: named[name] as string, ...(isPII === true && { isPII }) }
  })
  if (seen.size < read.length) throw repeatedName(read)
  return read.length === 0 ? undefined : read
}

/** The fields that have a value; null is no value. */
export function omitUndefined<T extends object> (
  fields: T
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {}
  for (const key in fields) {
    if (fields[key] !== undefined && fields[key] !== null) present[key] = fields[key]
  }
  return present
}

/** Writes the shared fields. */
export function writeRecord (
  { payment: { kind, created, details, plan }, state }: View,
  amounts?: AmountStyle
): object {
  return {
    [kind.idField]: details.id,
    status: state.to,
    amount: formatAmount(details.amount, amounts),
    currency: details.currency,
    country: details.country,
    [kind.party]: writeParty(details),
    customerMessage: details.customerMessage,
    clientReferenceId: details.clientReferenceId,
    created: formatTimestamp(created),
    providerTransactionId: state.to === 'COMPLETED' ? plan.providerTransactionId : undefined,
    failureReason: state.failure,
    metadata: metadataObject(details.metadata)
  }
}

export function writeParty ({
  phoneNumber,
  provider
}: {
  phoneNumber: string
  provider: string
}): object {
  return { type: 'MMO', accountDetails: { phoneNumber, provider } }
}
