import { systemClock, formatTimestamp } from '../lib/clock.ts'
import { hasColours } from '../lib/colour.ts'
import { ConfigError } from '../config/config.ts'
import { chooseClientToken } from '../config/configured.ts'
import { parseDuration } from '../lib/duration.ts'
import { version } from '../lib/package.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { isMomock, probeServer } from './probe.ts'
import { checkReportFiles, writeReports } from './report-files.ts'
import { findMockUrl } from './mock-url.ts'
import { runLoad } from './load/runner.ts'
import { limits } from './load/limits.ts'
import { parseMix } from './load/mix.ts'
import type { LoadPlan } from './load/plan.ts'
import type { Report } from './load/report.ts'
import { formatHead, formatSecond, formatSummary } from './load/table.ts'

const probeTimeoutMs = 3000

/** `momock load`: measures a mock. Progress goes to stderr, results go to stdout. */
export const run: RunCommand = async (input) => {
  const { out, err, env, flags } = input
  const plan = await readPlan(input)
  const result = await probeServer(`${plan.url}/health`, probeTimeoutMs)
  if (!isMomock(result)) {
    // Another program must not receive this load.
    err.write(
      `momock load cannot run: there is no momock at ${plan.url} ` +
        `(${result.problem ?? 'another program answers'}); start one, or set the address ` +
        'with --url\n'
    )
    return exitCodes.address
  }
  const started = formatTimestamp(systemClock.now())
  const colours = hasColours(err, env)
  err.write(`${plan.seconds} s at ${plan.url}, Ctrl-C stops it early\n\n${formatHead(colours)}\n`)
  const stop = stopOnInterrupt()
  const figures = await runLoad(
    plan,
    (second) => err.write(`${formatSecond(second, colours)}\n`),
    stop
  )
  const { rate, seconds, connections } = plan
  const report: Report = {
    momock: version,
    url: plan.url,
    started,
    asked: { rate, seconds, connections, mix: String(flags.mix) },
    interrupted: stop.aborted,
    ...figures
  }
  out.write(formatSummary(report))
  const isWritten = await writeReports(input, {
    json: () => `${JSON.stringify(report, undefined, 2)}\n`,
    html: async () => (await import('./load/page.ts')).renderReport(report)
  })
  const { wrong, errors, timeouts } = figures.total
  return isWritten && wrong + errors + timeouts === 0 ? exitCodes.fine : exitCodes.failed
}

/** Reads the plan from the flags. Throws a ConfigError that names every problem. */
async function readPlan ({ flags, config, folder }: CommandInput): Promise<LoadPlan> {
  const settings = await config()
  const problems: string[] = []
  const milliseconds = parseDuration(flags.duration as string) ?? 0
  if (milliseconds < 1000 || milliseconds > limits.durationMs) {
    problems.push(`--duration must be from '1s' to '5m', got '${String(flags.duration)}'`)
  }
  const round = parseMix(flags.mix as string)
  if (typeof round === 'string') problems.push(`--mix: ${round}`)
  const url = findMockUrl(flags.url, settings, problems)
  if (flags.rate === 0 && !hasLoadGenerator()) {
    problems.push(
      'without --rate, momock load needs the package autocannon; install it with ' +
        'npm install --save-dev autocannon, or set --rate'
    )
  }
  // Checked before the run, so that minutes of measuring are not lost.
  problems.push(...checkReportFiles(reportFlags, flags, folder))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    url,
    token: chooseClientToken(settings),
    round: round as LoadPlan['round'],
    rate: flags.rate as number,
    seconds: milliseconds / 1000,
    connections: flags.connections as number
  }
}

/** Returns true if autocannon is installed. It is optional: it brings 63 more packages. */
function hasLoadGenerator (): boolean {
  try {
    import.meta.resolve('autocannon')
    return true
  } catch {
    return false
  }
}

/** Flags that name a file for a report. */
const reportFlags = ['json', 'html'] as const

/** The first Ctrl-C stops the run and prints its results. The second exits the program. */
function stopOnInterrupt (): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
