import type { Test } from 'tap'
import { Channel, PostgresError } from '../../db/postgres/channel.ts'
import type { Query } from '../../db/postgres/messages.ts'

/** Ends a transaction, as PostgreSQL does when its connection is lost. */
const rollback: Query = { kind: 'rollback', name: 'rollback', text: 'ROLLBACK', values: [] }

/** Loses the answer to the commit after a statement. Returns whether it was lost. */
export function loseCommit (t: Test, isMeant: (query: Query) => boolean): () => boolean {
  const { send } = Channel.prototype
  let wasSent = false
  let isLost = false
  Channel.prototype.send = function (request) {
    const results = send.call(this, request)
    const queries = request.kind === 'run' ? request.queries : []
    wasSent ||= queries.some(isMeant)
    if (isLost || !wasSent || queries.at(-1)?.text !== 'COMMIT') return results
    isLost = true
    throw new PostgresError({ message: 'Connection terminated', isLost })
  }
  t.teardown(() => {
    Channel.prototype.send = send
  })
  return () => isLost
}

/** Loses the connection once, before a statement is sent for the last of so many times. */
export function loseConnectionAt (t: Test, statement: string, times = 1): void {
  const { send } = Channel.prototype
  let isLost = false
  let count = 0
  Channel.prototype.send = function (request) {
    const queries = request.kind === 'run' ? request.queries : []
    const isMeant = queries.some(({ text }) => text.trim().startsWith(statement))
    if (isLost || !isMeant || ++count < times) return send.call(this, request)
    isLost = true
    send.call(this, { kind: 'run', queries: [rollback], continues: true })
    throw new PostgresError({ message: 'Connection terminated', isLost })
  }
  t.teardown(() => {
    Channel.prototype.send = send
  })
}
