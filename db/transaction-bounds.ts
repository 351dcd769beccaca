import type { Connection, Statement } from './connection.ts'

/** Statements around the work of a transaction. */
export interface TransactionBounds {
  begin: Statement
  commit: Statement
  rollback: Statement
}

/** Prepares the statements of whole transactions. */
export function prepareBounds (connection: Connection): TransactionBounds {
  return {
    begin: connection.prepare('BEGIN'),
    commit: connection.prepare('COMMIT'),
    rollback: connection.prepare('ROLLBACK')
  }
}

/** Prepares the statements of a part of a transaction. */
export function preparePartBounds (connection: Connection): TransactionBounds {
  return {
    begin: connection.prepare('SAVEPOINT work'),
    commit: connection.prepare('RELEASE work'),
    rollback: connection.prepare('ROLLBACK TO work')
  }
}
