import { answerWord, closed, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import type { Kind } from '../../domain/kinds.ts'
import { stateAt, type AnyPayment } from '../../domain/payment.ts'
import type { Initiation } from '../../ports/ledger.ts'
import { rejections } from '../../domain/rejections.ts'
import type { Refusal, RefusalCode } from '../../domain/refusal.ts'
import { DateTime, Echo } from '../fields.ts'
import { failureWords, statusWords } from './fields.ts'
import type { Answers, OperationContext, WireReply } from '../wire.ts'

/** Answers of v1. */

/**
 * Refusals in v1: the rejection code of an initiation, or an error with its HTTP status and number.
 */
const spelling: Record<
  RefusalCode,
  { rejection: string | ((kind: Kind) => string) } | { status: number; errorCode: 0 | 1 | 2 | 3 }
> = {
  NOT_AUTHENTICATED: { status: 401, errorCode: 2 },
  TOKEN_MISSING: { status: 401, errorCode: 2 },
  TOKEN_UNKNOWN: { status: 401, errorCode: 2 },
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
  // A refund names no wallet, so no code of its own says that its number is wrong.
  PHONE_NUMBER: {
    rejection: (kind) =>
      kind.rules === 'refund' ? 'PARAMETER_INVALID' : `INVALID_${kind.party.toUpperCase()}_FORMAT`
  },
  DECIMALS: { rejection: 'INVALID_AMOUNT' },
  BELOW_MINIMUM: { rejection: 'AMOUNT_TOO_SMALL' },
  ABOVE_MAXIMUM: { rejection: 'AMOUNT_TOO_LARGE' },
  PROVIDER_UNAVAILABLE: { rejection: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE' },
  OUT_OF_FUNDS: { rejection: 'BALANCE_INSUFFICIENT' },
  DEPOSIT_NOT_FOUND: { rejection: 'DEPOSIT_NOT_FOUND' },
  DEPOSIT_NOT_COMPLETED: { rejection: 'DEPOSIT_NOT_COMPLETED' },
  REFUND_IN_PROGRESS: { rejection: 'IN_PROGRESS' },
  DEPOSIT_REFUNDED: { rejection: 'ALREADY_REFUNDED' },
  REFUND_TOO_LARGE: { rejection: 'AMOUNT_TOO_LARGE' },
  SPLITS_EXCEED_AMOUNT: { rejection: 'PARAMETER_INVALID' },
  CALLBACK_URL: { status: 400, errorCode: 1 },
  DATE_RANGE: { status: 400, errorCode: 1 },
  WALLET_NOT_FOUND: { status: 400, errorCode: 1 },
  NOT_FOUND: { rejection: 'PARAMETER_INVALID' },
  WRONG_STATE: { rejection: 'PARAMETER_INVALID' },
  LINK_EXPIRED: { status: 410, errorCode: 1 },
  NO_ROUTE: { status: 404, errorCode: 1 },
  SCRIPTED_REJECTION: { rejection: 'PARAMETER_INVALID' },
  SCRIPTED_ERROR: { status: 500, errorCode: 0 },
  GONE: { status: 410, errorCode: 1 },
  UNAVAILABLE: { status: 503, errorCode: 0 },
  UNEXPECTED: { status: 500, errorCode: 0 }
}

/** Rejection codes of scenarios that have another name in v1. */
const rejectionWords: Record<string, string> = {
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
  INVALID_PROVIDER: 'INVALID_CORRESPONDENT',
  AMOUNT_OUT_OF_BOUNDS: 'AMOUNT_TOO_LARGE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'BALANCE_INSUFFICIENT',
  NOT_FOUND: 'DEPOSIT_NOT_FOUND',
  INVALID_STATE: 'DEPOSIT_NOT_COMPLETED',
  DEPOSIT_ALREADY_REFUNDED: 'ALREADY_REFUNDED',
  REFUND_IN_PROGRESS: 'IN_PROGRESS'
}

/** Words of v1, with the words of v2 that mean the same. Messages about scenarios name them. */
export const v2Words: Record<string, string> = {
  ...invert(statusWords),
  ...invert(failureWords),
  ...invert(rejectionWords),
  INVALID_PAYER_FORMAT: 'INVALID_PHONE_NUMBER',
  INVALID_RECIPIENT_FORMAT: 'INVALID_PHONE_NUMBER',
  correspondent: 'provider',
  msisdn: 'phoneNumber'
}

/** Swaps keys and values; the first key wins. */
function invert (words: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words)
      .map(([key, value]) => [value, key])
      .reverse()
  )
}

function initiated (
  kind: Kind,
  id: string,
  initiation: Initiation,
  errorId: (message: string) => string
): WireReply {
  if (initiation.outcome === 'REFUSED' && 'errorCode' in spelling[initiation.refusal.code]) {
    return refused(initiation.refusal, { operation: 'initiate', kind, id }, errorId)
  }
  return { status: 200, body: element(kind, id, initiation) }
}

