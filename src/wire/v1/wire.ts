import { Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import type { KindName, KindNameIn } from '../../domain/kinds.ts'
import { kinds } from '../../domain/kinds.ts'
import type { FailureReason as Reason, Status } from '../../domain/status.ts'
import { statusesOf } from '../../domain/status.ts'
import type { PaymentRequest } from '../../domain/payment-request.ts'
import {
  Amount,
  closed,
  Country,
  Currency,
  DateTime,
  FailureReason,
  Identifier,
  Message,
  MetadataObject,
  orNull,
  PhoneNumber,
  PreAuthorisationCode,
  ProviderCode,
  wordOf
} from '../fields.ts'
import { answers } from './answers.ts'
import { LooseAmount, Metadata, readAmount, readMetadata } from './fields.ts'
import { finances } from './finances.ts'
import { page } from './payment-page.ts'
import { toolkit } from './toolkit.ts'
import type { Codec, View, Wire } from '../wire.ts'
import { codec, metadataObject } from '../wire.ts'

/**
 * The earlier generation: correspondent, MSISDN, statementDescription, SUBMITTED, rejectionReason
 * and numbered errors.
 */

const Party = Type.Object(
  {
    type: Type.Literal('MSISDN', { description: "'MSISDN'" }),
    address: Type.Object({ value: PhoneNumber }, { description: '{ value }' })
  },
  { description: '{ type, address }' }
)

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

/** States that had another name; the rest are called the same. */
const statusWords: Partial<Record<Status, string>> = {
  PROCESSING: 'SUBMITTED',
  IN_RECONCILIATION: 'SUBMITTED'
}

/** The states a record of this kind can be in. */
const stateOf = (name: KindName) =>
  wordOf(...statusesOf(kinds[name]).map((status) => statusWords[status] ?? status))

const deposit = codec({
  request: Type.Object(
    {
      depositId: Identifier,
      payer: Party,
      preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
      ...common
    },
    { description: 'a deposit' }
  ),
  read: ({ depositId, payer, preAuthorisationCode, ...rest }) => ({
    ...readCommon(depositId, payer.address.value, rest),
    ...(preAuthorisationCode && { preAuthorisationCode })
  }),
  record: Type.Object(
    {
      depositId: Identifier,
      ...recordFields,
      status: stateOf('deposit'),
      requestedAmount: Amount,
      depositedAmount: Type.Optional(Amount),
      payer: Party,
      respondedByPayer: Type.Optional(DateTime)
    },
    closed
  ),
  write: (view) => {
    const {
      payment: { details },
      state
    } = view
    return {
      ...writeRecord(view),
      requestedAmount: details.amount,
      ...(state.to === 'COMPLETED' && {
        depositedAmount: details.amount,
        respondedByPayer: formatTimestamp(state.at)
      })
    }
  },
  actions: { resend: true }
})

const outgoingFields = {
  ...recordFields,
  amount: Amount,
  recipient: Party,
  receivedByRecipient: Type.Optional(DateTime)
}

const payout = codec({
  request: Type.Object(
    { payoutId: Identifier, recipient: Party, ...common },
    { description: 'a payout' }
  ),
  read: ({ payoutId, recipient, ...rest }) => readCommon(payoutId, recipient.address.value, rest),
  record: Type.Object(
    { payoutId: Identifier, ...outgoingFields, status: stateOf('payout') },
    closed
  ),
  write: writeOutgoing,
  actions: { bulk: true, resend: true, cancel: true }
})

const refund = codec({
  request: Type.Object(
    {
      refundId: Identifier,
      depositId: Identifier,
      amount: Type.Optional(
        Type.Union([Amount, Type.Number({ minimum: 0 }), Type.Null()], {
          description: Amount.description
        })
      ),
      metadata: common.metadata
    },
    { description: 'a refund' }
  ),
  read: ({ refundId, depositId, amount, metadata }) => ({
    id: refundId,
    depositId,
    ...(amount !== undefined && amount !== null && { amount: readAmount(amount) }),
    ...(metadata && { metadata: readMetadata(metadata) })
  }),
  record: Type.Object(
    { refundId: Identifier, ...outgoingFields, status: stateOf('refund') },
    closed
  ),
  write: writeOutgoing,
  actions: { resend: true }
})

function writeOutgoing (view: View): object {
  const {
    payment: { details },
    state
  } = view
  return {
    ...writeRecord(view),
    amount: details.amount,
    ...(state.to === 'COMPLETED' && { receivedByRecipient: formatTimestamp(state.at) })
  }
}

interface Common {
  amount: string | number
  currency: string
  country?: string | null
  correspondent: string
  customerTimestamp: string
  statementDescription: string
  metadata?: Array<{ fieldName: string; fieldValue: string; isPII?: boolean }> | null
}

function readCommon (id: string, phoneNumber: string, body: Common): PaymentRequest {
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

/** Failures that had another name; the rest are called the same. */
const failureWords: Record<string, string> = {
  UNSPECIFIED_FAILURE: 'OTHER_ERROR',
  UNKNOWN_ERROR: 'OTHER_ERROR',
  WALLET_LIMIT_REACHED: 'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'BALANCE_INSUFFICIENT'
}

/** Failures that had another name for one kind, because it had fewer words than the others. */
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

function writeRecord ({ payment: { kind, created, details, plan }, state }: View): object {
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
  return { [`${tag}_INIT`]: transaction, [`${tag}_FINAL`]: transaction }
}

export const v1: Wire = {
  generation: 'v1',
  can: { redirect: false },
  fieldNames: {
    provider: 'correspondent',
    phoneNumber: 'address.value',
    pageAmount: 'amount',
    pagePhoneNumber: 'msisdn'
  },
  prefix: '',
  resendBy: 'body',
  codecs: { deposit, payout, refund } satisfies Record<KindNameIn<'v1'>, Codec>,
  page,
  answers,
  toolkit,
  finances
}
