import type { LedgerUnusableError } from '../src/ports/ledger-error.ts'

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
  /** Returns whether the storage has answered a moment ago. Absent if it is always there. */
  readonly isAlive?: () => boolean
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
  /** Takes numbers for rows of a table out of use, and returns them in their order. */
  reserveNumbers: (table: string, count: number) => Promise<number[]>
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
  /** Returns the part of a FROM clause that makes the engine use an index. */
  indexedBy: (index: string) => string
  /** End of a SELECT that locks its rows, and leaves out those that others have locked. */
  skipLocked: string
  /**
   * Takes the lock of restores, unless another connection has it, and gives it back. Absent if no
   * other connection can write.
   */
  restoreLock?: { take: string; give: string }
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

/** Work of a transaction, as far as its reads are concerned. */
export interface WorkAhead {
  /** Account of a request; absent for work of the server. */
  account?: number
  /** True if the work changes nothing. */
  isRead?: boolean
  firstRead?: FirstRead
}
