import { outgoingKinds, payableKinds, type KindName } from './kinds.ts'

/** Codes that a scenario can reject a payment with, in the words of v2. */

const refund = ['refund'] as const

/** Kinds that can be rejected with each code. */
const rejectable = {
  PROVIDER_TEMPORARILY_UNAVAILABLE: payableKinds,
  INVALID_PHONE_NUMBER: payableKinds,
  INVALID_CURRENCY: payableKinds,
  INVALID_AMOUNT: payableKinds,
  AMOUNT_OUT_OF_BOUNDS: payableKinds,
  INVALID_PROVIDER: payableKinds,
  PAWAPAY_WALLET_OUT_OF_FUNDS: outgoingKinds,
  NOT_FOUND: refund,
  INVALID_STATE: refund,
  AMOUNT_TOO_LARGE: refund,
  AMOUNT_TOO_SMALL: refund,
  DEPOSIT_ALREADY_REFUNDED: refund,
  REFUND_IN_PROGRESS: refund,
  DEPOSITS_NOT_ALLOWED: ['deposit'],
  PAYOUTS_NOT_ALLOWED: ['payout'],
  REFUNDS_NOT_ALLOWED: refund,
  REMITTANCES_NOT_ALLOWED: ['remittance'],
  PARAMETER_INVALID: payableKinds,
  INVALID_INPUT: payableKinds,
  INVALID_COUNTRY: payableKinds
} as const satisfies Record<string, readonly KindName[]>

/** Code that a payment is rejected with. */
export type RejectionCode = keyof typeof rejectable

/** Code that a payment of a kind can be rejected with. */
export type RejectionCodeOf<Kind extends KindName> = {
  [Code in RejectionCode]: Kind extends (typeof rejectable)[Code][number] ? Code : never
}[RejectionCode]

/** All codes. */
export const rejections: readonly string[] = Object.keys(rejectable)

/** Codes of a kind. */
export function rejectionsOf (kind: KindName): string[] {
  return rejections.filter((code) => kindsRejectedWith(code)?.includes(kind))
}

/** Kinds that can be rejected with a code, or undefined for an unknown code. */
export function kindsRejectedWith (code: string): readonly KindName[] | undefined {
  const kindsOf: Record<string, readonly KindName[]> = rejectable
  return Object.hasOwn(kindsOf, code) ? kindsOf[code] : undefined
}
