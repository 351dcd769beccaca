/** Limits of a run, so that a typing error does not keep a machine busy for hours. */
export const limits = {
  durationMs: 5 * 60_000,
  connections: 1000,
  rate: 100_000,
  p99Ms: 10_000
} as const
