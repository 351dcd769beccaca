import { select } from './catalogue.ts'
import { TargetProblem, type Check } from './check.ts'
import { verdicts } from '../reports/exam/verdict.ts'
import { buildEnvironment } from '../client/admin-connection.ts'
import type { ExamConfig } from './config.ts'
import { systemClock, version, type CreateMock, type MomockClient } from './mock.ts'
import { openPort } from './ports.ts'
import { preflight } from './preflight.ts'
import { MerchantProcess } from './process.ts'
import type { Report, Result } from '../reports/exam/report.ts'
import { runChecks, type Progress } from './runner.ts'
import { settingsOf, type Limits } from './settings.ts'
import { ShownReport } from './shown-report.ts'
import { refuseStrangers } from './targets.ts'
import { fillDeep, variablesIn, type Values } from './template.ts'
import { verificationIn, type Language } from './verification.ts'
import { openMock, usualPort, usualToken, Workplace } from './workplace.ts'

/** An exam from its configuration to its report. */

export interface ExamOptions {
  config: ExamConfig
  createMock: CreateMock
  checks?: readonly Check[]
  seed?: string
  parallel?: number
  /** The folder that commands are run in; the current one, when left out. */
  folder?: string
  language?: Language
  /** Other limits than those of the service, for tests of the exam itself. */
  limits?: Partial<Limits>
  progress?: Progress & { ready?: (mockUrl: string, token: string) => void }
  stop?: AbortSignal
}

export interface Examined {
  report: Report
  /** Address of the report in a mock that was running before. */
  shownAt?: string
  /** Why the application could not be examined to the end, if so. */
  problem?: TargetProblem
}

/** Examines an application. A problem before the first check is thrown as a TargetProblem. */
export async function examine ({
  config,
  createMock,
  checks = select([]).checks,
  seed = 'exam',
  parallel = 1,
  folder = process.cwd(),
  language,
  limits,
  progress = {},
  stop = new AbortController().signal
}: ExamOptions): Promise<Examined> {
  const started = systemClock.now()
  await refuseStrangers(config)
  if (parallel > 1) refuseSharing(config)
  const workplaces: Workplace[] = []
  const close = async (): Promise<void> => {
    await Promise.all(workplaces.map((workplace) => workplace.close()))
  }
  try {
    const opening = { config, createMock, seed, folder, stop, ...(limits && { limits }) }
    for (let n = 0; n < parallel; n++) workplaces.push(await openWorkplace(n, opening))
    const [first] = workplaces
    progress.ready?.(first.mock.url, first.mock.token)
    const control = await preflight(first, stop).catch((error: unknown) => {
      if (!stop.aborted) throw error
    })
    const verification = language === undefined ? undefined : verificationIn(language)
    const facts = { config: first.settings.config, started, seed, depth: first.settings.depth }
    const shown = new ShownReport(first.mock, checks.length, (results, reason) =>
      reportOf(results, { ...facts, reason })
    )
    const { results, problem } = await runChecks({
      checks,
      workplaces,
      progress: {
        ...progress,
        ended: (result) => {
          progress.ended?.(result)
          shown.add(result)
        }
      },
      stop,
      ...(control !== undefined && { control }),
      ...(verification !== undefined && { verification })
    })
    const expected = results.map((result) => withExpectation(result, config.expect ?? {}))
    const reason = stop.aborted
      ? 'the exam was interrupted'
      : (problem?.message ?? undriven(expected, first.settings.depth))
    const report = reportOf(expected, { ...facts, ...(reason !== undefined && { reason }) })
    await shown.finish(report)
    const trouble =
      problem ?? (reason === undefined || stop.aborted ? undefined : new TargetProblem(reason))
    const shownAt = config.mock?.url === undefined ? undefined : await linkTo(first.mock)
    return {
      report,
      ...(shownAt !== undefined && { shownAt }),
      ...(trouble !== undefined && { problem: trouble })
    }
  } finally {
    await close()
  }
}

