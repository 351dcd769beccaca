import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { systemClock, formatTimestamp } from '../../lib/clock.ts'
import { ConfigError } from '../../config/config.ts'
import { demoToken } from '../../config/configured.ts'
import { parseDuration } from '../../lib/duration.ts'
import { version } from '../../lib/version.ts'
import { exitCodes, type CommandInput, type RunCommand } from '../command.ts'
import { probe, isMomock } from '../probe.ts'
import { mockUrl } from '../mock-url.ts'
import type { Line, Second } from './figures.ts'
import { runLoad } from './runner.ts'
import { limits } from './limits.ts'
import { kindNames, parseMix } from './mix.ts'
import type { LoadPlan } from './plan.ts'
import { missedRate, type Report } from './report.ts'

/**
 * `momock load`: how fast is it here, and does it stay right? Progress goes to the standard error,
 * the figures to the output.
 */

const patienceMs = 3000

export const run: RunCommand = async (asked) => {
  const plan = await planOf(asked)
  const visit = await probe(`${plan.url}/health`, patienceMs)
  if (!isMomock(visit)) {
    // Whatever else is there, it did not ask for this.
    asked.err.write(
      `momock load cannot run: there is no momock at ${plan.url} ` +
        `(${visit.problem ?? 'something else answers'}); start one, or say where it is with ` +
        '--url\n'
    )
    return exitCodes.address
  }
  const started = formatTimestamp(systemClock.now())
  asked.err.write(`${plan.seconds} s at ${plan.url}, Ctrl-C ends it early\n\n${tableHead(asked)}\n`)
  const stop = onInterrupt()
  const figures = await runLoad(
    plan,
    (second) => asked.err.write(`${tableRow(second, asked)}\n`),
    stop
  )
  const { mix } = asked.flags as { mix: string }
  const report: Report = {
    momock: version,
    url: plan.url,
    started,
    asked: { rate: plan.rate, seconds: plan.seconds, connections: plan.connections, mix },
    interrupted: stop.aborted,
    ...figures
  }
  asked.out.write(summary(report))
  return (await keep(report, asked)) &&
    figures.total.wrong + figures.total.errors + figures.total.timeouts === 0
    ? exitCodes.fine
    : exitCodes.failed
}

/** What was asked for, or every reason why that cannot be. */
async function planOf ({ flags, config, folder }: CommandInput): Promise<LoadPlan> {
  const settings = await config()
  const problems: string[] = []
  const milliseconds = parseDuration(flags.duration as string) ?? 0
  if (milliseconds < 1000 || milliseconds > limits.durationMs) {
    problems.push(`--duration must be from '1s' to '5m', got '${String(flags.duration)}'`)
  }
  const round = parseMix(flags.mix as string)
  if (typeof round === 'string') problems.push(`--mix: ${round}`)
  const url = mockUrl(flags.url, settings, problems)
  // It would be a pity to hear of it after minutes of measuring.
  for (const flag of reports) problems.push(...unwritable(flag, flags[flag], folder))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    url,
    token: demoToken(settings),
    round: round as LoadPlan['round'],
    rate: flags.rate as number,
    seconds: milliseconds / 1000,
    connections: flags.connections as number
  }
}

/** The flags that name a file for a report. */
const reports = ['json', 'html'] as const

/**
 * Why a report cannot be written where it should be. Tried, because permissions do not say it all;
 * nothing is left of it.
 */
function unwritable (flag: string, path: unknown, folder: string): string[] {
  if (typeof path !== 'string') return []
  const file = resolve(folder, path)
  const isNew = !existsSync(file)
  try {
    closeSync(openSync(file, 'a'))
    if (isNew) rmSync(file)
    return []
  } catch (error) {
    return [`--${flag}: ${path} cannot be written (${(error as Error).message})`]
  }
}

/** The first Ctrl-C ends the run and tells what there is; the second ends the program. */
function onInterrupt (): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}

/** A second that is shorter is told with its end. */
const shortest = 0.9
const columns = ['second', 'answers', ...kindNames, 'p50 ms', 'p99 ms', 'wrong']

function tableHead ({ err }: CommandInput): string {
  return styleText('bold', columns.map((name) => name.padStart(12)).join(''), { stream: err })
}

function tableRow (
  { second, length, answers, kinds, p50, p99, wrong }: Second,
  { err }: CommandInput
): string {
  const cells = [
    length < shortest ? (second - 1 + length).toFixed(1) : second,
    answers,
    ...kindNames.map((kind) => kinds[kind]),
    ms(p50),
    ms(p99),
    wrong
  ].map((cell) => String(cell).padStart(12))
  return wrong > 0 ? styleText('red', cells.join(''), { stream: err }) : cells.join('')
}

/** What it came to, by kind. */
function summary (report: Report): string {
  const { kinds, total, samples } = report
  const row = (name: string, { answers, p50, p90, p99, max, wrong }: Line): string =>
    [
      name.padEnd(12),
      ...[answers, ms(p50), ms(p90), ms(p99), ms(max), wrong].map((cell) =>
        String(cell).padStart(10)
      )
    ].join('')
  const head = [
    '            ',
    ...['answers', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'wrong'].map((cell) => cell.padStart(10))
  ].join('')
  const lines = [
    head,
    ...kindNames.filter((kind) => kinds[kind].answers > 0).map((kind) => row(kind, kinds[kind])),
    row('all', total)
  ]
  const failures =
    total.errors + total.timeouts === 0
      ? ''
      : `; ${total.errors} connections failed, ${total.timeouts} requests got no answer in time`
  const rate = missedRate(report)
  return (
    `\n${lines.join('\n')}\n\n${total.perSecond} answers a ` +
    `second${failures}\n${rate === undefined ? '' : `${rate}\n`}${samples.map((sample) => `wrong: ${sample}\n`).join('')}`
  )
}

/** Writes the reports that were asked for. */
async function keep (
  report: Report,
  { flags: { json, html }, folder, out, err }: CommandInput
): Promise<boolean> {
  const texts = [
    [json, async () => `${JSON.stringify(report, undefined, 2)}\n`],
    [html, async () => (await import('./page.ts')).reportPage(report)]
  ] as const
  let kept = true
  for (const [path, text] of texts) {
    if (typeof path !== 'string') continue
    try {
      writeFileSync(resolve(folder, path), await text())
      out.write(`wrote ${path}\n`)
    } catch (error) {
      err.write(`${path} cannot be written (${(error as Error).message})\n`)
      kept = false
    }
  }
  return kept
}

function ms (value: number): string {
  return value.toFixed(1)
}
