import { closed, Type } from '../../lib/typebox.ts'
import { Amount, Identifier } from '../fields.ts'
import { codec } from '../wire.ts'
import { commonFields, readAmount, readMetadata, wireStatus } from './fields.ts'
import { outgoingFields, writeOutgoing } from './payout.ts'

/** Refunds in v1. */
export const refund = codec({
  request: Type.Object(
    {
      refundId: Identifier,
      depositId: Identifier,
      amount: Type.Optional(
        Type.Union([Amount, Type.Number({ minimum: 0 })], {
          description: Amount.description
        })
      ),
      metadata: commonFields.metadata
    },
    { description: 'a refund' }
  ),
  read: ({ refundId, depositId, amount, metadata }) => ({
    id: refundId,
    depositId,
    ...(amount !== undefined && { amount: readAmount(amount) }),
    ...(metadata && { metadata: readMetadata(metadata) })
  }),
  record: Type.Object(
    { refundId: Identifier, ...outgoingFields, status: wireStatus('refund') },
    closed
  ),
  write: writeOutgoing,
  actions: { resend: true }
})
