import { readFileSync } from 'node:fs'
import type { Result } from './results.ts'

/** Comparison of two runs of the benchmark. */

/** Change that counts as slower: a tenth. */
const tolerance = 0.1

/** Content of the JSON file of a run. */
export interface SavedRun {
  settings: Record<string, unknown>
  results: Result[]
}

/** Change of a row. */
export interface Change {
  name: string
  before: number
  after: number
  /** Worse by this part: 0.2 is a fifth slower. Negative if it became better. */
  worse: number
  isSlower: boolean
  /** The rounds of both runs overlap, so the change may be chance. */
  isUncertain: boolean
}

/** Reads the file of an earlier run. Throws an error that names the file. */
export function readRun (file: string): SavedRun {
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as SavedRun
    if (!Array.isArray(run.results)) throw new Error('it has no results')
    return run
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`--compare: ${file} is not a file of npm run bench (${reason})`)
  }
}

/** Compares the rows that both runs have, by their ratios. */
export function compareRuns (before: readonly Result[], after: readonly Result[]): Change[] {
  return after.flatMap((now) => {
    const then = before.find(({ name }) => name === now.name)
    if (then === undefined) return []
    const [old, current] = [then.ratio ?? then.momock, now.ratio ?? now.momock]
    const worse = now.goal === 'at least' ? 1 - current / old : current / old - 1
    return {
      name: now.name,
      before: old,
      after: current,
      worse,
      isSlower: worse > tolerance,
      isUncertain: now.range[0] <= then.range[1] && then.range[0] <= now.range[1]
    }
  })
}

/** Returns a line for each row, the slower ones marked. */
export function formatChanges (changes: readonly Change[], file: string): string {
  const lines = changes.map(({ name, before, after, worse, isSlower, isUncertain }) => {
    const percent = `${Math.abs(worse * 100).toFixed(0)} % ${worse > 0 ? 'slower' : 'faster'}`
    const mark = isSlower ? `SLOWER${isUncertain ? ', but the rounds overlap' : ''}` : ''
    const figures = `${before.toFixed(2).padStart(8)} → ${after.toFixed(2).padStart(8)}`
    return `${name.padEnd(14)}${figures}  ${percent.padStart(12)}  ${mark}`.trimEnd()
  })
  const slower = changes.filter(({ isSlower }) => isSlower).length
  const summary =
    slower === 0
      ? 'no row is slower by more than a tenth'
      : `${slower} of ${changes.length} rows are slower by more than a tenth`
  return [`compared with ${file}:`, ...lines, summary, ''].join('\n')
}
