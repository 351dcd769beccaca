import { formatAmount, type AmountStyle } from '../../domain/amount.ts'
import { closed, orNull, Type } from '../../lib/typebox.ts'
import { Amount, Currency, FailureReason, Identifier, Message } from '../fields.ts'
import type { View } from '../wire.ts'
import { codec } from '../wire.ts'
import { authorisationFields } from './deposit.ts'
import {
  commonFields,
  omitUndefined,
  Party,
  readCommon,
  recordFields,
  wireStatus,
  writeParty,
  writeRecord
} from './fields.ts'

const maxSplits = 20
const SplitRequest = Type.Object(
  {
    payoutId: Identifier,
    amount: Amount,
    recipient: Party,
    customerMessage: Type.Optional(orNull(Message))
  },
  { ...closed, description: '{ payoutId, amount, recipient, customerMessage }' }
)

/** Split payments, which only v2 has. */
export const splitPayment = codec({
  request: Type.Object(
    {
      splitPaymentId: Identifier,
      amount: Amount,
      currency: Currency,
      payer: Party,
      splits: Type.Array(SplitRequest, {
        minItems: 1,
        maxItems: maxSplits,
        description: `a list of 1 to ${maxSplits} parts`
      }),
      ...authorisationFields,
      ...commonFields
    },
    { ...closed, description: 'a split payment' }
  ),
  read: ({
    splitPaymentId,
    payer,
    splits,
    preAuthorisationCode,
    successfulUrl,
    failedUrl,
    ...rest
  }) => ({
    ...readCommon(splitPaymentId, rest),
    ...payer.accountDetails,
    ...omitUndefined({ preAuthorisationCode, successfulUrl, failedUrl }),
    splits: splits.map(({ payoutId, amount, recipient, customerMessage }) => ({
      payoutId,
      amount,
      ...recipient.accountDetails,
      ...omitUndefined({ customerMessage })
    }))
  }),
  record: Type.Object(
    {
      splitPaymentId: Identifier,
      ...recordFields,
      status: wireStatus('splitPayment'),
      payer: Party,
      splits: Type.Array(
        Type.Object(
          {
            payoutId: Identifier,
            status: wireStatus('payout'),
            amount: Amount,
            recipient: Party,
            failureReason: Type.Optional(FailureReason)
          },
          closed
        )
      )
    },
    closed
  ),
  write: (view, amounts) => ({
    ...writeRecord(view, amounts),
    splits: writeSplits(view, amounts)
  }),
  actions: {}
})

/** Writes the payouts among the parts. */
function writeSplits ({ parts }: View, amounts?: AmountStyle): object[] {
  return parts
    .filter(({ payment }) => payment.kind.name === 'payout')
    .map(({ payment: { details }, state }) => ({
      payoutId: details.id,
      status: state.to,
      amount: formatAmount(details.amount, amounts),
      recipient: writeParty(details),
      failureReason: state.failure
    }))
}
