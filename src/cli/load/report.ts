import type { Figures } from './figures.ts'
import type { LimitReport } from './limit-search.ts'
import type { StormReport } from './storm.ts'
import type { LivesReport } from './whole-lives.ts'

/** Content of the reports. */
export interface Report extends Figures {
  momock: string
  url: string
  started: string
  asked: { rate: number; seconds: number; connections: number; mix: string }
  /** True if a signal such as Ctrl-C stopped the run early. */
  interrupted: boolean
  /** Callbacks of a run of whole lives. */
  lives?: LivesReport
  /** Callbacks of a storm. */
  storm?: StormReport
  /** What the mock did not do or tell any more, for example because it has stopped. */
  problems?: string[]
  /** Search for the highest rate. The other figures are of its best step. */
  limit?: LimitReport
}

/** Tells whether everything went as it should. */
export function isFine (report: Report): boolean {
  const { total, lives, storm, limit, interrupted, problems = [] } = report
  const { wrong, errors, timeouts } = total
  if (problems.length > 0) return false
  if (limit !== undefined) return limit.rate > 0
  // A run that was stopped early did not wait for its callbacks.
  const lost = interrupted ? 0 : (lives?.lost ?? 0) + (storm?.unsent ?? 0)
  const refused = storm === undefined ? 0 : storm.sent - storm.acknowledged
  const bad = (lives?.doubled ?? 0) + (lives?.signatures.invalid ?? 0)
  return wrong + errors + timeouts + lost + refused + bad === 0
}

/** Describes by how much a run missed its rate. Returns undefined if it kept the rate. */
export function describeMissedRate ({
  asked: { rate, seconds, connections },
  total,
  interrupted
}: Report): string | undefined {
  const wanted = Math.floor(rate * seconds)
  const sent = total.answers + total.errors + total.timeouts
  if (interrupted || sent >= wanted) return undefined
  return (
    `only ${sent} of ${wanted} requests were sent: ${connections} ` +
    `${connections === 1 ? 'connection is' : 'connections are'} not enough for ${rate} per ` +
    'second; use more with --connections'
  )
}
