import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createCluster,
  postgresOptions,
  runSql,
  type Cluster
} from '../../test/support/postgres.ts'
import { getDeposits, postDeposits, type Crowd, type Load } from '../load.ts'
import { pinSelf } from '../processes.ts'
import { median } from '../results.ts'
import { describeSettings } from '../settings.ts'
import { watchTables } from './bloat.ts'
import { measureTakeover } from './takeover.ts'
import { runRound, startReplicas, startSqlite } from './groups.ts'
import type { Accounts, Group, RoundCost } from './groups.ts'

/**
 * `npm run bench:replicas`: the ledger in PostgreSQL beside the ledger in a file, and several
 * servers beside one. All take turns, so that whatever else the machine does hits all of them. The
 * figures are processor times, because the servers, the database and the load share the cores.
 */

/** How long and how often is measured. */
interface Pace {
  /** Rounds of a load that do not count: the compiler of Node.js needs some. */
  warmUps: number
  rounds: number
  /** Requests of a round. */
  count: number
}

const usualPace: Pace = { warmUps: 5, rounds: 7, count: 12_000 }
const quickPace: Pace = { warmUps: 1, rounds: 1, count: 900 }

const usage = `npm run bench:replicas                      all rows, in about seven minutes
npm run bench:replicas -- bloat [MINUTES]   size of the tables under load, 10 minutes
--rounds N   rounds of each load, ${usualPace.rounds}
--quick      over in seconds, and means little
`

type GroupName = 'sqlite' | 'one' | 'hashed' | 'turns'

/** Number of servers of each group in PostgreSQL. */
const replicas: Record<Exclude<GroupName, 'sqlite'>, number> = { one: 1, hashed: 3, turns: 3 }

/** Files of the log of the database, of 16 MB each: enough for all rounds. */
const logFiles = 100

interface LoadPlan {
  group: GroupName
  load: Load
  crowd: Crowd
  accounts?: Accounts
  /** True if the servers have had such requests in a load before: one round is enough then. */
  isWarm?: boolean
}

/** Payments whose status is checked. A merchant checks the same ones until they are final. */
const checkedCount = 4000

/** Checks the status of deposits. */
const checkDeposits: Load = (server, count, known, crowd) =>
  getDeposits(server, count, known.slice(0, checkedCount), crowd)

/** Loads on the server with SQLite, for both parts. */
const sqlite = {
  post: { group: 'sqlite', load: postDeposits, crowd: {} },
  get: { group: 'sqlite', load: checkDeposits, crowd: {} }
} as const

/**
 * Loads on a server that is alone. They come first, without the others: those look for due work
 * from time to time, and ten waiting requests are delayed by each look.
 */
const loadsOfOne = {
  sqlitePost: sqlite.post,
  postgresPost: { group: 'one', load: postDeposits, crowd: {} },
  sqliteFew: { group: 'sqlite', load: postDeposits, crowd: { connections: 10 }, isWarm: true },
  postgresFew: { group: 'one', load: postDeposits, crowd: { connections: 10 }, isWarm: true },
  sqliteGet: sqlite.get,
  postgresGet: { group: 'one', load: checkDeposits, crowd: {} }
} as const satisfies Record<string, LoadPlan>

/** Loads of many accounts, on one server and on several. */
const loadsOfMany = {
  oneAccounts: { group: 'one', load: postDeposits, crowd: {}, accounts: 'hashed' },
  hashedAccounts: { group: 'hashed', load: postDeposits, crowd: {}, accounts: 'hashed' },
  accountsInTurn: { group: 'turns', load: postDeposits, crowd: {}, accounts: 'in turn' }
} as const satisfies Record<string, LoadPlan>

const loads = { ...loadsOfOne, ...loadsOfMany }

type LoadName = keyof typeof loads

const serversOf = ({ servers }: RoundCost): number => servers
const allOf = ({ servers, database }: RoundCost): number => servers + database
const p99Of = ({ latency }: RoundCost): number => latency.percentile(99)

/**
 * Ratio of the figures of two loads, and its limit. It is at least a part of the requests per
 * processor second of the yardstick, or at most a multiple of its cost.
 */
type Row = [
  title: string,
  figure: LoadName,
  yardstick: LoadName,
  read: (cost: RoundCost) => number,
  goal: 'at least' | 'at most',
  target: number
]

const rows: Row[] = [
  ['POST, server alone', 'postgresPost', 'sqlitePost', serversOf, 'at least', 0.9],
  ['POST, with the database', 'postgresPost', 'sqlitePost', allOf, 'at least', 0.65],
  ['GET, server alone', 'postgresGet', 'sqliteGet', serversOf, 'at least', 0.9],
  ['POST, p99 at 50 connections', 'postgresPost', 'sqlitePost', p99Of, 'at most', 1],
  ['POST, p99 at 10 connections', 'postgresFew', 'sqliteFew', p99Of, 'at most', 1],
  ['three servers, hashing balancer', 'hashedAccounts', 'oneAccounts', serversOf, 'at most', 1.15],
  ['three servers, in turn', 'accountsInTurn', 'oneAccounts', serversOf, 'at most', 1.7]
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: String(usualPace.rounds) },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})
process.exitCode = await run()

