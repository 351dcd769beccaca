import type { AccountState } from './account.ts'
import type { Kind, Operation } from './kinds.ts'
import type { AnyDetails, AnyPayment, Payment } from './payment.ts'
import type { Refusal } from './refusal.ts'
import type { Generation } from './api-version.ts'
import type { Move, Plan } from './plan.ts'
import type { ResponseBehaviour } from './response-behaviour.ts'
import type { Entry, Posting, WalletEntry, WalletName } from './money.ts'
import type { Statement, StatementEnding, StatementRequest } from './statement.ts'
import type { PageSession } from './page-session.ts'
import type { OutgoingCallback } from './outgoing-callback.ts'

/**
 * What the verbs, the mover and the courier need of the storage. Everything is asynchronous, so
 * that a ledger behind a network can stand beside the one in a file; everything that must be true
 * together is one call.
 */

export type * from './outgoing-callback.ts'

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
  usedScenarios?: string[]
  /** How the answer is given. */
  behaviour?: ResponseBehaviour
}

/** A payment that comes to be as a part of another. */
export interface Child {
  kind: Kind
  draft: Draft
}

/** What must be known to decide on a payment, beside what was sent. */
export interface FactsNeeded {
  deposit?: string
  /** What is available in a wallet. */
  wallet?: { country: string; currency: string }
  /** Payouts that may exist already. */
  payouts?: string[]
  /** Codes for the link of a customer, the best first. */
  codes?: string[]
  /** Identifiers for a deposit that the server creates itself, the best first. */
  depositIds?: string[]
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
  /** First of the deposit identifiers that is free. */
  freeDepositId?: string
}

/** Result of an initiation, and the behaviour that a scenario wants for its answer. */
export type Initiation = { behaviour?: ResponseBehaviour } & (
  | { outcome: 'ACCEPTED' | 'DUPLICATE'; payment: AnyPayment }
  | { outcome: 'REFUSED'; refusal: Refusal }
)

/**
 * What happens to a payment at once: its moves, its money, its parts, its callback, and when to
 * look at it again.
 */
export interface StateChange {
  moves: Move[]
  postings: Posting[]
  callbacks?: OutgoingCallback[]
  children?: Child[]
  /** A plan that takes the place of the one it had. */
  plan?: Plan
  usedScenarios?: string[]
  due?: number
  /** When it happens, where no move says so. */
  at?: number
  /** What happens to other payments with it. */
  others?: Array<{ payment: Payment; change: StateChange }>
}

/** What becomes of payments: told by the simulator, written down by the ledger. */
export interface TransitionRules {
  /** A payment has fallen due; it is told with its parts, if it is a whole. */
  apply: (payment: AnyPayment, parts: Payment[]) => StateChange
  /** The provider a payment waited for works again. */
  resume: (payment: Payment) => StateChange
  /** Something has happened to a part of this payment. */
  follow: (payment: AnyPayment, parts: Payment[]) => StateChange | undefined
}

/** Which payments somebody wants to see. */
export interface PaymentQuery {
  kind?: Kind
  after?: number
  limit: number
}

/** Decision about a new payment. */
export interface PaymentDecision {
  needs: FactsNeeded
  /** Called once, in the transaction that stores the payment. */
  decide: (facts: Facts) => Draft | Refusal
}

/** Decides about a change of a payment; `isTaken` tells whether an identifier is in use. */
export type ChangeDecision = (
  payment: AnyPayment,
  parts: Payment[],
  isTaken: (kind: Kind, id: string) => boolean
) => StateChange | Refusal

export interface Ledger {
  /**
   * Stores a payment unless the identifier is taken: then whatever `decide` says does not count, so
   * it must change nothing.
   */
  acceptPayment: (key: Key, decision: PaymentDecision) => Promise<Initiation>
  /** Without its history a final payment has its last move only: enough to know its state. */
  findPayment: (key: Key, history?: boolean) => Promise<AnyPayment | undefined>
  /** The payment whose customer's link ends in this. */
  findByCode: (code: string) => Promise<AnyPayment | undefined>
  /**
   * The payments of an account after one, oldest first, at most `limit` of those that are wanted.
   */
  listPayments: (
    account: number,
    query: PaymentQuery,
    isWanted: (payment: AnyPayment) => boolean
  ) => Promise<AnyPayment[]>
  /**
   * The payments of a phone number among the latest of the ledger, newest first, at most `limit`.
   */
  listByPhone: (account: number, phoneNumber: string, limit: number) => Promise<Payment[]>
  /** The parts of a payment, oldest first. */
  listParts: (payment: AnyPayment) => Promise<Payment[]>
  /** Does something to one payment. */
  changePayment: (
    key: Key,
    decide: ChangeDecision,
    rules: TransitionRules
  ) => Promise<Refusal | undefined>
  /** Moves the payments of an account that are due at `now`, at most `limit`, oldest first. */
  moveDuePayments: (
    account: number,
    now: number,
    limit: number,
    rules: TransitionRules
  ) => Promise<MovedPayments>
  /** Moves the payments that wait for a provider, at most `limit`, oldest first. */
  releasePayments: (
    provider: { account: number; provider: string; operation: Operation },
    now: number,
    limit: number,
    rules: TransitionRules
  ) => Promise<MovedPayments>
}

