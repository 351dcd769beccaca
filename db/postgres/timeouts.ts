import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'

/** Longest time of a statement, unless the URL says `?statement_timeout=MILLISECONDS`. */
const usualStatementMs = 10_000
/** Time that a reply may need longer than its statement. */
const replyMs = 2000

/** Throws a LedgerUnusableError if the URL has a time of a statement that is no number. */
export function refuseWrongTimeout (url: string, place: string): void {
  const given = new URL(url).searchParams.get('statement_timeout')
  if (given === null || /^[1-9]\d{0,8}$/.test(given)) return
  throw new LedgerUnusableError(
    `statement_timeout of ${place} must be a number of milliseconds from 1, got '${given}'`,
    'correct the URL'
  )
}

/** Returns the longest time of a statement, in milliseconds. */
export function readStatementMs (url: string): number {
  const given = Number(new URL(url).searchParams.get('statement_timeout'))
  return given > 0 ? given : usualStatementMs
}

/** Returns the longest wait for a reply: then the connection is given up. */
export function readReplyMs (url: string): number {
  return readStatementMs(url) + replyMs
}
