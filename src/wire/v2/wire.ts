import { Type } from '../../lib/typebox.ts'
import { isFinal } from '../../domain/status.ts'
import {
  Amount,
  closed,
  Currency,
  FailureReason,
  Identifier,
  Message,
  orNull,
  PreAuthorisationCode,
  ReturnUrl,
  wordOf
} from '../fields.ts'
import { RecipientDetails, Sender } from './remittance.ts'
import { answers } from './answers.ts'
import { checkout } from './checkout.ts'
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
import { finances } from './finances.ts'
import { page } from './payment-page.ts'
import { toolkit } from './toolkit.ts'
import type { Codec, View, Wire } from '../wire.ts'
import type { KindNameIn } from '../../domain/kinds.ts'
import { codec } from '../wire.ts'

/**
 * The current generation: paths under /v2, provider and phoneNumber inside accountDetails,
 * failureReason everywhere.
 */

/** What some providers need to authorise a deposit. */
const authorisation = {
  preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
  successfulUrl: Type.Optional(orNull(ReturnUrl)),
  failedUrl: Type.Optional(orNull(ReturnUrl))
}

const deposit = codec({
  request: Type.Object(
    {
      depositId: Identifier,
      amount: Amount,
      currency: Currency,
      payer: Party,
      ...authorisation,
      ...commonFields
    },
    { ...closed, description: 'a deposit' }
  ),
  read: (body) =>
    Object.assign(
      readCommon(body.depositId, body),
      body.payer.accountDetails,
      omitUndefined({
        preAuthorisationCode: body.preAuthorisationCode,
        successfulUrl: body.successfulUrl,
        failedUrl: body.failedUrl
      })
    ),
  record: Type.Object(
    {
      depositId: Identifier,
      ...recordFields,
      status: wireStatus('deposit'),
      payer: Party,
      nextStep: Type.Optional(wordOf('GET_AUTH_URL', 'REDIRECT_TO_AUTH_URL', 'FINAL_STATUS')),
      successfulUrl: Type.Optional(ReturnUrl),
      failedUrl: Type.Optional(ReturnUrl),
      authorizationUrl: Type.Optional(
        Type.String({ format: 'http-url', description: 'where the customer authorises it' })
      )
    },
    closed
  ),
  write: (view) => Object.assign(writeRecord(view), writeAuthorisation(view)),
  actions: { resend: true }
})

const payout = codec({
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

const refund = codec({
  request: Type.Object(
    {
      refundId: Identifier,
      depositId: Identifier,
      amount: Type.Optional(orNull(Amount)),
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

const Recipient = Type.Object(
  { ...Party.properties, recipientDetails: RecipientDetails },
  { ...closed, description: '{ type, accountDetails, recipientDetails }' }
)

const remittance = codec({
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
    recipientDetails: recipient.recipientDetails,
    sender
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
  write: (view) => {
    const { recipientDetails, sender } = view.payment.details
    return {
      ...writeRecord(view),
      recipient: { ...writeParty(view.payment.details), recipientDetails },
      sender
    }
  },
  actions: { bulk: true, resend: true, cancel: true }
})

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

const splitPayment = codec({
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
      ...authorisation,
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
  write: (view) => ({ ...writeRecord(view), splits: writeSplits(view) }),
  actions: {}
})

/** Only deposits whose customer is sent elsewhere to authorise them say so. */
function writeAuthorisation ({ payment: { details }, state }: View): object {
  const { authorizationUrl, successfulUrl, failedUrl } = details
  if (authorizationUrl === undefined) return {}
  if (state.to === 'ACCEPTED') return { nextStep: 'GET_AUTH_URL', successfulUrl, failedUrl }
  return {
    nextStep: isFinal(state.to) ? 'FINAL_STATUS' : 'REDIRECT_TO_AUTH_URL',
    successfulUrl,
    failedUrl,
    authorizationUrl
  }
}

/** Every part is a payout of its own. */
function writeSplits ({ parts }: View): object[] {
  return parts
    .filter(({ payment }) => payment.kind.name === 'payout')
    .map(({ payment: { details }, state }) => ({
      payoutId: details.id,
      status: state.to,
      amount: details.amount,
      recipient: writeParty(details),
      failureReason: state.failure
    }))
}

export const v2: Wire = {
  generation: 'v2',
  can: { redirect: true },
  fieldNames: {
    provider: 'provider',
    phoneNumber: 'accountDetails.phoneNumber',
    pageAmount: 'amountDetails',
    pagePhoneNumber: 'phoneNumber'
  },
  prefix: '/v2',
  resendBy: 'path',
  codecs: { deposit, payout, refund, remittance, splitPayment, checkout } satisfies Record<
    KindNameIn<'v2'>,
    Codec
  >,
  page,
  answers,
  toolkit,
  finances
}
