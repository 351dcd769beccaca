import { formatAmount, type AmountStyle } from '../../domain/amount.ts'
import { closed, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { Amount, DateTime, Identifier } from '../fields.ts'
import type { View } from '../wire.ts'
import { codec } from '../wire.ts'
import { commonFields, Party, readCommon, recordFields, wireStatus, writeRecord } from './fields.ts'

/** Fields of the records of payouts and refunds. */
export const outgoingFields = {
  ...recordFields,
  amount: Amount,
  recipient: Party,
  receivedByRecipient: Type.Optional(DateTime)
}

/** Payouts in v1. */
export const payout = codec({
  request: Type.Object(
    { payoutId: Identifier, recipient: Party, ...commonFields },
    { description: 'a payout' }
  ),
  read: ({ payoutId, recipient, ...rest }) => readCommon(payoutId, recipient.address.value, rest),
  record: Type.Object(
    { payoutId: Identifier, ...outgoingFields, status: wireStatus('payout') },
    closed
  ),
  write: writeOutgoing,
  actions: { bulk: true, resend: true, cancel: true }
})

/** Writes a record of a payout or refund. */
export function writeOutgoing (view: View, amounts?: AmountStyle): object {
  const {
    payment: { details },
    state
  } = view
  return {
    ...writeRecord(view),
    amount: formatAmount(details.amount, amounts),
    ...(state.to === 'COMPLETED' && { receivedByRecipient: formatTimestamp(state.at) })
  }
}
