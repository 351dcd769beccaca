import type { Queue } from '../src/domain/due-queue.ts'
import type { LedgerUnusableError } from '../src/domain/ledger-error.ts'

/** Result of a statement that changes rows. */
export interface RunResult {
  /** Number of rows that were changed. */
  changes: number
  /** Number of the row that an INSERT has stored, in a table that numbers its rows. */
  lastInsertRowid: number | bigint
}

/** Prepared statement. Its parameters are written as `?`. */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run: (...parameters: Parameters) => RunResult
  get: (...parameters: Parameters) => Row | undefined
  all: (...parameters: Parameters) => Row[]
  /** Makes the statement return the first column instead of rows. */
  pluck: () => Statement<Parameters, Row>
  /** Makes the statement return the values of rows instead of objects. */
  raw: () => Statement<Parameters, Row>
}

/**
 * Connection to a ledger. All calls are synchronous: the work of a transaction is written once, as
 * plain functions. The stores use SQL that all engines understand; the dialect has the rest.
 */
export interface Connection {
  readonly dialect: Dialect
  /**
   * Makes the first reads of many pieces of work at once. Absent if a read costs no round trip.
   */
  readonly readAhead?: (work: readonly WorkAhead[]) => void
  /** Transactions during which the server does other work. Absent until they are opened. */
  readonly background?: Background
  /** True between the begin and the end of a transaction. */
  readonly inTransaction: boolean
  /**
   * Number of the transaction or of its part. What was read in it and locked can be kept until it
   * changes. Absent if a read costs no round trip.
   */
  readonly transactionNumber?: number
  prepare: <Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ) => Statement<Parameters, Row>
  /** Runs SQL without parameters and results. */
  exec: (sql: string) => unknown
  /** Forgets unused numbers for new rows of a table. Absent if none are taken in advance. */
  forgetNumbers?: (table: string) => void
}

/** Transactions during which the server does other work, one at a time. */
export interface Background {
  /** True if the next transaction can be one of them. */
  readonly isUsable: boolean
  /**
   * Runs a transaction. `begin` begins it and makes the first reads; `work` is done as soon as
   * their rows are there, and should read nothing else. If it fails, nothing was changed, unless
   * the connection is lost.
   */
  run: <T>(begin: () => void, work: () => T) => Promise<T>
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
  listColumns: (connection: Connection, table: string) => string[]
  /** Returns the columns of the primary key of a table, in the order of the key. */
  listKeyColumns: (connection: Connection, table: string) => KeyColumn[]
  /** Takes numbers of rows out of use, and returns the first of them. */
  reserveNumbers: (connection: Connection, table: string, count: number) => number
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
  /** Makes `background` of the connection usable, for a server. Absent if there is none. */
  readonly openBackground?: () => Promise<void>
  /** Waits for the end of what `openBackground` has opened. */
  readonly closeBackground?: () => Promise<void>
  /** Prepares the engine for work on whole accounts, or for normal work again. */
  expectLongWork: (isExpected: boolean) => void
  close: () => void
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
  /** Begins a transaction that only reads. All its statements see the same moment. */
  readonly beginRead: Statement
  /** Adds the check to a transaction that has begun. */
  enter: (work: readonly SharedWork[], isRead: boolean) => void
  /** Claims an account in a transaction: see `SharedWork`. */
  claimAccount: (account: number) => void
  /**
   * Deals with the failure of a check, so that the work can be done again. Returns the accounts
   * that other servers have locked: their work waits. Returns the reason if it cannot be done
   * again, and undefined for any other error.
   */
  settle: (error: unknown) => readonly number[] | Error | undefined
  /** Returns the error of work whose queue was lost, or undefined for any other error. */
  explain: (error: unknown) => Error | undefined
  /** Lists the accounts that are locked by a server. Called inside a transaction. */
  listLocked: () => number[]
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
