import type { Version } from './api-version.ts'

/**
 * Kinds of payment. A kind is a row of data. Routes, ledger, simulator and callbacks are written
 * once for all rows. A new kind needs a row here and a codec in each API version that has it.
 */

/** Operation types of the active configuration. */
export const operations = ['DEPOSIT', 'PAYOUT', 'REFUND', 'REMITTANCE'] as const
export type Operation = (typeof operations)[number]

interface KindRow {
  name: string
  /** Word in paths: /v2/deposits. */
  path: string
  /** Name of the identifier that the merchant chooses: depositId. */
  idField: string
  /** Name of the wallet in the request. */
  party: 'payer' | 'recipient'
  /** Operation type whose limits and availability apply. */
  operation: Operation
  /** Key of the callback URL in the account's settings. */
  callback: string
  /**
   * Direction of its own money. The parts of split payments and checkouts are separate payments, so
   * these two kinds move no money.
   */
  money: 'in' | 'out' | 'none'
  /** States and transitions. */
  stateMachine: 'immediate' | 'queueing' | 'split' | 'checkout'
  /** Rules that a request must pass. */
  rules: 'wallet' | 'refund' | 'split' | 'checkout'
  /** API versions that have it. */
  versions: readonly Version[]
  /** Number in the ledger. Never reuse one. */
  ledgerCode: number
}

const rows = {
  deposit: {
    name: 'deposit',
    path: 'deposits',
    idField: 'depositId',
    party: 'payer',
    operation: 'DEPOSIT',
    callback: 'deposits',
    money: 'in',
    stateMachine: 'immediate',
    rules: 'wallet',
    versions: ['v1', 'v2'],
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
    rules: 'wallet',
    versions: ['v1', 'v2'],
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
    rules: 'refund',
    versions: ['v1', 'v2'],
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
    rules: 'wallet',
    versions: ['v2'],
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
    rules: 'split',
    versions: ['v2'],
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
    rules: 'checkout',
    versions: ['v2'],
    ledgerCode: 6
  }
} as const satisfies Record<string, KindRow>

export type KindName = keyof typeof rows

/** Names of the kinds that an API version has. */
export type KindNameIn<G extends Version> = {
  [Name in KindName]: G extends (typeof rows)[Name]['versions'][number] ? Name : never
}[KindName]

/** Keys of the callback URLs in the account's settings. */
export type CallbackKey = (typeof rows)[KindName]['callback']

export interface Kind extends KindRow {
  name: KindName
  callback: CallbackKey
}

export const kinds: Record<KindName, Kind> = rows

const byCode = new Map(Object.values(kinds).map((kind) => [kind.ledgerCode, kind]))

/** Kind of a row of the ledger. */
export function kindOfCode (code: number): Kind {
  const kind = byCode.get(code)
  if (kind === undefined) throw new Error(`the ledger holds a payment of unknown kind ${code}`)
  return kind
}

/** Tells whether a text is the name of a kind. */
export function isKindName (text: string): text is KindName {
  return Object.hasOwn(kinds, text)
}
