import { closed, Type } from '../../lib/typebox.ts'
import { Amount, Currency, Identifier } from '../fields.ts'
import { codec } from '../wire.ts'
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
import { RecipientDetails, Sender } from './remittance-parties.ts'

const Recipient = Type.Object(
  { ...Party.properties, recipientDetails: RecipientDetails },
  { ...closed, description: '{ type, accountDetails, recipientDetails }' }
)

/** Remittances, which only v2 has. */
export const remittance = codec({
  request: Type.Object(
    {
      remittanceId: Identifier,
      amount: Amount,
      currency: Currency,
      recipient: Recipient,
      sender: Sender,
      customerMessage: commonFields.customerMessage,
      metadata: commonFields.metadata
    },
    { ...closed, description: 'a remittance' }
  ),
  read: ({ remittanceId, recipient, sender, ...rest }) => ({
    ...readCommon(remittanceId, rest),
    ...recipient.accountDetails,
    recipientDetails: omitUndefined(recipient.recipientDetails),
    sender: {
      transactionDetails: omitUndefined(sender.transactionDetails),
      senderDetails: omitUndefined(sender.senderDetails)
    }
  }),
  record: Type.Object(
    {
      remittanceId: Identifier,
      ...recordFields,
      status: wireStatus('remittance'),
      recipient: Recipient,
      sender: Sender
    },
    closed
  ),
  write: (view, amounts) => {
    const { recipientDetails, sender } = view.payment.details
    return {
      ...writeRecord(view, amounts),
      recipient: { ...writeParty(view.payment.details), recipientDetails },
      sender
    }
  },
  actions: { bulk: true, resend: true, cancel: true }
})
