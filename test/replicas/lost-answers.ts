import type { Test } from 'tap'
import type { Query } from '../../db/postgres/statement-batch.ts'
import { connectionError, replaceRuns } from '../db/session-runs.ts'

/** Loses the answer to the commit after a statement. Returns whether it was lost. */
export function loseCommit (t: Test, isMeant: (query: Query) => boolean): () => boolean {
  let wasSent = false
  let isLost = false
  replaceRuns(t, async ({ queries, send }) => {
    const results = await send()
    wasSent ||= queries.some(isMeant)
    if (isLost || !wasSent || queries.at(-1)?.text !== 'COMMIT') return results
    isLost = true
    throw connectionError()
  })
  return () => isLost
}

/** Loses the connection once, before a statement is sent for the last of so many times. */
export function loseConnectionAt (t: Test, statement: string, times = 1): void {
  let isLost = false
  let count = 0
  replaceRuns(t, ({ queries, send, lose }) => {
    const isMeant = queries.some(({ text }) => text.trim().startsWith(statement))
    if (isLost || !isMeant || ++count < times) return send()
    isLost = true
    return lose()
  })
}
