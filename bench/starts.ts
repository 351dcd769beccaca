import { get } from 'node:http'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/ports.ts'
import { buildPackage } from '../test/support/package-build.ts'
import { bareServer, insideProcess, launch, memoryOf, momockServer, stop } from './processes.ts'
import type { Measurement } from './results.ts'
import type { Pace } from './rounds.ts'
import type { RowName } from './rows.ts'

/** Names of the rows about starts. All are of the package. */
export const startRows: readonly RowName[] = ['start-dist', 'create-dist', 'memory-dist']

/** Time after the first answer at which a server is idle, for its memory. */
const settleMs = 300

/** Start of a server: milliseconds to its first answer, and its memory when idle, in MiB. */
interface Start {
  ms: number
  memory: number
}

/**
 * Measures some of the rows. The bare app and the package are started in turns, each time with a
 * new ledger. The first turn fills the caches and does not count.
 */
export async function measureStarts (
  names: readonly RowName[],
  folder: string,
  { starts }: Pace,
  budgetMs: number
): Promise<Measurement[]> {
  const latest = performance.now() + budgetMs
  const program = buildPackage(folder)
  const wantsServers = names.includes('start-dist') || names.includes('memory-dist')
  const bare: Start[] = []
  const momock: Start[] = []
  const created: number[] = []
  const bareCreated: number[] = []
  for (let i = 0; i <= starts && (i < 2 || performance.now() < latest); i++) {
    if (wantsServers) {
      const db = join(folder, `start-${i}.db`)
      bare.push(await startServer(bareServer))
      momock.push(await startServer((port) => momockServer(port, db, 'running', program)))
    }
    if (names.includes('create-dist')) {
      bareCreated.push(await timeInside(insideProcess('bare')))
      created.push(await timeInside(insideProcess('momock', join(dirname(program), 'index.js'))))
    }
  }
  const all: Measurement[] = [
    compareStarts('start-dist', momock, bare, ({ ms }) => ms),
    { name: 'create-dist', momock: created.slice(1), yardstick: bareCreated.slice(1) },
    compareStarts('memory-dist', momock, bare, ({ memory }) => memory)
  ]
  return all.filter(({ name }) => names.includes(name))
}

function compareStarts (
  name: RowName,
  momock: Start[],
  bare: Start[],
  figureOf: (start: Start) => number
): Measurement {
  return {
    name,
    momock: momock.slice(1).map(figureOf),
    yardstick: bare.slice(1).map(figureOf)
  }
}

/** Starts a server until its first answer says that it is healthy, and stops it. */
async function startServer (args: (port: number) => string[]): Promise<Start> {
  const port = await freePort()
  const begin = performance.now()
  const child = launch(args(port))
  child.stdout?.resume()
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null) {
      throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    }
    await sleep(1)
  }
  const ms = performance.now() - begin
  await sleep(settleMs)
  const memory = memoryOf(child.pid ?? 0)
  await stop(child)
  return { ms, memory }
}

/** Milliseconds from the import to listening, in a process that is running, as it says itself. */
async function timeInside (args: string[]): Promise<number> {
  const said = (await text(launch(args).stdout as Readable)).trim().split('\n').at(-1) ?? ''
  return (JSON.parse(said) as { took: number }).took
}

function isHealthy (port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
