import type { KindName } from './kinds.ts'
import { payableKinds } from './scenario-file.ts'

/** Codes that a scenario can reject a payment with, in the words of v2. */

const outgoing: KindName[] = ['payout', 'refund', 'remittance']

/** Kinds that can be rejected with each code. */
const rejectable: Record<string, readonly KindName[]> = {
  ...Object.fromEntries(
    [
      'PROVIDER_TEMPORARILY_UNAVAILABLE',
      'INVALID_PHONE_NUMBER',
      'INVALID_CURRENCY',
      'INVALID_AMOUNT',
      'AMOUNT_OUT_OF_BOUNDS',
      'INVALID_PROVIDER'
    ].map((code) => [code, payableKinds])
  ),
  PAWAPAY_WALLET_OUT_OF_FUNDS: outgoing,
  ...Object.fromEntries(
    [
      'NOT_FOUND',
      'INVALID_STATE',
      'AMOUNT_TOO_LARGE',
      'AMOUNT_TOO_SMALL',
      'DEPOSIT_ALREADY_REFUNDED',
      'REFUND_IN_PROGRESS'
    ].map((code) => [code, ['refund']])
  ),
  DEPOSITS_NOT_ALLOWED: ['deposit'],
  PAYOUTS_NOT_ALLOWED: ['payout'],
  REFUNDS_NOT_ALLOWED: ['refund'],
  REMITTANCES_NOT_ALLOWED: ['remittance'],
  ...Object.fromEntries(
    ['PARAMETER_INVALID', 'INVALID_INPUT', 'INVALID_COUNTRY'].map((code) => [code, payableKinds])
  )
}

/** All codes. */
export const rejections: readonly string[] = Object.keys(rejectable)

/** Codes of a kind. */
export function rejectionsOf (kind: KindName): string[] {
  return rejections.filter((code) => rejectable[code].includes(kind))
}

/** Kinds that can be rejected with a code, or undefined for an unknown code. */
export function kindsRejectedWith (code: string): readonly KindName[] | undefined {
  return Object.hasOwn(rejectable, code) ? rejectable[code] : undefined
}
