import { closed, Type } from '../../lib/typebox.ts'
import { Amount, Currency, Identifier } from '../fields.ts'
import { codec } from '../wire.ts'
import { commonFields, Party, readCommon, recordFields, wireStatus, writeRecord } from './fields.ts'

/** Payouts in v2. */
export const payout = codec({
  request: Type.Object(
    { payoutId: Identifier, amount: Amount, currency: Currency, recipient: Party, ...commonFields },
    { ...closed, description: 'a payout' }
  ),
  read: ({ payoutId, recipient, ...rest }) => ({
    ...readCommon(payoutId, rest),
    ...recipient.accountDetails
  }),
  record: Type.Object(
    { payoutId: Identifier, ...recordFields, status: wireStatus('payout'), recipient: Party },
    closed
  ),
  write: writeRecord,
  actions: { bulk: true, resend: true, cancel: true }
})
