import { statSync } from 'node:fs'
import { join } from 'node:path'
import { runWholeLives } from '../src/cli/load/whole-lives.ts'
import { MomockClient } from '../src/client/client.ts'
import { connections, getDeposits, postDeposits, runDeposits } from './load.ts'
import { momockServer, serve, type Server } from './processes.ts'

/** Cost of one payment, for the model of docs/project/performance.md. */
interface Cost {
  /** Processor time of the server, in microseconds. */
  cpu: number
  /** Size of the ledger after the server has stopped, in bytes. */
  stored: number
  /** Bytes written to disk, with the log of the database; 0 where the system does not tell. */
  written: number
}

const token = 'test-token'

/** Most payments that are made before those that count: then Node.js has compiled the code. */
const mostWarmUps = 20_000

/**
 * Measures what a payment costs: accepted only, run to its end, with its callback; and a status
 * check. Each is on a ledger of its own. Prints a table.
 */
export async function measureCosts (count: number, folder: string): Promise<boolean> {
  const rows: Array<[what: string, cost: Cost]> = []
  for (const [what, clock, run] of [
    ['accepted', 'frozen', postDeposits],
    ['run to its end', 'running', runDeposits]
  ] as const) {
    const cost = await measureCost(
      folder,
      what,
      clock,
      async (server, payments) => {
        await run(server, payments, [])
        return payments
      },
      count
    )
    rows.push([what, cost])
  }
  const lives = async (server: Server, payments: number): Promise<number> =>
    await runLives(server, payments)
  rows.push(['with its callback', await measureCost(folder, 'lives', 'running', lives, count)])
  process.stdout.write(formatCosts(rows))
  process.stdout.write(`status check: ${(await measureChecks(folder, count)).toFixed(0)} µs\n`)
  return true
}

async function measureCost (
  folder: string,
  name: string,
  clock: 'frozen' | 'running',
  run: (server: Server, count: number) => Promise<number>,
  count: number
): Promise<Cost> {
  const db = join(folder, `${name.replaceAll(' ', '-')}.db`)
  const server = await serve(momockServer(0, db, clock))
  const before = await run(server, Math.min(count, mostWarmUps))
  const [cpu, written] = [server.cpu(), server.written()]
  const made = await run(server, count)
  const spent = {
    cpu: ((server.cpu() - cpu) * 1000) / made,
    written: (server.written() - written) / made
  }
  await server.stop()
  return { ...spent, stored: statSync(db).size / (before + made) }
}

/** Makes payments and waits for their callbacks. Returns how many there were. */
async function runLives (server: Server, count: number): Promise<number> {
  // About half of what one process does.
  const rate = 1000
  const { lives } = await runWholeLives(
    new MomockClient(server.url, token),
    {
      url: server.url,
      token,
      round: ['initiations'],
      rate,
      seconds: Math.max(1, count / rate),
      connections
    },
    '127.0.0.1',
    () => {},
    new AbortController().signal
  )
  return lives.told
}

async function measureChecks (folder: string, count: number): Promise<number> {
  const server = await serve(momockServer(0, join(folder, 'checks.db'), 'running'))
  try {
    const warmUps = Math.min(count, mostWarmUps)
    const { ids } = await runDeposits(server, warmUps, [])
    await getDeposits(server, warmUps, ids)
    return (await getDeposits(server, count, ids)).cpu
  } finally {
    await server.stop()
  }
}

function formatCosts (rows: ReadonlyArray<[what: string, cost: Cost]>): string {
  const lines = rows.map(
    ([what, { cpu, stored, written }]) =>
      `${what.padEnd(20)}${cpu.toFixed(0).padStart(8)} µs${stored.toFixed(0).padStart(10)} B` +
      `${written.toFixed(0).padStart(10)} B`
  )
  return ['a payment                cpu    stored   written', ...lines, ''].join('\n')
}
