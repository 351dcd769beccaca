import { styleText } from 'node:util'
import type { Line, Second } from './figures.ts'
import { describeLag, describeLimit, describeLives, describeStorm } from './descriptions.ts'
import { showText } from '../../lib/terminal-text.ts'
import { kindNames } from './mix.ts'
import { describeMissedRate, type Report } from './report.ts'

/** Text tables of a load run: one row per second, and the summary. */

/** Seconds below this length are shown with their end time. */
const shortestSecond = 0.9
const columns = ['second', 'answers', ...kindNames, 'p50 ms', 'p99 ms', 'wrong']
const summaryColumns = ['answers', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'wrong']

/** What a run does with callbacks. */
export type CallbackMode = 'none' | 'lives' | 'storm'

/** More columns of a run with callbacks. `life` is the time from acceptance to callback. */
const callbackColumns: Record<CallbackMode, string[]> = {
  none: [],
  lives: ['callbacks', 'open', 'life p99'],
  storm: ['callbacks', 'refused', 'answer p99']
}

/** Returns the head of the table. */
export function formatHead (colours: boolean, mode: CallbackMode): string {
  const head = [...columns, ...callbackColumns[mode]].map((name) => name.padStart(12)).join('')
  return colours ? styleText('bold', head, { validateStream: false }) : head
}

/** Returns the row of a second, in red if it has wrong answers. */
export function formatSecond (
  { second, length, answers, kinds, p50, p99, wrong, lives, storm }: Second,
  colours: boolean
): string {
  const row = [
    length < shortestSecond ? (second - 1 + length).toFixed(1) : second,
    answers,
    ...kindNames.map((kind) => kinds[kind]),
    formatMs(p50),
    formatMs(p99),
    wrong,
    ...(lives === undefined ? [] : [lives.callbacks, lives.open, formatMs(lives.p99)]),
    ...(storm === undefined ? [] : [storm.callbacks, storm.refused, formatMs(storm.p99)])
  ]
    .map((cell) => String(cell).padStart(12))
    .join('')
  return wrong > 0 && colours ? styleText('red', row, { validateStream: false }) : row
}

/** Returns the summary of a run, by kind of request. */
export function formatSummary (report: Report): string {
  const { kinds, total, samples, lives, storm, limit, problems = [] } = report
  const lines = [
    ''.padEnd(12) + summaryColumns.map((cell) => cell.padStart(10)).join(''),
    ...kindNames
      .filter((kind) => kinds[kind].answers > 0)
      .map((kind) => formatLine(kind, kinds[kind])),
    formatLine('all', total)
  ]
  const failures =
    total.errors + total.timeouts === 0
      ? ''
      : `; ${total.errors} connections failed, ${total.timeouts} requests had no answer in time`
  const missedRate = describeMissedRate(report)
  return [
    '',
    ...lines,
    '',
    `${total.perSecond} answers per second${failures}`,
    ...(missedRate === undefined ? [] : [missedRate]),
    ...samples.map((sample) => showText(`wrong: ${sample}`)),
    ...problems.map((problem) => showText(`problem: ${problem}`)),
    ...(lives === undefined
      ? []
      : [...describeLives(lives), ...describeLag(lives)].map(showText)),
    ...(storm === undefined ? [] : describeStorm(storm).map(showText)),
    ...(limit === undefined ? [] : describeLimit(limit)),
    ''
  ].join('\n')
}

function formatLine (name: string, { answers, p50, p90, p99, max, wrong }: Line): string {
  const cells = [answers, ...[p50, p90, p99, max].map(formatMs), wrong]
  return name.padEnd(12) + cells.map((cell) => String(cell).padStart(10)).join('')
}

function formatMs (value: number): string {
  return value.toFixed(1)
}
