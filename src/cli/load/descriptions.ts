import type { Lag } from './lag.ts'
import type { LimitReport } from './limit-search.ts'
import type { StormReport } from './storm.ts'
import type { LivesReport } from './whole-lives.ts'

/** Lines about the callbacks of a run and about the search for its limit. */

const longestBar = 40

/** Describes the callbacks of a run of whole lives. */
export function describeLives (lives: LivesReport): string[] {
  const { told, lost, doubled, unknown, signatures } = lives
  const { verified, invalid, problem } = signatures
  const checked = verified + invalid
  return [
    `${told} callbacks arrived, ${lost} were lost, ${doubled} came twice` +
      (unknown === 0 ? '' : `, ${unknown} were of other payments`),
    checked === 0
      ? 'no signature was checked'
      : `${verified} of ${checked} checked signatures are valid` +
        (problem === undefined ? '' : `; the first that is not: ${problem}`)
  ]
}

/** Describes the lag of the callbacks with a histogram. */
export function describeLag ({ lag, lagUnknown }: LivesReport): string[] {
  return lag === undefined ? [`the lag is not known: ${lagUnknown}`] : drawLag(lag)
}

function drawLag ({ measured, p50, p90, p99, max, histogram }: Lag): string[] {
  if (measured === 0) return []
  const most = Math.max(...histogram.map(({ callbacks }) => callbacks))
  const last = histogram.findLastIndex(({ callbacks }) => callbacks > 0)
  const bars = histogram.slice(0, last + 1).map(({ upTo, callbacks }) => {
    const label = upTo === undefined ? 'more' : `<= ${upTo} ms`
    const bar = '█'.repeat(Math.ceil((callbacks / most) * longestBar))
    return `${label.padStart(12)} ${String(callbacks).padStart(8)} ${bar}`.trimEnd()
  })
  const times = [`p50 ${p50.toFixed(1)}`, `p90 ${p90.toFixed(1)}`, `p99 ${p99.toFixed(1)}`]
  return [
    `lag from the final state to the callback, ms: ${times.join(', ')}, max ${max.toFixed(1)}`,
    ...bars
  ]
}

/** Describes what the receiver of a storm answered. */
export function describeStorm (storm: StormReport): string[] {
  const { url, sent, acknowledged, answers, unsent, p50, p90, p99, max } = storm
  const counts = Object.entries(answers).map(([answer, count]) => `${count} × ${answer}`)
  return [
    `${sent} callbacks were sent to ${url}, ${acknowledged} were acknowledged` +
      (unsent === 0 ? '' : `, ${unsent} were not sent`),
    ...(counts.length === 0 ? [] : [`answers: ${counts.join(', ')}`]),
    `time of its answers, ms: p50 ${p50.toFixed(1)}, p90 ${p90.toFixed(1)}, p99 ` +
      `${p99.toFixed(1)}, max ${max.toFixed(1)}`,
    ...(sent === acknowledged ? [] : ['the mock tries refused callbacks again'])
  ]
}

/** Describes the steps of a search, and the highest rate that was kept. */
export function describeLimit ({ boundMs, rate, steps }: LimitReport): string[] {
  const rows = steps.map(
    ({ rate, p99, isKept, reason }) =>
      `${String(rate).padStart(12)} per second  p99 ${p99.toFixed(1).padStart(8)} ms  ` +
      (isKept ? 'kept' : `not kept: ${reason ?? ''}`)
  )
  return [
    ...rows,
    rate === 0
      ? `no rate was kept with a p99 of at most ${boundMs} ms`
      : `highest rate with a p99 of at most ${boundMs} ms: ${rate} requests per second`
  ]
}
