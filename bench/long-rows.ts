import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '../test/support/server-process.ts'
import { multiplyPayment } from '../test/support/large-ledger.ts'
import { createDeposits } from './bodies.ts'
import { measureCosts } from './costs.ts'
import { measureLives } from './lives.ts'
import { postDeposits } from './load.ts'
import { measurePending } from './pending-million.ts'
import { momockServer, serve } from './processes.ts'
import { formatReport } from './report.ts'
import { judge, median } from './results.ts'
import { runInTurns, type Pace, type RunRound } from './rounds.ts'

/** Rows that take long. `npm run bench -- NAME` runs one of them. */

/** Row that takes long. Prints its figures and returns true if its target is met. */
interface LongRow {
  summary: string
  /** What the number after the name means, and its default. */
  size: { of: string; usual: number }
  /** True if its processes are not pinned to cores: they are started by another script. */
  isUnpinned?: boolean
  run: (size: number, folder: string, pace: Pace) => Promise<boolean>
}

/** Least rate with a large ledger, as a part of the rate with an empty one. */
const leastOfEmpty = 0.9

/** All of them, by name. */
export const longRows: Readonly<Record<string, LongRow>> = {
  'lives-minute': {
    summary: 'the rows lives and lag, sustained for a minute',
    size: { of: 'seconds', usual: 60 },
    run: async (seconds, folder, pace) => {
      const long = { ...pace, livesSeconds: seconds, livesRounds: 1 }
      const results = (await measureLives(['lives', 'lag'], folder, long, 0)).map(judge)
      process.stdout.write(formatReport(results))
      return results.every(({ isMet }) => isMet)
    }
  },
  'stored-million': {
    summary: 'POST with a million stored payments, divided by POST with an empty ledger',
    size: { of: 'payments', usual: 1_000_000 },
    run: async (count, folder, pace) => {
      const db = join(folder, 'stored.db')
      await fillLedger(db, count)
      return await compareWithEmpty(folder, pace, momockServer(0, db, 'frozen'))
    }
  },
  hour: {
    summary: 'POST after an hour of load, divided by POST with an empty ledger',
    size: { of: 'seconds', usual: 3600 },
    run: async (seconds, folder, pace) =>
      await compareWithEmpty(
        folder,
        pace,
        momockServer(0, join(folder, 'hour.db'), 'running'),
        seconds
      )
  },
  'pending-million': {
    summary: 'a million pending payments: memory, and how fast they are moved when due',
    size: { of: 'payments', usual: 1_000_000 },
    run: (count, folder) => measurePending(count, folder)
  },
  costs: {
    summary: 'processor time and bytes of a payment, for docs/project/performance.md',
    size: { of: 'payments', usual: 10_000 },
    run: measureCosts
  },
  'admin-calls': {
    summary: 'calls about an account of 200,000 payments: how long each blocks the event loop',
    size: { of: 'payments', usual: 200_000 },
    isUnpinned: true,
    run: measureAdminCalls
  }
}

/** Runs the calls in a process of their own: the script ends with an error over the limit. */
async function measureAdminCalls (count: number): Promise<boolean> {
  const script = fileURLToPath(new URL('./admin-calls.ts', import.meta.url))
  const [code] = await once(fork(script, [String(count)]), 'exit')
  return code === 0
}

/** Fills a ledger with payments that are complete and whose callbacks were sent. */
async function fillLedger (db: string, count: number): Promise<void> {
  const args = [
    '--clock',
    'frozen',
    '--log-level',
    'error',
    '--callback-url',
    'http://127.0.0.1:9/'
  ]
  const server = await startServer({ db, args })
  const { bodies } = createDeposits(1)
  await server.call('POST', '/v2/deposits', JSON.parse(bodies[0]) as object)
  await server.call('POST', '/__admin/clock/advance', { by: '1h' })
  await server.stop()
  multiplyPayment(db, 1, count)
}

/** Compares a server, after some seconds of load, with another one whose ledger is empty. */
async function compareWithEmpty (
  folder: string,
  pace: Pace,
  args: string[],
  secondsOfLoad = 0
): Promise<boolean> {
  mkdirSync(join(folder, 'empty'))
  const server = await serve(args)
  const end = performance.now() + secondsOfLoad * 1000
  let stored = 0
  while (performance.now() < end) stored += (await postDeposits(server, 10_000, [])).ids.length
  const clock = args[args.indexOf('--clock') + 1] === 'frozen' ? 'frozen' : 'running'
  const empty = await serve(momockServer(0, join(folder, 'empty', 'ledger.db'), clock))
  try {
    const turns = new Map<string, RunRound>([
      ['empty', (count) => postDeposits(empty, count, [])],
      ['full', (count) => postDeposits(server, count, [])]
    ])
    const rounds = await runInTurns(turns, pace, Infinity)
    const [none = [], full = []] = [rounds.get('empty'), rounds.get('full')]
    const ratios = full.map(({ rate }, i) => rate / none[i].rate)
    const cpu = (list: typeof full): string => median(list.map(({ cpu }) => cpu)).toFixed(0)
    const ratio = median(ratios)
    process.stdout.write(
      `${secondsOfLoad > 0 ? `${stored} payments were made in the load\n` : ''}` +
        `${median(full.map(({ rate }) => rate)).toFixed(0)} req/s, with an empty ledger ` +
        `${median(none.map(({ rate }) => rate)).toFixed(0)} req/s: ratio ${ratio.toFixed(2)} ` +
        `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), target >= ` +
        `${leastOfEmpty}; processor time ${cpu(full)} µs and ${cpu(none)} µs; memory ` +
        `${server.memory().toFixed(0)} MiB and ${empty.memory().toFixed(0)} MiB\n`
    )
    return ratio >= leastOfEmpty
  } finally {
    await Promise.all([server.stop(), empty.stop()])
  }
}
