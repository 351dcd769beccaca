import t from 'tap'

/** Limits of tests: a test that hangs is named, and the others go on. */

const minute = 60_000

/** Options of a test that builds, installs or compiles. */
export const slow = { timeout: 10 * minute }

/** Options of the test that takes longest: an hour with `EXAM_MATRIX=full`. */
export const slowest = { timeout: 60 * minute }

/** Limit of a process in which no test ends. It is longer than the limits of nearly all tests. */
const idleLimitMs = 15 * minute

/** Limit of a test whose options name no other. A busy machine needs long. */
const testLimitMs = 5 * minute

let isLimited = false

/** Limits each test of this process, instead of the process. */
export function limitEachTest (): void {
  if (isLimited) return
  isLimited = true
  copyOptions()
  t.setTimeout(idleLimitMs)
  t.on('subtestEnd', () => t.setTimeout(idleLimitMs))
  const root = t
  t.beforeEach((t) => {
    const { timeout } = t.options
    if (timeout === undefined) t.setTimeout(testLimitMs)
    else if (timeout > idleLimitMs) root.setTimeout(timeout)
  })
}

/**
 * Gives each test a copy of its options. tap removes the limit from them when a test ends, and
 * another test with the same options would have none.
 */
function copyOptions (): void {
  const addTest = t.test as (...parts: unknown[]) => unknown
  const copy = (part: unknown): unknown =>
    typeof part === 'object' && part !== null ? { ...part } : part
  Object.assign(t, { test: (...parts: unknown[]) => addTest(...parts.map(copy)) })
}
