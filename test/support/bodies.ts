import { remittanceSender } from './examples.ts'

/** Requests that are accepted, of every kind in both versions. */

export type Kind = 'deposit' | 'payout' | 'refund' | 'remittance' | 'splitPayment' | 'checkout'
export type Version = 'v1' | 'v2'

interface KindRow {
  path: string
  idField: string
  versions: readonly Version[]
}

/** Where a kind is found, and what its identifier is called. */
export const kinds: Record<Kind, KindRow> = {
  deposit: { path: '/deposits', idField: 'depositId', versions: ['v1', 'v2'] },
  payout: { path: '/payouts', idField: 'payoutId', versions: ['v1', 'v2'] },
  refund: { path: '/refunds', idField: 'refundId', versions: ['v1', 'v2'] },
  remittance: { path: '/remittances', idField: 'remittanceId', versions: ['v2'] },
  splitPayment: { path: '/split-payments', idField: 'splitPaymentId', versions: ['v2'] },
  checkout: { path: '/checkouts', idField: 'checkoutId', versions: ['v2'] }
}

export const kindNames: readonly Kind[] = [
  'deposit',
  'payout',
  'refund',
  'remittance',
  'splitPayment',
  'checkout'
]

/** The path of a kind in a version. */
export function pathOf (kind: Kind, version: Version): string {
  return version === 'v2' ? `/v2${kinds[kind].path}` : kinds[kind].path
}

/** A number that is in no table of test numbers: its payments complete. */
export const customer = '260763456789'
/** A number whose deposits and payouts fail. */
export const failingCustomer = '260763456039'

/** What a request may be about. */
export interface Wish {
  id: string
  amount?: string
  phoneNumber?: string
  /** Of a refund. */
  depositId?: string
  /** Of a split payment. */
  payoutIds?: readonly [string, string]
}

export type Body = Record<string, unknown>

/** A request of a kind in a version. */
export function bodyOf (kind: Kind, version: Version, wish: Wish): Body {
  return version === 'v1' ? v1Body(kind, wish) : v2Body(kind, wish)
}

function v1Body (kind: Kind, { id, amount = '15', phoneNumber = customer, depositId }: Wish): Body {
  const metadata = [{ fieldName: 'orderId', fieldValue: 'ORD-1' }]
  if (kind === 'refund') return { refundId: id, depositId, amount, metadata }
  const party = { type: 'MSISDN', address: { value: phoneNumber } }
  return {
    [kinds[kind].idField]: id,
    amount,
    currency: 'ZMW',
    correspondent: 'MTN_MOMO_ZMB',
    ...(kind === 'deposit' ? { payer: party } : { recipient: party }),
    customerTimestamp: '2026-01-31T11:59:59Z',
    statementDescription: 'Order 1234',
    metadata
  }
}

function v2Body (kind: Kind, wish: Wish): Body {
  const { id, amount = '15', phoneNumber = customer, depositId, payoutIds = ['', ''] } = wish
  const metadata = [{ orderId: 'ORD-1' }]
  const accountDetails = { phoneNumber, provider: 'MTN_MOMO_ZMB' }
  const party = { type: 'MMO', accountDetails }
  const money = { amount, currency: 'ZMW' }
  switch (kind) {
    case 'deposit':
      return { depositId: id, ...money, payer: party, metadata }
    case 'payout':
      return { payoutId: id, ...money, recipient: party, metadata }
    case 'refund':
      return { refundId: id, depositId, ...money, metadata }
    case 'remittance':
      return {
        remittanceId: id,
        ...money,
        recipient: { ...party, recipientDetails: { firstName: 'Mutale', lastName: 'Banda' } },
        sender: remittanceSender,
        metadata
      }
    case 'splitPayment':
      return {
        splitPaymentId: id,
        ...money,
        payer: party,
        splits: payoutIds.map((payoutId) => ({ payoutId, amount: '5', recipient: receiver })),
        metadata
      }
    case 'checkout':
      return {
        checkoutId: id,
        returnUrl: 'https://shop.example/back',
        countries: ['ZMB'],
        amounts: [{ country: 'ZMB', ...money }],
        expiresAfter: 3,
        metadata
      }
  }
}

const receiver = {
  type: 'MMO',
  accountDetails: { phoneNumber: customer, provider: 'MTN_MOMO_ZMB' }
}
