import type { Test } from 'tap'
import { PostgresError } from '../../db/postgres/postgres-error.ts'
import { Session } from '../../db/postgres/session.ts'
import type { Query, QueryResult } from '../../db/postgres/statement-batch.ts'

/** Statements that are sent to PostgreSQL together: each time costs a round trip. */

/** Ends a transaction, as PostgreSQL does when its connection is lost. */
const rollback: Query = { name: 'rollback', text: 'ROLLBACK', values: [] }

/** Statements on their way. */
export interface Run {
  queries: readonly Query[]
  send: () => Promise<QueryResult[]>
  /** Loses the connection instead, and with it the transaction. */
  lose: () => Promise<never>
}

/**
 * Does something else instead of sending statements, until the end of the test or the call of the
 * returned function.
 */
export function replaceRuns (t: Test, replace: (run: Run) => Promise<QueryResult[]>): () => void {
  const { run } = Session.prototype
  Session.prototype.run = function (queries, continues) {
    const send = (): Promise<QueryResult[]> => run.call(this, queries, continues)
    const lose = async (): Promise<never> => {
      await run.call(this, [rollback], true)
      throw connectionError()
    }
    return replace({ queries, send, lose })
  }
  const restore = (): void => {
    Session.prototype.run = run
  }
  t.teardown(restore)
  return restore
}

/** Fails statements as if the disk of the database were full. Returns what ends it. */
export function fillDisk (t: Test, statement: string): () => void {
  return replaceRuns(t, async ({ queries, send }) => {
    if (!queries.some(({ text }) => text.includes(statement))) return await send()
    throw new PostgresError('No space left on device', '53100', false)
  })
}

/** Error of a connection that is lost. */
export function connectionError (): PostgresError {
  return new PostgresError('Connection terminated', '', true)
}
