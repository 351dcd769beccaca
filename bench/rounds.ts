import { createHistogram } from 'node:perf_hooks'
import { connections, type Round } from './load.ts'
import { mergeLatencies, type Measurement } from './results.ts'
import type { RowName } from './rows.ts'

/** How long and how often is measured. */
export interface Pace {
  /** Length of a round. */
  seconds: number
  rounds: number
  /** Requests of each warm-up; those after the first take at most about a second. */
  warmUps: number[]
  /** Pairs of starts. */
  starts: number
  /** Seconds of whole lives that do not count. */
  livesWarmUp: number
  /** Length of a round of whole lives, and number of them. */
  livesSeconds: number
  livesRounds: number
}

/** Rounds of load of one kind. */
export type RunRound = (count: number) => Promise<Round>

/**
 * Warms every load up, then runs them one after the other, round by round. The last warm-up says
 * how many requests fill the time. On a busy machine no round but the first begins after `latest`.
 */
export async function runInTurns<Name extends string> (
  loads: Map<Name, RunRound>,
  { seconds, rounds, warmUps }: Pick<Pace, 'seconds' | 'rounds' | 'warmUps'>,
  latest: number
): Promise<Map<Name, Round[]>> {
  const counts = new Map<Name, number>()
  for (const [name, load] of loads) {
    let rate = Infinity
    for (const count of warmUps) rate = (await load(Math.ceil(Math.min(count, rate)))).rate
    counts.set(name, Math.max(connections, Math.round(rate * seconds)))
  }
  const results = new Map<Name, Round[]>([...loads.keys()].map((name) => [name, []]))
  for (let round = 0; round < rounds && (round === 0 || performance.now() < latest); round++) {
    for (const [name, load] of loads) {
      results.get(name)?.push(await load(counts.get(name) ?? connections))
    }
  }
  return results
}

/** Compares rounds that were run in turns: by their rates, or by a percentile of the answers. */
export function compareRounds (
  name: RowName,
  momock: readonly Round[] = [],
  yardstick: readonly Round[] = [],
  percentile?: number
): Measurement {
  const figureOf = ({ rate, latency }: Round): number =>
    percentile === undefined ? rate : latency.percentile(percentile) / 1000
  const cpuOf = ({ cpu }: Round): number => cpu
  const latencyOf = ({ latency }: Round): Round['latency'] => latency
  return {
    name,
    momock: momock.map(figureOf),
    yardstick: yardstick.map(figureOf),
    cpu: { momock: momock.map(cpuOf), yardstick: yardstick.map(cpuOf) },
    latency: {
      momock: mergeLatencies(momock.map(latencyOf), createHistogram()),
      yardstick: mergeLatencies(yardstick.map(latencyOf), createHistogram())
    }
  }
}
