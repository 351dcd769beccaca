import { fromHundredths, toHundredths } from './amount.ts'
import { kinds } from './kinds.ts'
import type { Payment } from './payment.ts'
import { stateAt } from './payment.ts'
import type { Facts } from './facts.ts'
import type { Refusal } from './refusal.ts'
import { judgePayment, refuseKind, type RuleContext } from './rules.ts'
import type { PaymentDetails, PaymentRequest } from './payment-request.ts'
import { isFinal } from './status.ts'
import { isRefusal } from './refusal.ts'

/**
 * Rules of refunds: only of a completed deposit, one at a time, and never more than the rest of it.
 */
export function judgeRefund (
  paymentRequest: PaymentRequest,
  facts: Facts,
  context: RuleContext,
  now: number
): PaymentDetails | Refusal {
  const switchedOff = refuseKind(kinds.refund, context.account)
  if (switchedOff !== undefined) return switchedOff
  const { deposit, refunds } = facts
  if (deposit === undefined) {
    return {
      code: 'DEPOSIT_NOT_FOUND',
      message: `there is no deposit '${paymentRequest.depositId}' on this account`
    }
  }
  const { to } = stateAt(deposit, now)
  if (to !== 'COMPLETED') {
    return {
      code: 'DEPOSIT_NOT_COMPLETED',
      message:
        `deposit '${paymentRequest.depositId}' is ${to}; only a COMPLETED deposit can be ` +
        'refunded'
    }
  }

  const inFlight = refunds.find((refund) => !isFinal(stateAt(refund, now).to))
  if (inFlight !== undefined) {
    return {
      code: 'REFUND_IN_PROGRESS',
      message:
        `refund '${inFlight.details.id}' of this deposit is still in progress; wait for its ` +
        'final status'
    }
  }

  const left = toHundredths(deposit.details.amount) - refunded(refunds, now)
  if (left <= 0) {
    return {
      code: 'DEPOSIT_REFUNDED',
      message: `deposit '${paymentRequest.depositId}' has already been refunded in full`
    }
  }
  const { currency, provider, phoneNumber, customerMessage } = deposit.details
  if (paymentRequest.currency !== undefined && paymentRequest.currency !== currency) {
    return {
      code: 'CURRENCY',
      message:
        `currency '${paymentRequest.currency}' is not that of the deposit, which is ` + currency
    }
  }
  const amount =
    paymentRequest.amount ??
    (refunds.length === 0 ? deposit.details.amount : fromHundredths(left).replace(/\.00$/, ''))
  if (toHundredths(amount) > left) {
    return {
      code: 'REFUND_TOO_LARGE',
      message:
        `amount '${amount}' is more than the ${fromHundredths(left)} ${currency} left of the ` +
        'deposit'
    }
  }

  const whole = { customerMessage, ...paymentRequest, amount, currency, provider, phoneNumber }
  const verdict = judgePayment(kinds.refund, whole, context)
  // The rest of a deposit can always be refunded, also below the minimum. So the minimum is the
  // last rule.
  const isRest =
    isRefusal(verdict) && verdict.code === 'BELOW_MINIMUM' && toHundredths(amount) === left
  return isRest
    ? { ...whole, customerMessage: whole.customerMessage, country: deposit.details.country }
    : verdict
}

function refunded (refunds: Payment[], now: number): number {
  return refunds
    .filter((refund) => stateAt(refund, now).to === 'COMPLETED')
    .reduce((sum, { details }) => sum + toHundredths(details.amount), 0)
}
