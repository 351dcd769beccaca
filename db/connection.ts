import type { Queue } from '../src/domain/due-queue.ts'
import type { LedgerUnusableError } from '../src/domain/ledger-error.ts'

/** Prepared statement. Its parameters are written as `?`. */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  get: (...parameters: Parameters) => Promise<Row | undefined>
  all: (...parameters: Parameters) => Promise<Row[]>
  /** Changes rows. It may wait for the next read or the commit, which then has its error. */
  run: (...parameters: Parameters) => void
  /** Changes rows, and returns how many. */
  change: (...parameters: Parameters) => Promise<number>
  /** Makes the statement return the first column instead of rows. */
  pluck: () => Statement<Parameters, Row>
  /** Makes the statement return the values of rows instead of objects. */
  raw: () => Statement<Parameters, Row>
}

/** Prepared INSERT of the values of some columns. */
export interface Insert {
  /** Stores a row, or several with all their values. It may wait, as `run` of a statement. */
  run: (...values: unknown[]) => void
  /** Stores a row and returns its number; undefined if it is there already: see `ifNew`. */
  add: (...values: unknown[]) => Promise<number | undefined>
}

export interface InsertOptions {
  /** True for rows that may exist already: then nothing is stored. */
  ifNew?: boolean
  /** Number of rows that one call stores. */
  rows?: number
}

/**
 * Connection to a ledger. A read returns a promise with any engine. That of SQLite is settled
 * already, so a transaction ends within one turn of the event loop. The stores use SQL that all
 * engines understand; the dialect has the rest.
 */
export interface Connection {
  readonly dialect: Dialect
  /** Makes the first reads of many pieces of work at once. Absent if a read costs no round trip. */
  readonly readAhead?: (work: readonly WorkAhead[]) => void
  readonly inTransaction: boolean
  /**
   * Number of the transaction or savepoint. What was read in it and locked can be kept until it
   * changes. Absent if a read costs no round trip.
   */
  readonly transactionNumber?: number
  /** Begins a transaction. All reads of one that only reads see the same moment. */
  begin: (isRead?: boolean) => Promise<void>
  commit: () => Promise<void>
  rollback: () => Promise<void>
  /** Runs work after a savepoint of the transaction. If it fails, only this work is undone. */
  withSavepoint: <T>(work: () => Promise<T>) => Promise<T>
  prepare: <Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ) => Statement<Parameters, Row>
  prepareInsert: (table: string, columns: readonly string[], options?: InsertOptions) => Insert
  /** Takes numbers for rows of a table out of use, and returns the first of them. */
  reserveNumbers: (table: string, count: number) => Promise<number>
  /** Runs SQL without parameters and results. */
  exec: (sql: string) => Promise<void>
}

/**
 * First read of a piece of work: `get` of a statement with these parameters. Most work that has one
 * reads nothing else.
 */
export interface FirstRead {
  statement: object
  parameters: unknown[]
  /** True if no other work of the transaction changes what is read. */
  isStable?: boolean
}

/** What differs between engines. */
export interface Dialect {
  /**
   * Number that changes with a payment or its last move, in a SELECT from both. Absent if
   * payments in memory are always current.
   */
  paymentVersion?: string
  /** End of a SELECT of rows that are changed afterwards: no other server may do so meanwhile. */
  lockRows: string
  /**
   * Statement that drops some entries of a due queue, where other servers add entries meanwhile:
   * account, queue, latest due time, array of subjects. Absent if all up to one can be dropped.
   */
  dropEntries?: string
  /** Returns the part of a FROM clause that makes the engine use an index. */
  indexedBy: (index: string) => string
  /** Returns the names of the columns of a table. */
  listColumns: (connection: Connection, table: string) => Promise<string[]>
  /** Returns the columns of the primary key of a table, in the order of the key. */
  listKeyColumns: (connection: Connection, table: string) => Promise<KeyColumn[]>
}

/** Column of a primary key, with a value before all others. */
export interface KeyColumn {
  name: string
  lowest: number | string
}

/** Called when a ledger can be opened only after a wait, with the reason. */
export type ReportWait = (message: string) => void

/** Storage engine of a ledger. */
export interface Engine {
  readonly connection: Connection
  /**
   * Throws a LedgerUnusableError if nothing can be stored. Called before each transaction. Absent
   * if the statements notice it themselves.
   */
  readonly check?: () => void
  /** Returns the problem of the storage behind an error, or undefined for errors of the work. */
  explainFault: (error: unknown) => LedgerUnusableError | undefined
  /**
   * Returns whether an error only says that two transactions disturbed each other: the work is done
   * again. Absent if there is only one writer.
   */
  readonly isConflict?: (error: unknown) => boolean
  /** Returns whether an error says that a row breaks a rule of its table: a duplicate. */
  isWrongRow: (error: unknown) => boolean
  /** Prepares the engine for work on whole accounts, or for normal work again. */
  expectLongWork: (isExpected: boolean) => void
  close: () => Promise<void>
}

/** Work of a transaction, as far as other servers of the ledger are concerned. */
export interface SharedWork {
  account?: number
  /** Queue that this server must have: the work fails if another server has taken it over. */
  lease?: Queue
  /**
   * True if the work decides from rows that other servers change, too: no other server does such
   * work on the account until the end of the transaction.
   */
  claims?: boolean
  /** True if the work changes nothing. */
  isRead?: boolean
  /** Called after the commit. Such work is never done twice. */
  committed?: unknown
}

/** Work of a transaction, as far as its reads are concerned. */
export interface WorkAhead extends Pick<SharedWork, 'account' | 'lease' | 'isRead'> {
  firstRead?: FirstRead
}

/**
 * Rules for a ledger that several servers share. A transaction begins with a check: the server
 * knows all accounts as they are, nobody has locked one that it uses, and, if it may change
 * something, it counts as alive.
 */
export interface Sharing {
  /** Adds the check to a transaction that has begun. */
  enter: (work: readonly SharedWork[], isRead: boolean) => Promise<void>
  /** Claims an account in a transaction: see `SharedWork`. */
  claimAccount: (account: number) => void
  /** Returns whether the transaction has claimed an account. */
  hasClaimed: (account: number) => boolean
  /**
   * Deals with the failure of a check, so that the work can be done again. Returns the accounts
   * that other servers have locked: their work waits. Returns the reason if it cannot be done
   * again, and undefined for any other error.
   */
  settle: (error: unknown) => Promise<readonly number[] | Error | undefined>
  /** Returns whether an error is the failure of a check. */
  isCheck: (error: unknown) => boolean
  /** Returns the error of work whose queue was lost, or undefined for any other error. */
  explain: (error: unknown) => Error | undefined
  /** Lists the accounts that are locked by a server. Called inside a transaction. */
  listLocked: () => Promise<number[]>
  /**
   * Runs work while an account is locked for the other servers. The number of the lock is that of
   * the account, or the negative number for an import into it. If `adopts` is true, it also takes a
   * lock that this server has and none of its work uses: the work must finish what was left to do,
   * and then call `noteFinished`.
   */
  runLocked: <T>(lock: number, work: () => Promise<T>, adopts?: boolean) => Promise<T>
  /** Runs work while an account is locked, unless a server has locked it already. */
  runIfUnlocked: (lock: number, work: () => Promise<void>) => Promise<void>
  /** Notes that nothing is left to do with a lock that was adopted. */
  noteFinished: (lock: number) => void
}
