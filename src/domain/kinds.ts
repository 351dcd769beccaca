/**
 * The kinds of payment. A kind is a row: what differs between deposits, payouts and the rest is
 * said here, as data, and everything else (routes, ledger, simulator, callbacks) is written once
 * for all of them.
 */

export type KindName = 'deposit' | 'payout' | 'refund' | 'remittance' | 'splitPayment' | 'checkout'
export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND' | 'REMITTANCE'

export interface Kind {
  name: KindName
  /** The word in paths: /v2/deposits. */
  path: string
  /** The identifier the merchant chooses: depositId. */
  idField: string
  /** Which wallet the request names. */
  party: 'payer' | 'recipient'
  /** The operation type whose limits and availability apply. */
  operation: Operation
  /** The key of the callback URL in the account's settings. */
  callback: 'deposits' | 'payouts' | 'refunds' | 'remittances' | 'splitPayments' | 'checkouts'
  /**
   * Does its own money come in to the merchant's wallet, or go out of it? The parts of a split
   * payment and of a checkout are payments themselves.
   */
  money: 'in' | 'out' | 'none'
  /** Which states it has, and which moves between them. */
  stateMachine: 'immediate' | 'queueing' | 'split' | 'checkout'
  /** Its number in the ledger. Never reuse one. */
  ledgerCode: number
}

export const kinds: Record<KindName, Kind> = {
  deposit: {
    name: 'deposit',
    path: 'deposits',
    idField: 'depositId',
    party: 'payer',
    operation: 'DEPOSIT',
    callback: 'deposits',
    money: 'in',
    stateMachine: 'immediate',
    ledgerCode: 1
  },
  payout: {
    name: 'payout',
    path: 'payouts',
    idField: 'payoutId',
    party: 'recipient',
    operation: 'PAYOUT',
    callback: 'payouts',
    money: 'out',
    stateMachine: 'queueing',
    ledgerCode: 2
  },
  refund: {
    name: 'refund',
    path: 'refunds',
    idField: 'refundId',
    party: 'recipient',
    operation: 'REFUND',
    callback: 'refunds',
    money: 'out',
    stateMachine: 'queueing',
    ledgerCode: 3
  },
  remittance: {
    name: 'remittance',
    path: 'remittances',
    idField: 'remittanceId',
    party: 'recipient',
    operation: 'REMITTANCE',
    callback: 'remittances',
    money: 'out',
    stateMachine: 'queueing',
    ledgerCode: 4
  },
  splitPayment: {
    name: 'splitPayment',
    path: 'split-payments',
    idField: 'splitPaymentId',
    party: 'payer',
    operation: 'DEPOSIT',
    callback: 'splitPayments',
    money: 'none',
    stateMachine: 'split',
    ledgerCode: 5
  },
  checkout: {
    name: 'checkout',
    path: 'checkouts',
    idField: 'checkoutId',
    party: 'payer',
    operation: 'DEPOSIT',
    callback: 'checkouts',
    money: 'none',
    stateMachine: 'checkout',
    ledgerCode: 6
  }
}

export const operations: readonly Operation[] = ['DEPOSIT', 'PAYOUT', 'REFUND', 'REMITTANCE']

const byCode = new Map(Object.values(kinds).map((kind) => [kind.ledgerCode, kind]))

/** The kind a ledger row belongs to. */
export function kindOfCode (code: number): Kind {
  const kind = byCode.get(code)
  if (kind === undefined) throw new Error(`the ledger holds a payment of unknown kind ${code}`)
  return kind
}
