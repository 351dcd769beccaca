import type { AccountState } from './account.ts'
import type { Kind, Operation } from './kinds.ts'
import type { AnyDetails, AnyPayment, Generation, Move, Payment, Plan } from './payment.ts'
import type { Manner, Refusal } from './refusal.ts'
import type { Posting, WalletEntry, WalletName } from './money.ts'
import type { Statement, StatementEnding, StatementRequest } from './statement.ts'
import type { Session } from './session.ts'

/**
 * What the verbs, the mover and the courier need of the storage. Everything is asynchronous, so that a ledger behind a
 * network can stand beside the one in a file; everything that must be true together is one call.
 */

export interface Key {
  account: number
  kind: Kind
  id: string
}

/** A payment that is ready to be stored. */
export interface Draft {
  generation: Generation
  created: number
  details: AnyDetails
  plan: Plan
  postings: Posting[]
  /** What its customer's link ends in, if it has one. */
  link?: string
  /** The payment it belongs to. */
  parent?: number
  /** Payments that come to be with it. */
  children?: Child[]
  /** When the next step that must be recorded is due, if there is one. */
  due?: number
  /** The counted scenarios that it used. */
  uses?: string[]
  /** How the answer is given. */
  manner?: Manner
}

/** A payment that comes to be as a part of another. */
export interface Child {
  kind: Kind
  draft: Draft
}

/** What must be known to decide on a payment, beside what was sent. */
export interface Needs {
  /** The deposit it refers to, and the refunds of that. */
  deposit?: string
  /** What is available in a wallet. */
  wallet?: { country: string, currency: string }
  /** Payouts that may exist already. */
  payouts?: string[]
  /** Codes a customer's link may end in, the best first. */
  codes?: string[]
}

export interface Facts {
  deposit?: Payment
  refunds: Payment[]
  /** In hundredths; of the deposit's wallet, when a deposit was asked for. */
  available: number
  /** Which of the payouts asked for exist. */
  takenPayouts: string[]
  /** How often a counted scenario has been used on this account. */
  used: (scenario: string) => number
  /** The first of the codes asked for that is free. */
  freeCode?: string
}

export type Acceptance =
  | { outcome: 'ACCEPTED', payment: AnyPayment, manner?: Manner }
  | { outcome: 'DUPLICATE', created: number }
  | { outcome: 'REFUSED', refusal: Refusal }

/** A callback that is to be sent. */
export interface Letter {
  url: string
  body: string
  due: number
}

/** What happens to a payment at once: its moves, its money, its parts, its callback, and when to look at it again. */
export interface Happening {
  moves: Move[]
  postings: Posting[]
  letters?: Letter[]
  children?: Child[]
  /** A plan that takes the place of the one it had. */
  plan?: Plan
  due?: number
  /** When it happens, where no move says so. */
  at?: number
  /** What happens to other payments with it. */
  others?: Array<{ payment: Payment, happening: Happening }>
}

/** What becomes of payments: told by the simulator, written down by the ledger. */
export interface Story {
  /** A payment has fallen due; it is told with its parts, if it is a whole. */
  happen: (payment: AnyPayment, parts: Payment[]) => Happening
  /** The provider a payment waited for works again. */
  resume: (payment: Payment) => Happening
  /** Something has happened to a part of this payment. */
  follow: (payment: AnyPayment, parts: Payment[]) => Happening | undefined
}

export interface Ledger {
  /** Stores a payment unless the identifier is taken: then whatever `decide` says does not count, so it must change nothing. */
  accept: (key: Key, needs: Needs, decide: (facts: Facts) => Draft | Refusal) => Promise<Acceptance>
  find: (key: Key) => Promise<AnyPayment | undefined>
  /** The payment whose customer's link ends in this. */
  findByCode: (code: string) => Promise<AnyPayment | undefined>
  /** The parts of a payment, oldest first. */
  parts: (payment: AnyPayment) => Promise<Payment[]>
  /** Does something to one payment. */
  act: (key: Key, decide: (payment: AnyPayment, parts: Payment[]) => Happening | Refusal, story: Story) => Promise<Refusal | undefined>
  /** Takes the payments of an account that are due, at most `limit`, oldest first, and lets them happen. */
  sweep: (account: number, now: number, limit: number, story: Story) => Promise<number>
  /** Takes the payments that wait for a provider, at most `limit`, oldest first, and lets them happen. */
  release: (account: number, provider: string, operation: Operation, limit: number, story: Story) => Promise<number>
}

/** The sessions of the payment page. A deposit has at most one: the latest, whose link is the only one that works. */
export interface Sessions {
  /** Opens a session for a deposit; `make` is told how many there were before, and whether the deposit exists already. */
  open: (account: number, depositId: string, make: (before: number, taken: boolean) => Session | Refusal) => Promise<Session | Refusal>
  find: (token: string) => Promise<Session | undefined>
  /** Notes that the links of an account that are due have run out; says how many that were. */
  expire: (account: number, now: number) => Promise<number>
}

export type DeliveryState = 'PENDING' | 'ACKNOWLEDGED' | 'EXHAUSTED'

/** A callback on its way. */
export interface Delivery {
  seq: number
  account: number
  /** The payment it tells of; null for what is none, such as a statement. */
  payment: number | null
  lane: number
  url: string
  body: string
  /** When it was first tried, on the account's clock. */
  firstAttempt?: number
  attempts: number
}

