import type { Histogram, RecordableHistogram } from 'node:perf_hooks'
import type { Lag } from '../src/cli/load/lag.ts'
import { findTarget, rowPlans, type RowName, type RowPlan } from './rows.ts'

/** Figures of one row, in rounds: momock and its yardstick took turns. */
export interface Measurement {
  name: RowName
  momock: number[]
  /** Absent if the figure is not a ratio. */
  yardstick?: number[]
  /** Processor time of the server per request in each round, in microseconds. */
  cpu?: { momock: number[]; yardstick?: number[] }
  latency?: { momock: Histogram; yardstick?: Histogram }
  /** Callbacks by their lag. */
  histogram?: Lag['histogram']
  /** What else was seen, such as lost callbacks. */
  notes?: string[]
}

/** Latency in milliseconds at each of the percentiles. */
export type Latencies = number[]

/** Percentiles of the charts. */
export const percentiles = [50, 75, 90, 95, 99, 99.9, 100]

/** Row of the report. */
export interface Result {
  name: RowName
  title: string
  unit: RowPlan['unit']
  /** Medians of the rounds. */
  momock: number
  yardstick?: { name: string; value: number }
  /**
   * Median of the ratios of each pair of rounds, which is steadier than the ratio of the medians.
   */
  ratio?: number
  /** Least and greatest of the ratios, or of the figures: far apart, the machine was busy. */
  range: [number, number]
  rounds: number
  /** Median processor time of the server per request, in microseconds. */
  cpu?: { momock: number; yardstick?: number }
  goal: RowPlan['goal']
  target: number
  isMet: boolean
  latency?: { momock: Latencies; yardstick?: Latencies }
  histogram?: Lag['histogram']
  notes: string[]
}

/** The middle of some numbers. */
export function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Judges the rounds of a row. */
export function judge (measurement: Measurement): Result {
  const { name, momock, yardstick, cpu, latency, histogram, notes = [] } = measurement
  const plan: RowPlan = rowPlans[name]
  const { title, unit, goal } = plan
  const target = findTarget(plan)
  const ratios = yardstick === undefined ? momock : momock.map((value, i) => value / yardstick[i])
  const middle = median(ratios)
  return {
    name,
    title,
    unit,
    momock: median(momock),
    ...(yardstick !== undefined && {
      yardstick: { name: plan.yardstick ?? '', value: median(yardstick) },
      ratio: middle
    }),
    range: [Math.min(...ratios), Math.max(...ratios)],
    rounds: momock.length,
    ...(cpu !== undefined && {
      cpu: {
        momock: median(cpu.momock),
        ...(cpu.yardstick !== undefined && { yardstick: median(cpu.yardstick) })
      }
    }),
    goal,
    target,
    isMet: goal === 'at least' ? middle >= target : middle <= target,
    ...(latency !== undefined && {
      latency: {
        momock: readLatencies(latency.momock),
        ...(latency.yardstick !== undefined && { yardstick: readLatencies(latency.yardstick) })
      }
    }),
    ...(histogram !== undefined && { histogram }),
    notes
  }
}

/** Adds histograms up. */
export function mergeLatencies (
  histograms: RecordableHistogram[],
  into: RecordableHistogram
): RecordableHistogram {
  for (const histogram of histograms) into.add(histogram)
  return into
}

/** Reads the percentiles of a histogram of microseconds, as milliseconds. */
export function readLatencies (histogram: Histogram): Latencies {
  return percentiles.map((percentile) => histogram.percentile(percentile) / 1000)
}
