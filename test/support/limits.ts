import t from 'tap'

/** Limits of tests: a test that hangs is named, and the others go on. */

const minute = 60_000

/** Options of a test that builds, installs or compiles. */
export const slow = { timeout: 10 * minute }

/** Limit of a process in which no test ends. It is longer than the limits of the tests. */
const idleLimitMs = 15 * minute

let testLimitMs = 0

/**
 * Limits each test of this process, instead of the process. The options of a test can name another
 * limit. In a process with several test files, the longest limit counts.
 */
export function limitEachTest (ms = 2 * minute): void {
  const isFirst = testLimitMs === 0
  testLimitMs = Math.max(testLimitMs, ms)
  if (!isFirst) return
  t.setTimeout(idleLimitMs)
  t.on('subtestEnd', () => t.setTimeout(idleLimitMs))
  t.beforeEach((t) => {
    if (t.options.timeout === undefined) t.setTimeout(testLimitMs)
  })
}
