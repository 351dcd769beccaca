/** Longest time of a statement, unless the URL says `?statement_timeout=MILLISECONDS`. */
const usualStatementMs = 10_000
/** Time that a reply may need longer than its statement. */
const replyMs = 2000

/** Returns the longest time of a statement, in milliseconds. */
export function readStatementMs (url: string): number {
  const given = Number(new URL(url).searchParams.get('statement_timeout'))
  return given > 0 ? given : usualStatementMs
}

/** Returns the longest wait for a reply: then the connection is given up. */
export function readReplyMs (url: string): number {
  return readStatementMs(url) + replyMs
}

/** Statement that lets a transaction wait between two statements as long as it has to. */
export const longTransaction = 'SET LOCAL idle_in_transaction_session_timeout = 0'

/** Writes statements that limit the wait for locks in a transaction, and nothing else. */
export function limitLockTime (ms: number): string {
  return `SET LOCAL lock_timeout = ${ms}; SET LOCAL statement_timeout = 0`
}
