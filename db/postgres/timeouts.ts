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
