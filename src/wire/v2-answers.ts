import { Type } from '@sinclair/typebox'
import { timestamp } from '../clock.ts'
import { expiryOf } from '../domain/checkout.ts'
import type { Kind } from '../domain/kinds.ts'
import { kinds } from '../domain/kinds.ts'
import type { AnyPayment, Checkout } from '../domain/payment.ts'
import { isCheckout } from '../domain/payment.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import { DateTime, FailureReason } from './fields.ts'
import type { Answers, Initiation, Place, Reply } from './wire.ts'

/** How the current generation says what became of a request. */

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
  OUT_OF_FUNDS: [200, 'PAWAPAY_WALLET_OUT_OF_FUNDS'],
  DEPOSIT_NOT_FOUND: [200, 'NOT_FOUND'],
  DEPOSIT_NOT_COMPLETED: [200, 'INVALID_STATE'],
  REFUND_IN_PROGRESS: [200, 'REFUND_IN_PROGRESS'],
  DEPOSIT_REFUNDED: [200, 'DEPOSIT_ALREADY_REFUNDED'],
  REFUND_TOO_LARGE: [200, 'AMOUNT_TOO_LARGE'],
  SPLITS_EXCEED_AMOUNT: [200, 'PAYOUT_EXCEEDS_DEPOSIT'],
  NOT_FOUND: [200, 'NOT_FOUND'],
  WRONG_STATE: [200, 'INVALID_STATE'],
  LINK_EXPIRED: [410, 'INVALID_STATE'],
  NO_ROUTE: [404, 'NOT_FOUND'],
  UNEXPECTED: [500, 'UNKNOWN_ERROR']
}

function initiated (kind: Kind, id: string, initiation: Initiation): Reply {
  switch (initiation.outcome) {
    case 'ACCEPTED': return { status: 200, body: { [kind.id]: id, status: 'ACCEPTED', ...whatNext(initiation.payment), created: timestamp(initiation.payment.created) } }
    case 'DUPLICATE': return { status: 200, body: { [kind.id]: id, status: 'DUPLICATE_IGNORED', created: timestamp(initiation.created) } }
    case 'REFUSED': return refused(initiation.refusal, { operation: 'initiate', kind, id })
  }
}

/** What the merchant does next: wait for the status of a deposit or fetch its address, send the customer to a checkout. */
function whatNext (payment: AnyPayment): object {
  if (isCheckout(payment)) return whereToPay(payment)
  if (payment.kind.name !== 'deposit') return {}
  return { nextStep: payment.details.authorizationUrl === undefined ? 'FINAL_STATUS' : 'GET_AUTH_URL' }
}

function whereToPay (checkout: Checkout): object {
  const { redirectUrl, checkoutCode } = checkout.details
  return { redirectUrl, expiresAt: timestamp(expiryOf(checkout)), checkoutCode }
}

function acted (kind: Kind, id: string, refusal: Refusal | undefined): Reply {
  if (refusal === undefined) return { status: 200, body: { [kind.id]: id, status: 'ACCEPTED' } }
  return refused(refusal, { operation: 'find', kind, id })
}

/** What the current generation calls a refusal. */
export function failureCode (code: RefusalCode, kind: Kind = kinds.deposit): string {
  const [, spelled] = spelling[code]
  return typeof spelled === 'string' ? spelled : spelled(kind)
}

/** Toolkit and finances have no status to speak of, and neither has an error of ours. */
function refused ({ code, message }: Refusal, { operation, kind, id }: Place): Reply {
  const [status] = spelling[code]
  return {
    status,
    body: {
      ...(kind !== undefined && id !== undefined && { [kind.id]: id }),
      ...(status < 500 && operation !== 'toolkit' && { status: 'REJECTED' }),
      failureReason: { failureCode: failureCode(code, kind), failureMessage: message }
    }
  }
}

/** Only a checkout that was accepted has them. */
const addressFields = { redirectUrl: Type.Optional(Type.String()), expiresAt: Type.Optional(DateTime), checkoutCode: Type.Optional(Type.String()) }

export const answers: Answers = {
  schemas: {
    initiation: (kind) => Type.Object({
      [kind.id]: Type.String(),
      status: Type.String(),
      ...(kind.machine === 'checkout' ? addressFields : { nextStep: Type.Optional(Type.String()) }),
      created: Type.Optional(DateTime),
      failureReason: Type.Optional(FailureReason)
    }),
    lookup: (_kind, record) => Type.Object({ status: Type.String(), data: Type.Optional(record) }),
    action: (kind) => Type.Object({ [kind.id]: Type.String(), status: Type.String(), failureReason: Type.Optional(FailureReason) }),
    refusal: Type.Object({ status: Type.Optional(Type.String()), failureReason: FailureReason }, { additionalProperties: Type.String() })
  },
  initiated,
  element: (kind, id, initiation) => initiated(kind, id, initiation).body,
  acted,
  found: (record) => ({ status: 200, body: record === undefined ? { status: 'NOT_FOUND' } : { status: 'FOUND', data: record } }),
  refused
}
