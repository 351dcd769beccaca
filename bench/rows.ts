/** Rows of the benchmark: what is compared, and the target of the ratio. */

/** Row before it is measured. */
export interface RowPlan {
  title: string
  unit: 'req/s' | 'lives/s' | 'ms' | 'MiB'
  /** What momock is divided by. Without it, the figure itself has the target. */
  yardstick?: string
  /** A rate should be at least its target, a time or memory at most. */
  goal: 'at least' | 'at most'
  /** Target of the ratio, or of the figure; where processors differ, for each of them. */
  target: number | { x64: number; arm64: number }
}

const bare = 'bare'
const post = 'POST /v2/deposits'

/** All rows of the normal run, by name, in the order of the report. */
export const rowPlans = {
  post: {
    title: `${post}, durable, frozen clock`,
    unit: 'req/s',
    yardstick: bare,
    goal: 'at least',
    target: { x64: 0.8, arm64: 0.95 }
  },
  store: {
    title: `${post}, durable, frozen clock`,
    unit: 'req/s',
    yardstick: 'minimal store',
    goal: 'at least',
    target: 1
  },
  end: {
    title: `${post}, run to its end`,
    unit: 'req/s',
    yardstick: bare,
    goal: 'at least',
    target: { x64: 0.6, arm64: 0.7 }
  },
  v1: {
    title: 'POST /deposits (v1)',
    unit: 'req/s',
    yardstick: 'v2',
    goal: 'at least',
    target: 0.95
  },
  duplicates: {
    title: `${post}, duplicates`,
    unit: 'req/s',
    yardstick: bare,
    goal: 'at least',
    target: 0.95
  },
  get: {
    title: 'GET /v2/deposits/{id}',
    unit: 'req/s',
    yardstick: bare,
    goal: 'at least',
    target: 1
  },
  p99: {
    title: `${post}, 99th percentile`,
    unit: 'ms',
    yardstick: bare,
    goal: 'at most',
    target: 1.3
  },
  lives: {
    title: 'whole lives, signed callback recorded',
    unit: 'lives/s',
    yardstick: `${bare} POST`,
    goal: 'at least',
    target: 0.25
  },
  lag: {
    title: 'final to callback, half that rate, p99',
    unit: 'ms',
    goal: 'at most',
    target: 150
  },
  'tls-plain': {
    title: `${post}, plain port beside TLS`,
    unit: 'req/s',
    yardstick: 'without TLS',
    goal: 'at least',
    target: 0.95
  },
  tls: {
    title: `${post}, HTTPS`,
    unit: 'req/s',
    yardstick: 'without TLS',
    goal: 'at least',
    target: 0.5
  },
  'start-dist': {
    title: 'start to first answer',
    unit: 'ms',
    yardstick: bare,
    goal: 'at most',
    target: 1.6
  },
  'create-dist': {
    title: 'createMomock() with its imports',
    unit: 'ms',
    yardstick: bare,
    goal: 'at most',
    target: 1.5
  },
  'memory-dist': {
    title: 'memory (RSS) after the start',
    unit: 'MiB',
    yardstick: bare,
    goal: 'at most',
    target: 1.4
  }
} as const satisfies Record<string, RowPlan>

/** Name of a row. */
export type RowName = keyof typeof rowPlans

/** Names of all rows, in the order of the report. */
export const rowNames = Object.keys(rowPlans) as RowName[]

/** Tells whether a text is the name of a row. */
export function isRowName (text: string): text is RowName {
  return Object.hasOwn(rowPlans, text)
}

/** The target of a row on this processor. Others than these two are treated as x64. */
export function findTarget ({ target }: RowPlan): number {
  if (typeof target === 'number') return target
  return process.arch === 'arm64' ? target.arm64 : target.x64
}
