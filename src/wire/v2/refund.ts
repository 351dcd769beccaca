import { closed, orNull, Type } from '../../lib/typebox.ts'
import { Amount, Currency, Identifier } from '../fields.ts'
import { codec } from '../wire.ts'
import { commonFields, Party, readCommon, recordFields, wireStatus, writeRecord } from './fields.ts'

/** Refunds in v2. */
export const refund = codec({
  request: Type.Object(
    {
      refundId: Identifier,
      depositId: Identifier,
      // Null is refused, because an absent amount means all that is left.
      amount: Type.Optional(Amount),
      currency: Type.Optional(orNull(Currency)),
      clientReferenceId: commonFields.clientReferenceId,
      metadata: commonFields.metadata
    },
    { ...closed, description: 'a refund' }
  ),
  read: ({ refundId, depositId, ...rest }) => ({ ...readCommon(refundId, rest), depositId }),
  record: Type.Object(
    { refundId: Identifier, ...recordFields, status: wireStatus('refund'), recipient: Party },
    closed
  ),
  write: writeRecord,
  actions: { resend: true, cancel: true }
})