/** One try at delivering a callback. Either a status came back or an error says why not. */
export interface Attempt {
  /** On the account's clock. */
  at: number
  durationMs: number
  status?: number
  error?: string
}

/** What an attempt leads to: another one at a time, or the end. */
export type Verdict = { state: 'PENDING', due: number } | { state: 'ACKNOWLEDGED' } | { state: 'EXHAUSTED' }

export interface Outbox {
  /** Takes callbacks that are due off the agenda, oldest first. They stay pending until `attempted` says otherwise. */
  take: (lane: Lane, now: number, limit: number) => Promise<Delivery[]>
  attempted: (delivery: Delivery, attempt: Attempt, verdict: Verdict) => Promise<void>
  /** Puts callbacks that were on their way when the last run ended, or when they were given up, back on the agenda; of every account, or of one. */
  recover: (account?: number) => Promise<void>
}

/** A lane of the agenda: payments have one, every place callbacks go to has its own, so that none waits for another. */
export interface Lane {
  account: number
  lane: number
}

export interface Agenda {
  /** Every lane that has something in it, with its earliest due time. */
  lanes: () => Promise<Array<Lane & { due: number }>>
  lanesOf: (account: number) => Promise<Array<Lane & { due: number }>>
  next: (lane: Lane) => Promise<number | undefined>
  /** Tells the listener whenever something is put on the agenda. */
  listen: (listener: (lane: Lane, due: number) => void) => void
}

/** The lane of the payments themselves, and that of statements. */
export const paymentLane = 0
export const statementLane = 1

/** The lane of links that run out. */
export const linkLane = 2

/** Lanes below this belong to the mock's own work; each place that callbacks go to has one above. */
export const firstOriginLane = 16

export interface Wallets {
  /** What is available in each of these wallets, in hundredths; in one that was never used, its opening balance. */
  available: (account: number, wallets: readonly WalletName[]) => Promise<number[]>
  /** The changes of a wallet after this one, at most `limit`, oldest first. */
  entries: (account: number, wallet: WalletName, after: number, limit: number) => Promise<WalletEntry[]>
}

export interface StatementStore {
  /** Stores a statement that will be due then. `name` makes its identifier from how many the account has had. */
  open: (account: number, request: StatementRequest, created: number, due: number, name: (n: number) => string) => Promise<Statement>
  find: (id: string) => Promise<Statement | undefined>
  /** The statements of an account that are due, at most `limit`, oldest first; they stay due until they end. */
  due: (account: number, now: number, limit: number) => Promise<Statement[]>
  end: (statement: Statement, ending: StatementEnding, letter: Letter, file?: Buffer) => Promise<void>
  file: (statement: Statement) => Promise<Buffer | undefined>
}

/** A key pair of the server. */
export interface KeyRecord {
  /** What a signature names it by. */
  id: string
  /** PEM. */
  privateKey: string
}

export interface KeyStore {
  /** Every key, newest first. */
  all: () => Promise<KeyRecord[]>
  add: (key: KeyRecord) => Promise<void>
}

export interface AccountStore {
  /** The number of the account with this name; it is opened if it is new, with this state. */
  open: (name: string, state?: AccountState) => Promise<number>
  all: () => Promise<Array<{ id: number, name: string, state: AccountState }>>
  /** The state is asked for when it is written. */
  save: (id: number, state: () => AccountState) => Promise<void>
}

/** The parts of what the ledger holds of an account. Payments are there with their money, codes, links and statements. */
export const ledgerParts = ['payments', 'callbacks', 'scenarios'] as const
export type LedgerPart = typeof ledgerParts[number]

/** Everything the ledger holds of an account. */
export interface Holdings {
  /** Forgets it, but for the parts that are kept, and stores what is left of the account itself; all at once. */
  clear: (account: number, keep: readonly LedgerPart[], state: () => AccountState) => Promise<void>
  /** Forgets it and the account itself, if at that moment it still is to be. */
  remove: (account: number, agreed: () => boolean) => Promise<boolean>
  /** How many payments each account has. */
  counts: () => Promise<Map<number, number>>
}

/** A whole account as it was. */
export interface Snapshot {
  name: string
  /** When it was taken, by the machine. */
  taken: number
  state: SnapshotState
  payments: number
}

/** What a snapshot keeps beside the rows of the ledger. */
export interface SnapshotState extends AccountState {
  /** What the account's clock showed. */
  now: number
  /** The seed of the server, and how many error identifiers the account has had. */
  seed: string
  errors: number
}

export interface Snapshots {
  /** Copies everything the ledger holds of an account; one of the same name is replaced. False, if there are `limit` others already. */
  take: (account: number, name: string, taken: number, state: () => SnapshotState, limit: number) => Promise<boolean>
  all: (account: number) => Promise<Snapshot[]>
  find: (account: number, name: string) => Promise<Snapshot | undefined>
  /** Puts the copy in the place of what the ledger holds, and stores what `assume` makes of its state; all at once. False, if there is none. */
  restore: (account: number, name: string, assume: (state: SnapshotState) => AccountState) => Promise<boolean>
  drop: (account: number, name: string) => Promise<boolean>
}

/** How often counted scenarios have been used. */
export interface Uses {
  all: (account: number) => Promise<Map<string, number>>
  /** Begins to count anew. */
  forget: (account: number, scenario: string) => Promise<void>
}
