/**
 * Switch of the tests that take long. `npm test` skips them and lists them; `npm run test:full` and
 * continuous integration run them.
 */
export const isFull = ['on', 'night'].includes(process.env.TEST_FULL ?? '')

const reason = 'takes long: npm run test:full'

/** Options of a test that takes long. */
export const long = { skip: isFull ? false : reason, timeout: 10 * 60_000 }

/**
 * Options of a test that needs the machine for itself: it measures, or runs a benchmark. No change
 * depends on it: only `npm run test:night` runs it.
 */
export const nightly = {
  ...long,
  skip: process.env.TEST_FULL === 'night' ? false : 'measures: npm run test:night'
}

/** Options of a test that takes long, and that can also be skipped for another reason. */
export function makeLong<T extends { skip: string | false }> (options: T): T {
  return options.skip === false ? { ...options, ...long } : options
}