/** Runs what the arguments ask for. Returns the exit code. */
async function run (): Promise<number> {
  const [command, minutes = '10'] = positionals
  if (values.help || (command !== undefined && command !== 'bloat')) {
    process.stdout.write(usage)
    return values.help ? 0 : 2
  }
  if (postgresOptions.skip !== false) {
    process.stdout.write(`${postgresOptions.skip}: nothing is measured\n`)
    return 1
  }
  const folder = mkdtempSync(join(tmpdir(), 'momock-bench-'))
  // As durable as the file: an answer means that the data is on disk.
  const cluster = await createCluster([
    'fsync = on',
    'synchronous_commit = on',
    'min_wal_size = 2GB',
    'max_wal_size = 4GB'
  ])
  try {
    if (command === 'bloat') return await watchTables(cluster, Number(minutes) * 60)
    if (!values.quick) await createLogFiles(cluster)
    const isPinned = !values.quick && pinSelf()
    const settings = describeSettings({ isPinned, rounds: values.rounds })
    process.stdout.write(`${JSON.stringify(settings)}\n`)
    const pace = values.quick ? quickPace : { ...usualPace, rounds: Number(values.rounds) }
    const costs = await measure(cluster, folder, pace)
    process.stdout.write(formatCosts(costs) + formatRows(costs))
    const idleSeconds = values.quick ? 1 : 20
    process.stdout.write(await measureTakeover(cluster, pace.rounds, idleSeconds))
    return 0
  } finally {
    cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Creates files for the log of the database. A database that has run for some time uses its old
 * files again. A new one fills a file of 16 MB with zeros, and all requests wait for it.
 */
async function createLogFiles ({ url }: Cluster): Promise<void> {
  for (let i = 0; i < logFiles; i++) {
    await runSql(url, "SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
  }
  await runSql(url, 'CHECKPOINT')
}

type Costs = Map<LoadName, RoundCost[]>

async function measure (cluster: Cluster, folder: string, pace: Pace): Promise<Costs> {
  const groups = new Map<GroupName, Group>([['sqlite', await startSqlite(folder)]])
  const costs: Costs = new Map()
  try {
    for (const part of [loadsOfOne, loadsOfMany]) {
      await measurePart(cluster, groups, Object.keys(part) as LoadName[], pace, costs)
    }
    return costs
  } finally {
    for (const group of groups.values()) await group.stop()
  }
}

/** Runs some loads in turns. Only the servers that they need run meanwhile. */
async function measurePart (
  cluster: Cluster,
  groups: Map<GroupName, Group>,
  names: readonly LoadName[],
  { warmUps, rounds, count }: Pace,
  costs: Costs
): Promise<void> {
  const needed = new Set<GroupName>(names.map((name) => loads[name].group))
  for (const name of new Set(groups.keys()).difference(needed)) {
    await groups.get(name)?.stop()
    groups.delete(name)
  }
  for (const name of needed) {
    if (name === 'sqlite' || groups.has(name)) continue
    groups.set(name, await startReplicas(cluster, name, replicas[name]))
  }
  const runOne = (name: LoadName, count: number): Promise<RoundCost> => {
    const { group, load, crowd, accounts }: LoadPlan = loads[name]
    return runRound(groups.get(group)!, cluster, load, count, crowd, accounts)
  }
  // Each of several servers gets as many requests as the only one.
  for (const name of names) {
    const { group, isWarm }: LoadPlan = loads[name]
    const { servers } = groups.get(group)!
    const turns = isWarm === true ? 1 : warmUps
    for (let i = 0; i < turns; i++) await runOne(name, count * servers.length)
  }
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    for (const name of names) {
      costs.set(name, [...(costs.get(name) ?? []), await runOne(name, count)])
    }
  }
}

function formatCosts (costs: Costs): string {
  const lines = [...costs].map(([name, rounds]) => {
    const [servers, database, p99] = [
      (cost: RoundCost) => cost.servers,
      (cost: RoundCost) => cost.database,
      (cost: RoundCost) => p99Of(cost) / 1000
    ].map((read) => median(rounds.map(read)))
    const figures = [
      `${servers.toFixed(0)} µs`,
      `${database.toFixed(0)} µs`,
      `${p99.toFixed(1)} ms`
    ]
    return name.padEnd(14) + figures.map((figure) => figure.padStart(11)).join('')
  })
  return ['a request         servers   database        p99', ...lines, '', ''].join('\n')
}

function formatRows (costs: Costs): string {
  const lines = rows.map(([title, figure, yardstick, read, goal, target]) => {
    const of = (costs.get(figure) ?? []).map(read)
    const by = (costs.get(yardstick) ?? []).map(read)
    const ratios = of.map((cost, i) => (goal === 'at least' ? by[i] / cost : cost / by[i]))
    const ratio = median(ratios)
    const isMet = goal === 'at least' ? ratio >= target : ratio <= target
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    return (
      `${title.padEnd(38)}${ratio.toFixed(2)}  (${range})  ` +
      `${goal} ${target}: ${isMet ? 'met' : 'missed'}`
    )
  })
  return [...lines, ''].join('\n')
}