/** Tells whether a payment was enqueued when it was accepted. */
function isEnqueued (payment: AnyPayment): boolean {
  return stateAt(payment, payment.created).to === 'ENQUEUED'
}

function element (kind: Kind, id: string, initiation: Initiation): object {
  switch (initiation.outcome) {
    case 'ACCEPTED':
      return {
        [kind.idField]: id,
        status: kind.name === 'payout' && isEnqueued(initiation.payment) ? 'ENQUEUED' : 'ACCEPTED',
        created: formatTimestamp(initiation.payment.created)
      }
    case 'DUPLICATE':
      return {
        [kind.idField]: id,
        status: 'DUPLICATE_IGNORED',
        created: formatTimestamp(initiation.payment.created)
      }
    case 'REFUSED':
      return {
        [kind.idField]: id,
        status: 'REJECTED',
        rejectionReason: {
          rejectionCode: rejectionCode(initiation.refusal, kind),
          rejectionMessage: initiation.refusal.message
        }
      }
  }
}

/** An error of a single request is a rejection of an element of a bulk request. */
function rejectionCode ({ code, as }: Refusal, kind: Kind): string {
  if (as === 'INVALID_PHONE_NUMBER') {
    return rejectionCode({ code: 'PHONE_NUMBER', message: '' }, kind)
  }
  if (as?.endsWith('_NOT_ALLOWED')) {
    return rejectionCode({ code: 'KIND_NOT_ALLOWED', message: '' }, kind)
  }
  if (as !== undefined) return rejectionWords[as] ?? as
  const spelled = spelling[code]
  if ('errorCode' in spelled) return code === 'UNREADABLE' ? 'INVALID_INPUT' : 'PARAMETER_INVALID'
  return typeof spelled.rejection === 'string' ? spelled.rejection : spelled.rejection(kind)
}

/** Every code an initiation of this kind, or one of many, can be rejected with. */
function rejectionCodes (kind: Kind, among?: 'many'): string[] {
  const own = (Object.keys(spelling) as RefusalCode[]).filter(
    (code) => among === 'many' || 'rejection' in spelling[code]
  )
  return [
    ...own.map((code) => rejectionCode({ code, message: '' }, kind)),
    ...rejections.map((as) => rejectionCode({ code: 'SCRIPTED_REJECTION', message: '', as }, kind))
  ]
}

/** Error numbers of an HTTP status. */
function errorCodes (status: number): number[] {
  const errors = Object.values(spelling).filter((spelled) => 'errorCode' in spelled)
  return [
    ...new Set(errors.filter((error) => error.status === status).map(({ errorCode }) => errorCode))
  ]
}

function acted (kind: Kind, id: string, refusal: Refusal | undefined): WireReply {
  return {
    status: 200,
    body: {
      [kind.idField]: id,
      status: refusal === undefined ? 'ACCEPTED' : 'REJECTED',
      ...(refusal !== undefined && { rejectionReason: refusal.message })
    }
  }
}

function refused (
  { code, message, status: scripted }: Refusal,
  _place: OperationContext,
  errorId: (message: string) => string
): WireReply {
  const spelled = spelling[code]
  const { status, errorCode } = 'errorCode' in spelled ? spelled : { status: 400, errorCode: 1 }
  return {
    status: scripted ?? status,
    body: { errorId: errorId(message), errorCode, errorMessage: message }
  }
}

export const answers: Answers = {
  schemas: {
    initiation: (kind, among) =>
      Type.Object(
        {
          [kind.idField]: Echo,
          status: answerWord(
            'ACCEPTED',
            ...(kind.name === 'payout' ? ['ENQUEUED'] : []),
            'DUPLICATE_IGNORED',
            'REJECTED'
          ),
          created: Type.Optional(DateTime),
          rejectionReason: Type.Optional(
            Type.Object(
              {
                rejectionCode: answerWord(...rejectionCodes(kind, among)),
                rejectionMessage: Type.String()
              },
              closed
            )
          )
        },
        closed
      ),
    lookup: (_kind, record) => Type.Array(record, { maxItems: 1 }),
    action: (kind) =>
      Type.Object(
        {
          [kind.idField]: Echo,
          status: answerWord('ACCEPTED', 'REJECTED'),
          rejectionReason: Type.Optional(Type.String({ description: 'why, in a sentence' }))
        },
        closed
      ),
    refusal: (_place, status) =>
      Type.Object(
        {
          errorId: Type.String({ description: 'the identifier of this error' }),
          errorCode: Type.Integer({
            enum: errorCodes(status),
            description: '0 internal, 1 invalid input, 2 authentication, 3 authorisation'
          }),
          errorMessage: Type.String({ description: 'why, in a sentence' })
        },
        closed
      )
  },
  initiated,
  element,
  acted,
  found: (record) => ({ status: 200, body: record === undefined ? [] : [record] }),
  refused
}
