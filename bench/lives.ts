import { join } from 'node:path'
import { runWholeLives, type LivesReport } from '../src/cli/load/whole-lives.ts'
import type { Second } from '../src/cli/load/figures.ts'
import { MomockClient } from '../src/client/client.ts'
import { connections, postDeposits, type Round } from './load.ts'
import { bareServer, momockServer, serve, type Server } from './processes.ts'
import { median, type Measurement } from './results.ts'
import { runInTurns, type Pace } from './rounds.ts'
import type { RowName } from './rows.ts'

/**
 * Rows about whole lives: accepted, moved, its callback signed, delivered, acknowledged and
 * recorded. They are driven as `momock load --lives` does, with a receiver in this process.
 */

/** Names of the rows about whole lives. */
export const livesRows: readonly RowName[] = ['lives', 'lag']

/** Rounds of the bare app that do not count: this process is slow at first, too. */
const warmUpRounds = 2
/** Seconds at the start of a round that do not count: no payment is final in the first half. */
const warmUpSeconds = 1

interface LivesRound {
  /** Lives per second. */
  rate: number
  /** Processor time of the server per life, in microseconds. */
  cpu: number
  /** Most payments that waited for their callback. */
  mostOpen: number
  report: LivesReport
}

/** Measures some of the rows. The last round begins before `budgetMs` are over. */
export async function measureLives (
  names: readonly RowName[],
  folder: string,
  pace: Pace,
  budgetMs: number
): Promise<Measurement[]> {
  const latest = performance.now() + budgetMs
  const bare = await serve(bareServer(0))
  const momock = await serve(momockServer(0, join(folder, 'lives.db'), 'running'))
  try {
    const lives: LivesRound[] = []
    const rounds: Round[] = []
    const runBare = async (rounds: number): Promise<Round[]> => {
      const turn = new Map([['bare', (count: number) => postDeposits(bare, count, [])]])
      return (await runInTurns(turn, { ...pace, rounds }, latest)).get('bare') ?? []
    }
    await runBare(warmUpRounds)
    await runLives(momock, 0, pace.livesWarmUp)
    for (let i = 0; i < pace.livesRounds && (i === 0 || performance.now() < latest); i++) {
      rounds.push(...(await runBare(1)))
      lives.push(await runLives(momock, 0, pace.livesSeconds))
    }
    const measured: Measurement[] = []
    if (names.includes('lives')) measured.push(compareLives(lives, rounds))
    if (names.includes('lag')) {
      const rate = Math.max(1, Math.round(median(lives.map(({ rate }) => rate)) / 2))
      measured.push(summariseLag(await runLives(momock, rate, pace.livesSeconds), rate))
    }
    return measured
  } finally {
    await Promise.all([bare.stop(), momock.stop()])
  }
}

async function runLives (server: Server, rate: number, seconds: number): Promise<LivesRound> {
  const before = server.cpu()
  const token = 'test-token'
  const perSecond: Second[] = []
  const { lives: report } = await runWholeLives(
    new MomockClient(server.url, token),
    { url: server.url, token, round: ['initiations'], rate, seconds, connections },
    '127.0.0.1',
    (second) => perSecond.push(second),
    new AbortController().signal
  )
  const steady = perSecond.length > warmUpSeconds ? perSecond.slice(warmUpSeconds) : perSecond
  const sum = (valueOf: (second: Second) => number): number =>
    steady.reduce((total, second) => total + valueOf(second), 0)
  return {
    rate: sum(({ lives }) => lives?.callbacks ?? 0) / sum(({ length }) => length),
    cpu: ((server.cpu() - before) * 1000) / Math.max(1, report.told),
    mostOpen: Math.max(...perSecond.map(({ lives }) => lives?.open ?? 0)),
    report
  }
}

function compareLives (lives: LivesRound[], bare: Round[]): Measurement {
  return {
    name: 'lives',
    momock: lives.map(({ rate }) => rate),
    yardstick: bare.map(({ rate }) => rate),
    cpu: { momock: lives.map(({ cpu }) => cpu), yardstick: bare.map(({ cpu }) => cpu) },
    notes: describeCallbacks(lives)
  }
}

function summariseLag (round: LivesRound, rate: number): Measurement {
  const { lag } = round.report
  if (lag === undefined) throw new Error('no lag: the clock of the account is not the system clock')
  return {
    name: 'lag',
    momock: [lag.p99],
    cpu: { momock: [round.cpu] },
    histogram: lag.histogram,
    notes: [
      `at ${rate} lives per second; median ${lag.p50.toFixed(0)} ms, maximum ` +
        `${lag.max.toFixed(0)} ms`,
      ...describeCallbacks([round])
    ]
  }
}

function describeCallbacks (rounds: LivesRound[]): string[] {
  const sum = (valueOf: (report: LivesReport) => number): number =>
    rounds.reduce((total, { report }) => total + valueOf(report), 0)
  return [
    `${sum(({ told }) => told)} callbacks, ${sum(({ lost }) => lost)} lost, ` +
      `${sum(({ doubled }) => doubled)} doubled; of the checked signatures ` +
      `${sum(({ signatures }) => signatures.verified)} valid, ` +
      `${sum(({ signatures }) => signatures.invalid)} not; at most ` +
      `${Math.max(...rounds.map(({ mostOpen }) => mostOpen))} lives open`
  ]
}