/** Writes the address of the report of an account. A browser sends no token, so it names it. */
async function linkTo (mock: MomockClient): Promise<string> {
  const url = `${mock.url.replace(/\/+$/, '')}/__admin/exam`
  const name = await mock.account().then(
    (account) => account.name,
    () => mock.token
  )
  return `${url}?account=${encodeURIComponent(name)}`
}

/** Opens a mock and starts the application with it, if it is started by a command. */
async function openWorkplace (
  n: number,
  {
    config,
    createMock,
    seed,
    folder,
    stop,
    limits
  }: {
    config: ExamConfig
    createMock: CreateMock
    seed: string
    folder: string
    stop: AbortSignal
    limits?: Partial<Limits>
  }
): Promise<Workplace> {
  const values: Values = variablesIn(config).includes('port')
    ? { port: String(await openPort()) }
    : {}
  // Only known values are filled in. The others follow when a payment is started.
  const own = fillDeep(config, values) as ExamConfig
  const mock = await openMock(own, createMock, seed, n === 0 ? (own.mock?.port ?? usualPort) : 0)
  const settings = settingsOf(own, seed, folder, limits)
  if (own.start === undefined) return new Workplace(mock, settings, values)
  const { command, ready, timeout, env = {} } = own.start
  const merchant = new MerchantProcess(
    {
      command,
      ready,
      folder,
      ...(timeout !== undefined && { timeout }),
      env: {
        ...environmentOf(mock.url, mock.token, own, values),
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
      }
    },
    stop
  )
  const workplace = new Workplace(mock, settings, values, merchant)
  try {
    await merchant.start()
    return workplace
  } catch (error) {
    await workplace.close()
    throw error
  }
}

/** Variables that an application is started with. */
function environmentOf (
  url: string,
  token: string,
  { callback }: ExamConfig,
  { port }: Values
): Record<string, string> {
  return {
    ...buildEnvironment(url, token),
    PAWAPAY_CALLBACK_URL: callback,
    PAWAPAY_SIGNED_CALLBACKS: 'true',
    MOMOCK_EXAM: 'true',
    ...(port !== undefined && { PORT: port })
  }
}

/** Several checks at once need an application for each of them. */
function refuseSharing (config: ExamConfig): void {
  const problem =
    config.start === undefined
      ? 'needs start.command: every check that runs beside another needs an application of its own'
      : config.mock?.url !== undefined
        ? 'does not go together with mock.url: the signing keys of one mock are shared'
        : variablesIn(config.callback).includes('port')
          ? undefined
          : 'needs {{port}} in callback, start.ready, drive and observe: each application gets ' +
            'a port of its own in PORT'
  if (problem !== undefined) throw new TargetProblem(`--parallel ${problem}`, true)
}

function withExpectation (result: Result, expect: Readonly<Record<string, string>>): Result {
  return result.id in expect ? { ...result, expected: expect[result.id] } : result
}

/** Why a report without any driven check is none, if so. */
function undriven (results: readonly Result[], depth: number): string | undefined {
  const driven = results.filter(
    ({ depth, verdict }) => !depth.startsWith('0') && verdict !== 'SKIPPED'
  )
  const wanted = results.some(({ depth }) => !depth.startsWith('0'))
  const reason = results.find(({ because }) =>
    because.startsWith('no deposit was accepted')
  )?.because
  return depth > 0 && wanted && driven.length === 0 && reason !== undefined
    ? `the application could not be driven: ${reason}`
    : undefined
}

function reportOf (
  checks: Result[],
  {
    config,
    started,
    seed,
    depth,
    reason
  }: { config: ExamConfig; started: number; seed: string; depth: number; reason?: string }
): Report {
  const counts = Object.fromEntries(
    verdicts.map((verdict) => [
      verdict,
      checks.filter((result) => result.verdict === verdict).length
    ])
  )
  return {
    target: config.callback,
    started: new Date(started).toISOString(),
    ended: new Date(systemClock.now()).toISOString(),
    summary: {
      depth,
      passed: counts.PASSED,
      failed: counts.FAILED,
      warning: counts.WARNING,
      review: counts.REVIEW,
      skipped: counts.SKIPPED,
      seed,
      version,
      ...(reason !== undefined && { interrupted: reason })
    },
    checks
  }
}

export { usualPort, usualToken }
