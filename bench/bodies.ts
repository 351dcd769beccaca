import { randomUUID } from 'node:crypto'

/** Requests of the benchmark. */

export const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }

const phoneNumber = '260763456789'
const provider = 'MTN_MOMO_ZMB'

/** Deposits of v2, with new identifiers or with given ones. */
export function createDeposits (
  count: number,
  ids = createIds(count)
): { ids: string[]; bodies: string[] } {
  const bodies = ids.map((depositId) =>
    JSON.stringify({
      depositId,
      amount: '15',
      currency: 'ZMW',
      payer: { type: 'MMO', accountDetails: { phoneNumber, provider } },
      customerMessage: 'Order 4711',
      clientReferenceId: 'INV-4711',
      metadata: [{ orderId: 'ORD-4711' }]
    })
  )
  return { ids, bodies }
}

/** The same deposits in v1. */
export function createV1Deposits (count: number): { ids: string[]; bodies: string[] } {
  const ids = createIds(count)
  const bodies = ids.map((depositId) =>
    JSON.stringify({
      depositId,
      amount: '15',
      currency: 'ZMW',
      correspondent: provider,
      payer: { type: 'MSISDN', address: { value: phoneNumber } },
      customerTimestamp: '2026-01-31T11:59:59Z',
      statementDescription: 'Order 4711',
      metadata: [{ fieldName: 'orderId', fieldValue: 'ORD-4711' }]
    })
  )
  return { ids, bodies }
}

function createIds (count: number): string[] {
  return Array.from({ length: count }, () => randomUUID())
}
