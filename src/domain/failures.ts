import { outgoingKinds, payableKinds, type KindName } from './kinds.ts'
import type { FailureReason } from './status.ts'

/** Failures of accepted payments, with the codes of v2, and the kinds that can have them. */

const everyAndCheckout = [...payableKinds, 'checkout'] as const

interface Failure {
  kinds: readonly KindName[]
  message: string
}

export const failures = {
  PAYER_NOT_FOUND: {
    kinds: ['deposit'],
    message: 'The phone number does not belong to a customer of this provider.'
  },
  PAYMENT_NOT_APPROVED: {
    kinds: ['deposit'],
    message:
      'The customer did not approve the payment. Either the customer did not enter their PIN in ' +
      'time or an incorrect PIN was entered.'
  },
  PAYER_LIMIT_REACHED: {
    kinds: ['deposit'],
    message: 'The customer has reached a limit of their wallet.'
  },
  INSUFFICIENT_BALANCE: {
    kinds: ['deposit'],
    message: 'The customer does not have enough funds for this payment.'
  },
  PAYMENT_IN_PROGRESS: {
    kinds: ['deposit'],
    message: 'The customer already has a payment waiting for approval.'
  },
  TRANSACTION_ALREADY_IN_PROCESS: {
    kinds: ['deposit'],
    message: 'The customer already has a transaction in process.'
  },
  RECIPIENT_NOT_FOUND: {
    kinds: outgoingKinds,
    message: 'The phone number does not belong to a customer of this provider.'
  },
  RECIPIENT_LIMIT_REACHED: {
    kinds: outgoingKinds,
    message: 'The recipient has reached a limit of their wallet.'
  },
  WALLET_LIMIT_REACHED: {
    kinds: payableKinds,
    message:
      'The customer has reached a limit of their wallet and cannot take part in this payment.'
  },
  PAWAPAY_WALLET_OUT_OF_FUNDS: {
    kinds: outgoingKinds,
    message: 'Your wallet does not hold enough funds for this payment.'
  },
  DEPOSIT_ALREADY_REFUNDED: {
    kinds: ['refund'],
    message: 'The deposit has already been refunded.'
  },
  AMOUNT_TOO_LARGE: {
    kinds: ['refund'],
    message: 'The amount is larger than what is left of the deposit.'
  },
  REFUND_IN_PROGRESS: {
    kinds: ['refund'],
    message: 'Another refund of this deposit is in progress.'
  },
  MANUALLY_CANCELLED: {
    kinds: outgoingKinds,
    message: 'The payment was cancelled while it was enqueued.'
  },
  UNSPECIFIED_FAILURE: {
    kinds: everyAndCheckout,
    message: 'The provider reported a failure without giving a reason.'
  },
  UNKNOWN_ERROR: {
    kinds: everyAndCheckout,
    message: 'The payment failed for an unknown reason.'
  },
  OTHER_ERROR: {
    kinds: everyAndCheckout,
    message: 'The payment failed for a reason that has no code of its own.'
  }
} as const satisfies Record<string, Failure>

export type FailureCode = keyof typeof failures

/** Code that a payment of a kind can fail with. */
export type FailureCodeOf<Kind extends KindName> = {
  [Code in FailureCode]: Kind extends (typeof failures)[Code]['kinds'][number] ? Code : never
}[FailureCode]

/** Tells whether a text is a failure code. */
export function isFailureCode (code: string): code is FailureCode {
  return Object.hasOwn(failures, code)
}

/** Reason with the message of a code. */
export function failureReason (failureCode: FailureCode): FailureReason {
  return { failureCode, failureMessage: failures[failureCode].message }
}

/** Codes of a kind. */
export function failuresOf (kind: KindName): FailureCode[] {
  return (Object.keys(failures) as FailureCode[]).filter((code) =>
    (failures[code].kinds as readonly KindName[]).includes(kind)
  )
}
