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

/** Names of the rows about starts. */
export const startRows: readonly RowName[] = [
  'start',
  'start-dist',
  'create',
  'create-dist',
  'memory',
  'memory-dist'
]

/** Time after the first answer at which a server is idle, for its memory. */
const settleMs = 300

/** Start of a server: milliseconds to its first answer, and its memory when idle, in MiB. */
interface Start {
  ms: number
  memory: number
}

/**
 * Measures some of the rows. The bare app, momock from its source and momock from a build are
 * started in turns, each with a new ledger. The first turn fills the caches and does not count.
 */
export async function measureStarts (
  names: readonly RowName[],
  folder: string,
  { starts }: Pace,
  budgetMs: number
): Promise<Measurement[]> {
  const latest = performance.now() + budgetMs
  const wantsSource = names.includes('start') || names.includes('memory')
  const wantsDist = names.includes('start-dist') || names.includes('memory-dist')
  const wantsCreated = names.includes('create') || names.includes('create-dist')
  const program = names.some((name) => name.endsWith('-dist')) ? buildPackage(folder) : undefined
  const bare: Start[] = []
  const source: Start[] = []
  const dist: Start[] = []
  const created: number[] = []
  const createdFromDist: number[] = []
  const bareCreated: number[] = []
  for (let i = 0; i <= starts && (i < 2 || performance.now() < latest); i++) {
    const db = (what: string): string => join(folder, `start-${what}-${i}.db`)
    if (wantsSource || wantsDist) bare.push(await startServer(bareServer))
    if (wantsSource) {
      source.push(await startServer((port) => momockServer(port, db('source'), 'running')))
    }
    if (wantsDist) {
      dist.push(await startServer((port) => momockServer(port, db('dist'), 'running', program)))
    }
    if (wantsCreated) bareCreated.push(await timeInside(insideProcess('bare')))
    if (names.includes('create')) created.push(await timeInside(insideProcess('momock')))
    if (names.includes('create-dist') && program !== undefined) {
      const file = join(dirname(program), 'index.js')
      createdFromDist.push(await timeInside(insideProcess('momock', file)))
    }
  }
  const all: Measurement[] = [
    compareStarts('start', source, bare, ({ ms }) => ms),
    compareStarts('start-dist', dist, bare, ({ ms }) => ms),
    { name: 'create', momock: created.slice(1), yardstick: bareCreated.slice(1) },
    { name: 'create-dist', momock: createdFromDist.slice(1), yardstick: bareCreated.slice(1) },
    compareStarts('memory', source, bare, ({ memory }) => memory),
    compareStarts('memory-dist', dist, bare, ({ memory }) => memory)
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
