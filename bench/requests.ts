import { join } from 'node:path'
import {
  getDeposits,
  postDeposits,
  postV1Deposits,
  repeatDeposits,
  runDeposits,
  type Load
} from './load.ts'
import { bareServer, momockServer, serve, storeServer, type Server } from './processes.ts'
import type { Measurement } from './results.ts'
import { compareRounds, runInTurns, type Pace, type RunRound } from './rounds.ts'
import type { RowName } from './rows.ts'

/** Rows about requests: momock, the bare app and the minimal store take turns. */

type ServerName = 'bare' | 'store' | 'frozen' | 'running'

interface LoadPlan {
  server: ServerName
  run: Load
  before?: Load
  /** Warm-ups of the last size besides those of every load. */
  extraWarmUps?: number
}

/** Command line of each server. The ledgers are in the folder. */
const servers: Record<ServerName, (folder: string) => string[]> = {
  bare: () => bareServer(0),
  store: (folder) => storeServer(0, join(folder, 'store.db')),
  frozen: (folder) => momockServer(0, join(folder, 'frozen.db'), 'frozen'),
  running: (folder) => momockServer(0, join(folder, 'running.db'), 'running')
}

/**
 * Loads, each on a server. Those with `before` need payments, which it makes. Node.js goes on
 * compiling the code of payments that run to their end for 50,000 of them, so these get more
 * rounds that do not count.
 */
const loads = {
  barePost: { server: 'bare', run: postDeposits },
  bareGet: { server: 'bare', run: getDeposits, before: postDeposits },
  storePost: { server: 'store', run: postDeposits },
  frozenPost: { server: 'frozen', run: postDeposits },
  frozenV1: { server: 'frozen', run: postV1Deposits },
  duplicates: { server: 'frozen', run: repeatDeposits, before: postDeposits },
  runningPost: { server: 'running', run: runDeposits, extraWarmUps: 5 },
  runningGet: { server: 'running', run: getDeposits, before: runDeposits }
} as const satisfies Record<string, LoadPlan>

type LoadName = keyof typeof loads

/** Rows with the loads that they compare. */
const comparisons: ReadonlyArray<
  [row: RowName, momock: LoadName, yardstick: LoadName, percentile?: number]
> = [
  ['post', 'frozenPost', 'barePost'],
  ['store', 'frozenPost', 'storePost'],
  ['end', 'runningPost', 'barePost'],
  ['v1', 'frozenV1', 'frozenPost'],
  ['duplicates', 'duplicates', 'barePost'],
  ['get', 'runningGet', 'bareGet'],
  ['p99', 'frozenPost', 'barePost', 99]
]

/** Names of the rows about requests. */
export const requestRows: readonly RowName[] = comparisons.map(([row]) => row)

/** Measures some of the rows. The last round begins before `budgetMs` are over. */
export async function measureRequests (
  names: readonly RowName[],
  folder: string,
  pace: Pace,
  budgetMs: number
): Promise<Measurement[]> {
  const latest = performance.now() + budgetMs
  const chosen = comparisons.filter(([row]) => names.includes(row))
  const needed = (Object.keys(loads) as LoadName[]).filter((load) =>
    chosen.some(([, momock, yardstick]) => momock === load || yardstick === load)
  )
  const running = new Map<ServerName, { server: Server; known: string[] }>()
  for (const { server } of needed.map((load) => loads[load])) {
    if (running.has(server)) continue
    running.set(server, { server: await serve(servers[server](folder)), known: [] })
  }
  try {
    const turns = new Map<LoadName, RunRound>()
    for (const name of needed) turns.set(name, await prepare(name, running, pace))
    const rounds = await runInTurns(turns, pace, latest)
    return chosen.map(([row, momock, yardstick, percentile]) =>
      compareRounds(row, rounds.get(momock), rounds.get(yardstick), percentile)
    )
  } finally {
    await Promise.all([...running.values()].map(({ server }) => server.stop()))
  }
}

async function prepare (
  name: LoadName,
  running: ReadonlyMap<ServerName, { server: Server; known: string[] }>,
  { warmUps }: Pace
): Promise<RunRound> {
  const load: LoadPlan = loads[name]
  const found = running.get(load.server)
  if (found === undefined) throw new Error(`the server ${load.server} is not started`)
  const { server, known } = found
  if (load.before !== undefined) {
    known.push(...(await load.before(server, warmUps[0], known)).ids)
  }
  for (let n = 0; n < (load.extraWarmUps ?? 0); n++) {
    await load.run(server, warmUps[warmUps.length - 1], known)
  }
  return (count) => load.run(server, count, known)
}
