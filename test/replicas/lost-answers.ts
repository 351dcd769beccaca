import type { Test } from 'tap'
import { Channel, PostgresError } from '../../db/postgres/channel.ts'
import type { Query } from '../../db/postgres/messages.ts'

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
