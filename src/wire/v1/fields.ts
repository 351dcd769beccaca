import type { Static } from '@sinclair/typebox'
import { answerWord, orNull, text, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { amountPattern } from '../../domain/amount.ts'
import type { KindName } from '../../domain/kinds.ts'
import { kinds } from '../../domain/kinds.ts'
import type { FailureReason as Reason, Status } from '../../domain/status.ts'
import { statusesOf } from '../../domain/status.ts'
import type { MetadataEntry, PaymentRequest } from '../../domain/payment-request.ts'
import { Refused } from '../../domain/refusal.ts'
import {
  Amount,
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

/** Fields that the kinds share in v1, and how they are read and written. */

export const Party = Type.Object(
  {
    type: Type.Literal('MSISDN', { description: "'MSISDN'" }),
    address: Type.Object({ value: PhoneNumber }, { description: '{ value }' })
  },
  { description: '{ type, address }' }
)

export const Metadata = Type.Array(
  Type.Object(
    {
      fieldName: text('a name'),
      fieldValue: Type.String({ description: 'a string' }),
      isPII: Type.Optional(orNull(Type.Boolean({ description: 'true or false' })))
    },
    { description: '{ fieldName, fieldValue, isPII }' }
  ),
  { maxItems: maxMetadata, description: `a list of at most ${maxMetadata} objects` }
)

/** Some clients send the amount as a number. */
export const LooseAmount = Type.Union([Amount, Type.Number({ minimum: 0 })], {
  description: Amount.description
})

/** Reads an amount, which can be a number. */
export function readAmount (amount: string | number): string {
  const text = String(amount)
  if (!new RegExp(amountPattern).test(text)) {
    throw new Refused('INVALID', `amount must be ${Amount.description}, got ${text}`)
  }
  return text
}

/** Reads metadata; no name may be given twice. */
export function readMetadata (entries: Static<typeof Metadata>): MetadataEntry[] | undefined {
  const seen = new Set<string>()
  const read = entries.map(({ fieldName: name, fieldValue: value, isPII }) => {
    seen.add(name)
    return { name, value, ...(isPII === true && { isPII }) }
  })
  if (seen.size < read.length) throw repeatedName(read)
  return read.length === 0 ? undefined : read
}

/** Fields of all requests. */
export const commonFields = {
  amount: LooseAmount,
  currency: Currency,
  country: Type.Optional(orNull(Country)),
  correspondent: ProviderCode,
  customerTimestamp: DateTime,
  statementDescription: Message,
  metadata: Type.Optional(orNull(Metadata))
}

/** Fields of all records. */
export const recordFields = {
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

/** States with another name in v1; all others have the same name. */
export const statusWords: Partial<Record<Status, string>> = {
  PROCESSING: 'SUBMITTED',
  IN_RECONCILIATION: 'SUBMITTED'
}

/** States of a record of a kind. */
export const wireStatus = (name: KindName) =>
  answerWord(...statusesOf(kinds[name]).map((status) => statusWords[status] ?? status))

interface Common {
  amount: string | number
  currency: string
  country?: string | null
  correspondent: string
  customerTimestamp: string
  statementDescription: string
  metadata?: Array<{ fieldName: string; fieldValue: string; isPII?: boolean | null }> | null
}

/** Reads the fields that all requests share. */
export function readCommon (id: string, phoneNumber: string, body: Common): PaymentRequest {
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

/** Failure codes with another name in v1; all others have the same name. */
export const failureWords: Record<string, string> = {
  UNSPECIFIED_FAILURE: 'OTHER_ERROR',
  UNKNOWN_ERROR: 'OTHER_ERROR',
  WALLET_LIMIT_REACHED: 'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'BALANCE_INSUFFICIENT'
}

/** Failure codes with another name for one kind, because v1 has fewer codes for it. */
const failureWordsOf: Partial<Record<KindName, Record<string, string>>> = {
  deposit: {
    WALLET_LIMIT_REACHED: 'PAYER_LIMIT_REACHED',
    PAYMENT_IN_PROGRESS: 'TRANSACTION_ALREADY_IN_PROCESS'
  },
  refund: {
    RECIPIENT_LIMIT_REACHED: 'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
    DEPOSIT_ALREADY_REFUNDED: 'OTHER_ERROR',
    AMOUNT_TOO_LARGE: 'OTHER_ERROR',
    REFUND_IN_PROGRESS: 'OTHER_ERROR'
  }
}

/** Writes the fields that all records share. */
export function writeRecord ({ payment: { kind, created, details, plan }, state }: View): object {
  return {
    [kind.idField]: details.id,
    status: statusWords[state.to] ?? state.to,
    currency: details.currency,
    country: details.country,
    correspondent: details.provider,
    [kind.party]: { type: 'MSISDN', address: { value: details.phoneNumber } },
    statementDescription: details.customerMessage,
    customerTimestamp: details.customerTimestamp ?? formatTimestamp(created),
    created: formatTimestamp(created),
    correspondentIds:
      state.to === 'COMPLETED'
        ? correspondentIds(details.provider, plan.providerTransactionId)
        : undefined,
    failureReason: state.failure && writeFailure(kind.name, state.failure),
    metadata: metadataObject(details.metadata)
  }
}

function writeFailure (name: KindName, { failureCode, failureMessage }: Reason): Reason {
  return {
    failureCode: failureWordsOf[name]?.[failureCode] ?? failureWords[failureCode] ?? failureCode,
    failureMessage
  }
}

function correspondentIds (provider: string, transaction: string): Record<string, string> {
  const tag = provider.slice(0, provider.indexOf('_'))
  if (tag === 'ZAMTEL') return { financialTransactionId: transaction }
  return { [`${tag}_INIT`]: transaction, [`${tag}_FINAL`]: transaction }
}
