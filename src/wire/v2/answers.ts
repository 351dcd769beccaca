import { answerWord, closed, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { expiryOf } from '../../domain/checkout.ts'
import type { Kind } from '../../domain/kinds.ts'
import { kinds } from '../../domain/kinds.ts'
import type { AnyPayment, Checkout } from '../../domain/payment.ts'
import { isCheckout } from '../../domain/payment.ts'
import type { Initiation } from '../../ports/ledger.ts'
import { rejections } from '../../domain/rejections.ts'
import type { Refusal, RefusalCode } from '../../domain/refusal.ts'
import { DateTime, Echo, failureSchema } from '../fields.ts'
import type { Answers, OperationContext, WireReply } from '../wire.ts'

/** Answers of v2. */

/** Refusals in v2: the HTTP status and the failure code. 200 means a REJECTED initiation. */
const spelling: Record<RefusalCode, [status: number, code: string | ((kind: Kind) => string)]> = {
  NOT_AUTHENTICATED: [401, 'AUTHENTICATION_ERROR'],
  TOKEN_MISSING: [401, 'NO_AUTHENTICATION'],
  TOKEN_UNKNOWN: [403, 'AUTHENTICATION_ERROR'],
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
  CALLBACK_URL: [400, 'INVALID_CALLBACK_URL'],
  DATE_RANGE: [400, 'INVALID_DATE_RANGE'],
  WALLET_NOT_FOUND: [400, 'WALLET_NOT_FOUND'],
  NOT_FOUND: [200, 'NOT_FOUND'],
  WRONG_STATE: [200, 'INVALID_STATE'],
  LINK_EXPIRED: [410, 'INVALID_STATE'],
  NO_ROUTE: [404, 'NOT_FOUND'],
  SCRIPTED_REJECTION: [200, 'UNKNOWN_ERROR'],
  SCRIPTED_ERROR: [500, 'UNKNOWN_ERROR'],
  GONE: [410, 'NOT_FOUND'],
  UNAVAILABLE: [503, 'UNKNOWN_ERROR'],
  UNEXPECTED: [500, 'UNKNOWN_ERROR']
}

/** Rejection codes of scenarios that have another name in v2, or not the HTTP status 200. */
const scripted: Record<string, RefusalCode> = {
  PARAMETER_INVALID: 'INVALID',
  INVALID_COUNTRY: 'COUNTRY',
  INVALID_INPUT: 'UNREADABLE',
  AMOUNT_TOO_SMALL: 'BELOW_MINIMUM',
  DEPOSITS_NOT_ALLOWED: 'KIND_NOT_ALLOWED',
  PAYOUTS_NOT_ALLOWED: 'KIND_NOT_ALLOWED',
  REFUNDS_NOT_ALLOWED: 'KIND_NOT_ALLOWED',
  REMITTANCES_NOT_ALLOWED: 'KIND_NOT_ALLOWED'
}

function initiated (kind: Kind, id: string, initiation: Initiation): WireReply {
  switch (initiation.outcome) {
    case 'ACCEPTED':
      return {
        status: 200,
        body: {
          [kind.idField]: id,
          status: 'ACCEPTED',
          ...whatNext(initiation.payment),
          created: formatTimestamp(initiation.payment.created)
        }
      }
    case 'DUPLICATE':
      return {
        status: 200,
        body: {
          [kind.idField]: id,
          status: 'DUPLICATE_IGNORED',
          ...(isCheckout(initiation.payment) && whereToPay(initiation.payment)),
          created: formatTimestamp(initiation.payment.created)
        }
      }
    case 'REFUSED':
      return refused(initiation.refusal, { operation: 'initiate', kind, id })
  }
}

/**
 * Next step of the merchant: poll a deposit for its address or its end, or redirect the customer to
 * a checkout.
 */
function whatNext (payment: AnyPayment): object {
  if (payment.kind.name === 'deposit') {
    return { nextStep: 'authorizationUrl' in payment.details ? 'GET_AUTH_URL' : 'FINAL_STATUS' }
  }
  return isCheckout(payment) ? whereToPay(payment) : {}
}

function whereToPay (checkout: Checkout): object {
  const { redirectUrl, checkoutCode } = checkout.details
  return { redirectUrl, expiresAt: formatTimestamp(expiryOf(checkout)), checkoutCode }
}

function acted (kind: Kind, id: string, refusal: Refusal | undefined): WireReply {
  if (refusal === undefined) {
    return { status: 200, body: { [kind.idField]: id, status: 'ACCEPTED' } }
  }
  return refused(refusal, { operation: 'find', kind, id })
}

/** Failure code of a refusal in v2. */
export function failureCode (code: RefusalCode, kind: Kind = kinds.deposit): string {
  return inWords(spelling[code][1], kind)
}

function refused ({ code, message, as, status }: Refusal, place: OperationContext): WireReply {
  if (as !== undefined && as in scripted) return refused({ code: scripted[as], message }, place)
  const { operation, kind, id } = place
  const [usual] = spelling[code]
  return {
    status: status ?? usual,
    body: {
      ...(kind !== undefined && id !== undefined && { [kind.idField]: id }),
      ...(hasStatus(operation, usual) && { status: 'REJECTED' }),
      failureReason: { failureCode: as ?? failureCode(code, kind), failureMessage: message }
    }
  }
}

/** Toolkit and finances have no status to speak of, and neither has an error of ours. */
function hasStatus (operation: OperationContext['operation'], status: number): boolean {
  return status < 500 && operation !== 'toolkit'
}

function inWords (code: string | ((kind: Kind) => string), kind = kinds.deposit): string {
  return typeof code === 'string' ? code : code(kind)
}

/** Failure codes of HTTP statuses. */
function codes (kind: Kind | undefined, ...only: number[]): string[] {
  return Object.values(spelling)
    .filter(([status]) => only.includes(status))
    .map(([, code]) => inWords(code, kind))
}

/** Only a checkout that was accepted has them. */
const addressFields = {
  redirectUrl: Type.Optional(Type.String({ format: 'http-url' })),
  expiresAt: Type.Optional(DateTime),
  checkoutCode: Type.Optional(Type.String())
}

export const answers: Answers = {
  schemas: {
    initiation: (kind, among) =>
      Type.Object(
        {
          [kind.idField]: Echo,
          status: answerWord('ACCEPTED', 'DUPLICATE_IGNORED', 'REJECTED'),
          ...(kind.stateMachine === 'checkout' && addressFields),
          ...(kind.name === 'deposit' && {
            nextStep: Type.Optional(answerWord('FINAL_STATUS', 'GET_AUTH_URL'))
          }),
          created: Type.Optional(DateTime),
          failureReason: Type.Optional(
            failureSchema(
              answerWord(
                ...codes(kind, 200, ...(among === 'many' ? [400, 403, 500] : [])),
                ...rejections.filter((word) => !(word in scripted))
              )
            )
          )
        },
        closed
      ),
    lookup: (_kind, record) =>
      Type.Object(
        { status: answerWord('FOUND', 'NOT_FOUND'), data: Type.Optional(record) },
        closed
      ),
    action: (kind) =>
      Type.Object(
        {
          [kind.idField]: Echo,
          status: answerWord('ACCEPTED', 'REJECTED'),
          failureReason: Type.Optional(failureSchema(answerWord('NOT_FOUND', 'INVALID_STATE')))
        },
        closed
      ),
    refusal: ({ operation, kind }, status) =>
      Type.Object(
        {
          ...(kind !== undefined && { [kind.idField]: Type.Optional(Echo) }),
          ...(hasStatus(operation, status) && { status: answerWord('REJECTED') }),
          failureReason: failureSchema(answerWord(...codes(kind, status)))
        },
        closed
      )
  },
  initiated,
  element: (kind, id, initiation) => initiated(kind, id, initiation).body,
  acted,
  found: (record) => ({
    status: 200,
    body: record === undefined ? { status: 'NOT_FOUND' } : { status: 'FOUND', data: record }
  }),
  refused
}
