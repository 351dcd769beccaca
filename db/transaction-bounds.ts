import type { Connection, Statement } from './connection.ts'

/** Statements around the work of a transaction. */
export interface TransactionBounds {
  begin: Statement
  commit: Statement
  rollback: Statement
}

/** Texts of the statements: of whole transactions, and of parts of one. */
const texts = {
  whole: { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' },
  part: { begin: 'SAVEPOINT work', commit: 'RELEASE work', rollback: 'ROLLBACK TO work' }
}

/** Prepares the statements around work. */
export function prepareBounds (
  connection: Connection,
  extent: keyof typeof texts
): TransactionBounds {
  const { begin, commit, rollback } = texts[extent]
  return {
    begin: connection.prepare(begin),
    commit: connection.prepare(commit),
    rollback: connection.prepare(rollback)
  }
}
