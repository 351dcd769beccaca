import type { ErrorCounts } from '../lib/ids.ts'
import type { AccountState } from '../domain/account.ts'
import type { LedgerPart } from '../domain/reset-parts.ts'
import type { PaymentEvidence, PostedEntry, WalletEvidence } from '../domain/invariants.ts'
import type { AccountChange } from './stores.ts'

/** Ports of the storage for whole accounts: reset, deletion, snapshots, audit. */

/** Rows that can be counted. */
export type CountedTable = 'payments' | 'callbacks'

/** All rows of an account in the ledger. */
export interface AccountTables {
  /**
   * Forgets the rows, except those of the kept parts, and stores the change with it. `prepare` runs
   * first, in transactions of its own; requests to the account wait already. The rows are deleted
   * in the background.
   */
  clearAccount: (
    account: number,
    keep: readonly LedgerPart[],
    change: AccountChange,
    prepare: () => Promise<void>
  ) => Promise<void>
  /**
   * Deletes the rows and the account itself, unless `agreed` refuses at that moment. Calls
   * `committed` right after the commit. Returns whether it was deleted.
   */
  removeAccount: (account: number, agreed: () => boolean, committed: () => void) => Promise<boolean>
  /** Counts the payments of before resets and restores that are not deleted yet. */
  countOldPayments: (account: number) => Promise<number>
  /** Counts the rows of an account, in pages: all of them, or those before a number. */
  countRows: (table: CountedTable, account: number, before?: number) => Promise<number>
}

/** Copy of a whole account. */
export interface Snapshot {
  name: string
  /** System time at which it was taken. */
  taken: number
  state: SnapshotState
  payments: number
}

/** State that a snapshot keeps besides the rows of the ledger. */
export interface SnapshotState extends AccountState {
  /** Time of the account's clock. */
  now: number
  /** Seed of the server. */
  seed: string
  /** Counts of the failed requests of the account. */
  errors: ErrorCounts
}

export interface Snapshots {
  /**
   * Copies all rows of an account; a snapshot of the same name is replaced. Returns false if the
   * account has `limit` others already.
   */
  takeSnapshot: (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ) => Promise<boolean>
  listSnapshots: (account: number) => Promise<Snapshot[]>
  findSnapshot: (account: number, name: string) => Promise<Snapshot | undefined>
  /**
   * Replaces all rows of an account by the copy and stores the change that `prepare` makes of its
   * state. Returns false for an unknown snapshot. Throws a SnapshotFileError if another account has
   * its links.
   */
  restoreSnapshot: (
    account: number,
    name: string,
    prepare: (state: SnapshotState) => AccountChange
  ) => Promise<boolean>
  deleteSnapshot: (account: number, name: string) => Promise<boolean>
}

/** Error of the file of a snapshot that cannot be used. The message names the reason. */
export class SnapshotFileError extends Error {
  override name = 'SnapshotFileError'
}

/** Error of a snapshot that was deleted or replaced while it was exported. */
export class SnapshotGoneError extends Error {
  override name = 'SnapshotGoneError'

  constructor () {
    super('the snapshot was deleted or replaced meanwhile')
  }
}

/** Snapshots as lines of text, for files. */
export interface SnapshotFiles {
  /**
   * Returns the lines of a snapshot, a few at a time. Throws a SnapshotGoneError before the last
   * one if the snapshot was deleted or replaced meanwhile.
   */
  readLines: (account: number, name: string) => AsyncIterable<string>
  /**
   * Stores the lines of a file as a snapshot; one of the same name is replaced. Throws a
   * SnapshotFileError for a file that cannot be used, and then stores nothing. Returns false if the
   * account has `limit` others already.
   */
  storeLines: (
    account: number,
    name: string,
    lines: AsyncIterable<string>,
    limit: number
  ) => Promise<boolean>
}

/** Payment with its evidence for an audit, or the reason why it cannot be read. */
export interface AuditedPayment {
  /** Kind and identifier of the payment. */
  what: string
  evidence?: PaymentEvidence
  unreadable?: string
}

/** Reads of an audit: one page at a time, each page of one moment. */
export interface Audit {
  /** Returns the wallets, the entries without a payment and the last entry, of one moment. */
  readWallets: (
    account: number
  ) => Promise<{ wallets: WalletEvidence[]; openings: PostedEntry[]; lastEntry: number }>
  /** Returns the next payments, and the position of the page after them. */
  readPage: (
    account: number,
    after: string | undefined,
    limit: number
  ) => Promise<{ rows: AuditedPayment[]; next?: string }>
}
