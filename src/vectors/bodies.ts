/** Bodies of the callbacks, byte for byte. */

const wallet = {
  type: 'MMO',
  accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
}

/** Returns the bodies, with identifiers and a time of creation. */
export function makeBodies (uuid: (purpose: string) => string, time: number) {
  const created = `${new Date(time - 60_000).toISOString().slice(0, 19)}Z`
  const money = { amount: '15.00', currency: 'ZMW', country: 'ZMB' }
  const end = { customerMessage: 'Demo shop', created, providerTransactionId: '4711081512' }
  const deposit = {
    depositId: uuid('deposit'), status: 'COMPLETED', ...money, payer: wallet, ...end
  }
  const refund = { refundId: uuid('refund'), status: 'COMPLETED', ...money, recipient: wallet }
  const failureReason = {
    failureCode: 'RECIPIENT_NOT_FOUND', failureMessage: 'The recipient has no wallet.'
  }
  const payout = {
    payoutId: uuid('payout'),
    status: 'FAILED',
    ...money,
    recipient: wallet,
    customerMessage: 'Demo shop',
    created,
    failureReason
  }
  const v1 = {
    depositId: uuid('deposit of v1'),
    status: 'COMPLETED',
    requestedAmount: '15.00',
    depositedAmount: '15.00',
    currency: 'ZMW',
    country: 'ZMB',
    correspondent: 'MTN_MOMO_ZMB',
    payer: { type: 'MSISDN', address: { value: '260763456789' } },
    statementDescription: 'Demo shop',
    customerTimestamp: created,
    created,
    respondedByPayer: created,
    correspondentIds: { MTN_INIT: '4711081512', MTN_FINAL: '4711081513' }
  }
  const metadata = { metadata: { orderId: 'ORD-123', customer: 'Éloïse ☂' } }
  return {
    deposit: JSON.stringify(deposit),
    processing: JSON.stringify({ ...deposit, status: 'PROCESSING' }),
    failed: JSON.stringify({ ...payout }),
    refund: JSON.stringify({ ...refund, ...end }),
    v1: JSON.stringify(v1),
    metadata: JSON.stringify({ ...deposit, ...metadata }),
    spaced: JSON.stringify(deposit, null, 2).replaceAll('": ', '" :  '),
    escaped: JSON.stringify({ ...deposit, ...metadata }).replace(/[^ -~]/g, escapeCharacter)
      .replaceAll('/', '\\/'),
    unknownFields: JSON.stringify({
      ...deposit, settledVia: 'a field that is new', fees: { list: [1, 2.50, null], isFinal: true }
    }),
    decimals: JSON.stringify({ ...deposit, amount: '15.0000' })
  }
}

export type Bodies = ReturnType<typeof makeBodies>

function escapeCharacter (character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
