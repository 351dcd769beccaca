import type { PackedResults } from './packing.ts'
import type { StatementKind } from './statement-kind.ts'

/** Messages between the server and the thread that owns the connection to PostgreSQL. */

/** Value as PostgreSQL writes it: of a column, or of a parameter. */
export type Value = string | number | null

/** Parameter of a statement: as text, or bytes in the binary format of its type. */
export type Parameter = Value | Uint8Array

/** Statement with its parameters. It is prepared once under its name. */
export interface Query {
  kind: StatementKind
  name: string
  /** Empty in a message if the thread knows the text of the name. */
  text: string
  values: readonly Parameter[]
}

/** Request to the thread. */
export type Request =
  | { kind: 'connect' }
  /** Takes the lock of the only server, and takes it again after a loss. */
  | { kind: 'lock'; table: string }
  /** Runs statements in order. `continues` is true in a transaction that was begun before. */
  | { kind: 'run'; queries: Query[]; continues: boolean }
  /** Names the session of the second connection, which is ended if the first one is lost. */
  | { kind: 'pair'; session: SessionName }
  /** Gives a connection up that does not answer, or whose other session was lost. */
  | { kind: 'drop'; other?: SessionName }
  | { kind: 'close' }

/** Column of a result. */
export interface Field {
  name: string
  /** Number of the type in PostgreSQL. */
  type: number
}

/** Result of a statement. */
export interface QueryResult {
  changes: number
  fields: Field[]
  rows: Value[][]
}

/** Error of PostgreSQL or of the connection. */
export interface QueryError {
  message: string
  /** SQLSTATE of PostgreSQL, or the code of a system error. */
  code?: string
  /** True if the connection is gone, and with it the transaction. */
  isLost: boolean
}

/** Request with its number. */
export interface NumberedRequest {
  /** Absent if nobody waits for the reply: then there is none. */
  number?: number
  request: Request
}

/** Outcome of a request: the results of all statements, or the first error. */
export type Outcome = { results: QueryResult[] } | { error: QueryError }

/** Reply to the request with this number. */
export interface Reply {
  number: number
  outcome: { packed: PackedResults } | { error: QueryError }
}

/**
 * Places of numbers in the memory that the server and the thread share: the number of replies, 1
 * while the connection can be used, and the session of the second connection that the thread knows.
 */
export const places = { replies: 0, ready: 1, pair: 2 } as const

/** Session of PostgreSQL. Its number can be given to another one later, after a restart. */
export interface SessionName {
  number: number
  /** When it began, in seconds. */
  begin: string
}

/** Code of the error that PostgreSQL wants a password and there is none. The driver has no code. */
export const noPassword = 'no password'
/** Code of the error that PostgreSQL has no encryption. */
export const noEncryption = 'no encryption'

/** Code of the error that the types of the tables' rows are not those that were sent. */
export const tablesChanged = 'tables changed'