/** Result of moving many payments. */
export interface MovedPayments {
  /** Number of payments that were taken from their queue. */
  count: number
  /** Payments that failed. They are set aside, so that they do not stop the others. */
  failed: SetAsidePayment[]
}

/** Payment that could not be moved because of an error. */
export interface SetAsidePayment {
  seq: number
  /** Absent if the kind in the ledger is unknown. */
  kind?: Kind
  id: string
  /** Time of the failure on the account's clock. */
  at: number
  error: string
}

export interface SetAside {
  /** Returns the payments of an account that were set aside, oldest first. */
  listSetAside: (account: number, after: number, limit: number) => Promise<SetAsidePayment[]>
  /** Returns the number of payments that were set aside, of all accounts. */
  countSetAside: () => Promise<number>
  /** Makes a payment due again. Returns false if it is not set aside. */
  retrySetAside: (account: number, payment: number, now: number) => Promise<boolean>
}

/** Payment that changes. */
export interface ChangedPayment {
  seq: number
  details?: { id?: string; phoneNumber?: string }
}

/** Notifies the listeners of changes. */
export interface ChangeNotifier {
  /**
   * Reports that a payment changes in the current transaction. Without a payment, everything of
   * the account may have changed.
   */
  notify: (account: number, payment?: ChangedPayment) => void
}

/**
 * The sessions of the payment page. A deposit has at most one: the latest, whose link is the only
 * one that works.
 */
export interface PageSessions {
  /**
   * Opens a session for a deposit; `make` is told how many there were before, and whether the
   * deposit exists already.
   */
  openSession: (
    account: number,
    depositId: string,
    make: (before: number, taken: boolean) => PageSession | Refusal
  ) => Promise<PageSession | Refusal>
  findSession: (token: string) => Promise<PageSession | undefined>
  /** Notes that the links of an account that are due have run out; says how many that were. */
  expireLinks: (account: number, now: number) => Promise<number>
}

export interface Wallets {
  /**
   * What is available in each of these wallets, in hundredths; in one that was never used, its
   * opening balance.
   */
  readAvailable: (account: number, wallets: readonly WalletName[]) => Promise<number[]>
  /** What a payment has done to the wallets, oldest first. */
  listEntriesOfPayment: (payment: number) => Promise<Entry[]>
  /** The changes of a wallet after this one, at most `limit`, oldest first. */
  listEntries: (
    account: number,
    wallet: WalletName,
    after: number,
    limit: number
  ) => Promise<WalletEntry[]>
}

export interface StatementStore {
  /**
   * Stores a statement that will be due then. `name` makes its identifier from how many the account
   * has had.
   */
  addStatement: (
    account: number,
    request: StatementRequest,
    created: number,
    due: number,
    name: (n: number) => string
  ) => Promise<Statement>
  findStatement: (id: string) => Promise<Statement | undefined>
  /**
   * The statements of an account that are due, at most `limit`, oldest first; they stay due until
   * they end.
   */
  listDueStatements: (account: number, now: number, limit: number) => Promise<Statement[]>
  endStatement: (
    statement: Statement,
    ending: StatementEnding,
    outgoing: OutgoingCallback,
    file?: Buffer
  ) => Promise<void>
  readFile: (statement: Statement) => Promise<Buffer | undefined>
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
  listKeys: () => Promise<KeyRecord[]>
  addKey: (key: KeyRecord) => Promise<void>
}

/**
 * Change of the stored state of an account. The ledger stores first; memory changes after the
 * commit, so that a refused change leaves both as they were.
 */
export interface AccountChange {
  /** Returns the state to store. Called inside the transaction; changes nothing. */
  state: () => AccountState
  /** Changes memory. Called right after the commit, before any later work of the ledger. */
  committed: () => void
}

export interface AccountStore {
  /** Returns the number of the account with this name. A new one is opened with this state. */
  openAccount: (name: string, state?: AccountState) => Promise<number>
  listAccounts: () => Promise<Array<{ id: number; name: string; state: AccountState }>>
  /** Stores a change; `restartCount` names a scenario whose uses are counted from 0 again. */
  saveState: (id: number, change: AccountChange, restartCount?: string) => Promise<void>
}

/** Uses of counted scenarios. */
export interface ScenarioUses {
  /** Returns how often each counted scenario of an account was used. */
  listUses: (account: number) => Promise<Map<string, number>>
}
