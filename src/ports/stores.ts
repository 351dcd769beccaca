import type { AccountState } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type {
  Entry,
  OpeningBalance,
  WalletBalance,
  WalletEntry,
  WalletName
} from '../domain/money.ts'
import type { OutgoingCallback } from './outgoing-callback.ts'
import type { PageSession } from '../domain/page-session.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Statement, StatementEnding, StatementDraft } from '../domain/statement.ts'

/** Interfaces of the rest of the storage: accounts, keys, wallets, statements, page sessions. */

/** Sessions of the payment page. A deposit has one at most; a new session ends the one before. */
export interface PageSessions {
  /**
   * Opens a session for a deposit. `make` gets the number of earlier sessions, and whether the
   * deposit exists already.
   */
  openSession: (
    account: number,
    depositId: string,
    make: (before: number, taken: boolean) => PageSession | Refusal
  ) => Promise<PageSession | Refusal>
  findSession: (token: string) => Promise<PageSession | undefined>
  /** Returns the tokens of the sessions of a deposit, oldest first. */
  listTokens: (account: number, depositId: string) => Promise<string[]>
  /** Marks the links of an account that have expired, and returns their number. */
  expireLinks: (account: number, now: number) => Promise<number>
}

/** Wallets of accounts. */
export interface Wallets {
  /** Returns the available amount of each wallet, in hundredths. */
  readAvailable: (account: number, wallets: readonly WalletName[]) => Promise<number[]>
  /** Returns the wallets of an account that were used, and their money. */
  listUsed: (account: number) => Promise<WalletBalance[]>
  /** Returns the opening balances of the wallets of an account that were used. */
  listOpenings: (account: number) => Promise<OpeningBalance[]>
  /**
   * Changes the available money of a wallet by hand, with an entry at this time, and returns what
   * is in it now. Both functions are called inside the transaction; if one throws, nothing changes.
   */
  changeAvailable: (
    account: number,
    wallet: WalletName,
    at: () => number,
    change: (available: number) => number
  ) => Promise<WalletBalance>
  /** Returns the entries of a payment, oldest first. */
  listEntriesOfPayment: (payment: number) => Promise<Entry[]>
  /** Returns the entries of a wallet after a number, oldest first. */
  listEntries: (
    account: number,
    wallet: WalletName,
    after: number,
    limit: number
  ) => Promise<WalletEntry[]>
}

/** Statements of wallets. */
export interface StatementStore {
  /** Stores a statement. It is drafted in the transaction, with its number on the account. */
  addStatement: (account: number, draft: (n: number) => StatementDraft) => Promise<Statement>
  findStatement: (account: number, id: string) => Promise<Statement | undefined>
  /** Finds the statement of a link to a file, which does not name the account. */
  findByLink: (id: string) => Promise<Statement | undefined>
  /** Returns the statements that are due, oldest first. They stay due until they end. */
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
  /** Identifier in signatures. */
  id: string
  /** PEM. */
  privateKey: string
}

/** Key pairs that the server has created. */
export interface KeyStore {
  /** Returns all keys, newest first. */
  listKeys: () => Promise<KeyRecord[]>
  /** Stores a key. Returns false if there is one with this identifier. */
  addKey: (key: KeyRecord) => Promise<boolean>
}

/**
 * Change of the stored state of an account. The ledger stores first; memory changes after the
 * commit, so that a refused change leaves both as they were.
 */
export interface AccountChange {
  /** Returns the state to store. Called inside the transaction; changes nothing. */
  state: (rows: AccountRows) => AccountState
  /** Returns the tokens of the account with this state. */
  tokens: () => readonly string[]
  /** Changes memory. Called right after the commit, before any later work of the ledger. */
  committed: () => void
  /** True if a release begins: it is due work, also after a crash. */
  release?: boolean
  /** Last part of work on a whole account. Requests to the account still wait for its end. */
  finished?: () => Promise<void>
}

/** Rows of an account that a change may depend on. They are read in its transaction. */
export interface AccountRows {
  /** Wallets that were used. */
  usedWallets: readonly WalletName[]
}

/** Effects of a change of an account on its rows. */
export interface StateEffects {
  /** Name of a scenario whose uses are counted from 0 again. */
  restartCount?: string
  /** True if the ends of outages have changed: they are due work. */
  outages?: boolean
  /** True if a release begins. */
  release?: boolean
  /** True if the change is refused when another account has one of the tokens. */
  refusesTaken?: boolean
}

/** Account as it is stored. */
export interface StoredAccount {
  id: number
  name: string
  state: AccountState
  /** Reason why the stored state cannot be used; `state` has what is left of it. */
  unreadable?: string
}

/** Token with the account that it leads to. */
export interface StoredToken {
  token: string
  account: number
  /** True if the configuration gives it to the account: then no other account keeps it. */
  isConfigured: boolean
}

/** Error of a name or a token that another account has. */
export class TakenError extends Error {
  override name = 'Taken'
}

/** Accounts, their states and the tokens that lead to them. */
export interface AccountStore {
  /** Returns the number of the account with this name. A new one is opened, with these tokens. */
  openAccount: (name: string, tokens?: readonly string[]) => Promise<number>
  /** Stores a new account and returns its number. Throws a TakenError. */
  createAccount: (settings: AccountSettings) => Promise<number>
  listAccounts: () => Promise<StoredAccount[]>
  findAccount: (id: number) => Promise<StoredAccount | undefined>
  /** Returns the number of the account that a token leads to. */
  findToken: (token: string) => Promise<number | undefined>
  /** Makes these the tokens of some accounts, unless an account that is not among them has one. */
  storeTokens: (tokens: readonly StoredToken[], accounts: readonly number[]) => Promise<void>
  /** Stores a change of an account. Throws a TakenError. */
  saveState: (id: number, change: AccountChange, effects?: StateEffects) => Promise<void>
}

/** Uses of counted scenarios. */
export interface ScenarioUses {
  /** Returns how often each counted scenario of an account was used. */
  listUses: (account: number) => Promise<Map<string, number>>
}
