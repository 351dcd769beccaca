import { formatAmount } from '../../domain/amount.ts'
import { closed, orNull, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { Amount, DateTime, Identifier, PreAuthorisationCode } from '../fields.ts'
import { codec } from '../wire.ts'
import { commonFields, Party, readCommon, recordFields, wireStatus, writeRecord } from './fields.ts'

/** Deposits in v1. */
export const deposit = codec({
  request: Type.Object(
    {
      depositId: Identifier,
      payer: Party,
      preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
      ...commonFields
    },
    { description: 'a deposit' }
  ),
  read: ({ depositId, payer, preAuthorisationCode, ...rest }) => ({
    ...readCommon(depositId, payer.address.value, rest),
    ...(preAuthorisationCode && { preAuthorisationCode })
  }),
  record: Type.Object(
    {
      depositId: Identifier,
      ...recordFields,
      status: wireStatus('deposit'),
      requestedAmount: Amount,
      depositedAmount: Type.Optional(Amount),
      payer: Party,
      respondedByPayer: Type.Optional(DateTime),
      suspiciousActivityReport: Type.Optional(
        Type.Array(Type.Object({ activityType: Type.String(), comment: Type.String() }, closed))
      )
    },
    closed
  ),
  write: (view, amounts) => {
    const amount = formatAmount(view.payment.details.amount, amounts)
    const {
      payment: { plan },
      state
    } = view
    return {
      ...writeRecord(view),
      requestedAmount: amount,
      suspiciousActivityReport: plan.suspiciousActivityReport,
      ...(state.to === 'COMPLETED' && {
        depositedAmount: amount,
        respondedByPayer: formatTimestamp(state.at)
      })
    }
  },
  actions: { resend: true }
})
