import { toHundredths } from './amount.ts'
import { kinds } from './kinds.ts'
import type { Facts } from './facts.ts'
import type { Refusal } from './refusal.ts'
import type { CompleteRequest, RuleContext } from './rules.ts'
import { judgePayment } from './rules.ts'
import type { PaymentDetails, PaymentRequest, Split } from './payment-request.ts'
import { isRefusal } from './refusal.ts'

/**
 * Rules of split payments: a valid deposit, and valid payouts with their own identifiers that are
 * not more than the deposit.
 */
export function judgeSplit (
  paymentRequest: PaymentRequest,
  facts: Facts,
  context: RuleContext
): PaymentDetails | Refusal {
  const { splits = [], currency } = paymentRequest as PaymentRequest & { currency: string }
  if (context.account.settings.operations?.includes('SPLIT_PAYMENT') === false) {
    return {
      code: 'KIND_NOT_ALLOWED',
      message: 'split-payments are not enabled on this account; add SPLIT_PAYMENT to its operations'
    }
  }
  const whole = judgePayment(kinds.splitPayment, paymentRequest as CompleteRequest, context)
  if (isRefusal(whole)) return whole

  const seen = new Set<string>()
  for (const [index, split] of splits.entries()) {
    const id = split.payoutId.toLowerCase()
    if (seen.has(id) || facts.takenPayouts.includes(split.payoutId)) {
      return {
        code: 'INVALID',
        message:
          `splits.${index}.payoutId '${split.payoutId}' is already used; every payout needs an ` +
          'identifier of its own'
      }
    }
    seen.add(id)
    const part = judgePart(split, currency, context)
    if (isRefusal(part)) return { code: part.code, message: `splits.${index}: ${part.message}` }
    if (part.country !== whole.country) {
      return {
        code: 'INVALID',
        message:
          `splits.${index}: the provider must be of ${whole.country}, as that of the payer, ` +
          `because the money moves through one wallet; it is of ${part.country}`
      }
    }
  }

  const sum = splits.reduce((sum, { amount }) => sum + toHundredths(amount), 0)
  if (sum > toHundredths(whole.amount)) {
    return {
      code: 'SPLITS_EXCEED_AMOUNT',
      message: `the splits add up to more than amount '${whole.amount}'`
    }
  }
  return whole
}

/** One part as the payout it will be. */
function judgePart (
  { payoutId, ...split }: Split,
  currency: string,
  context: RuleContext
): PaymentDetails | Refusal {
  return judgePayment(kinds.payout, { id: payoutId, ...split, currency }, context)
}
