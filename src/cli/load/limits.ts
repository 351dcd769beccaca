/**
 * The longest a load may last, and the most it may open: a slip of the keyboard must not keep a
 * machine busy all night.
 */
export const limits = { durationMs: 5 * 60_000, connections: 1000, rate: 100_000 } as const
