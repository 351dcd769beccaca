import type { Version } from './api-version.ts'

/**
 * Kinds of payment. A kind is a row of data. Routes, ledger, simulator and callbacks are written
 * once for all rows. A new kind needs a row here and a codec in each API version that has it. Then
 * it is documented, scenarios can name it, and it can fail.
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
  /** What it is for, in the API reference. */
  about: string
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
    about: "Collect money from a customer's mobile wallet.",
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
    about: 'Send money to a mobile wallet.',
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
    about: 'Give the money of an earlier deposit back.',
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
    about: 'Payouts that say who sends the money and who it is for.',
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
    about: 'A deposit that is paid out again in parts.',
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
    about: 'A hosted payment session with several attempts.',
    versions: ['v2'],
    ledgerCode: 6
  }
} as const satisfies Record<string, KindRow>

export type KindName = keyof typeof rows

/** Names of the kinds whose row has this. */
type KindWith<Row> = {
  [Name in KindName]: (typeof rows)[Name] extends Row ? Name : never
}[KindName]

/** Names of the kinds that move money themselves. */
export type PayableKind = KindWith<{ money: 'in' | 'out' }>
/** Names of the kinds that pay money out. */
export type OutgoingKind = KindWith<{ money: 'out' }>
/** Names of the kinds that an operation type decides about. */
export type KindOf<Name extends Operation> = KindWith<{ operation: Name }> & PayableKind

export const payableKinds = listKinds<PayableKind>(({ money }) => money !== 'none')
export const outgoingKinds = listKinds<OutgoingKind>(({ money }) => money === 'out')

/** Names of the kinds that an operation type decides about. */
export function kindsOf<Name extends Operation> (name: Name): ReadonlyArray<KindOf<Name>> {
  return listKinds(({ money, operation }) => money !== 'none' && operation === name)
}

function listKinds<Name extends KindName> (isWanted: (row: KindRow) => boolean): readonly Name[] {
  return Object.values(rows).flatMap((row) => (isWanted(row) ? (row.name as Name) : []))
}

/** Words of the kinds in paths. */
export type KindPath = (typeof rows)[KindName]['path']

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
