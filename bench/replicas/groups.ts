import { join } from 'node:path'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { databaseUrl, runSql, type Cluster } from '../../test/support/postgres.ts'
import type { Crowd, Load } from '../load.ts'
import { cpuOfFamily, momockServer, serve, type Server } from '../processes.ts'
import { mergeLatencies } from '../results.ts'

/** Servers that share a ledger. */
export interface Group {
  /** Name of their database. */
  name: string
  servers: Server[]
  /** Payments that they have. */
  known: string[]
  stop: () => Promise<void>
}

/** Cost of the requests of a round. */
export interface RoundCost {
  /** Processor time of the servers for one request, in microseconds. */
  servers: number
  /** The same of the database. */
  database: number
  latency: RecordableHistogram
}

/** Starts a server with its ledger in a file. */
export async function startSqlite (folder: string): Promise<Group> {
  const server = await serve(momockServer(0, join(folder, 'ledger.db'), 'frozen'))
  return createGroup('', [server])
}

/** Starts servers that share a ledger in a database of its own. */
export async function startReplicas (
  cluster: Cluster,
  name: string,
  count: number,
  clock: 'frozen' | 'running' = 'frozen'
): Promise<Group> {
  await runSql(cluster.url, `CREATE DATABASE ${name}`)
  const db = databaseUrl(cluster.url, name)
  const servers: Server[] = []
  for (let n = 0; n < count; n++) servers.push(await serve(momockServer(0, db, clock)))
  return createGroup(name, servers)
}

function createGroup (name: string, servers: Server[]): Group {
  return {
    name,
    servers,
    known: [],
    stop: async () => {
      for (const server of servers) await server.stop()
    }
  }
}

/**
 * Accounts of a load: each server gets those that a balancer gives it by their tokens, or all
 * servers get all of them in turn.
 */
export type Accounts = 'hashed' | 'in turn'

const accountCount = 30

function listTokens (accounts: Accounts, server: number, servers: number): string[] {
  const tokens = Array.from({ length: accountCount }, (_, n) => `sandbox-bench-${n}`)
  return accounts === 'hashed' ? tokens.filter((_, n) => n % servers === server) : tokens
}

/** Sends requests to the servers of a group in equal parts, each over its own connections. */
export async function runRound (
  { name, servers, known }: Group,
  cluster: Cluster,
  load: Load,
  count: number,
  { connections = 50, rate }: Crowd = {},
  accounts?: Accounts
): Promise<RoundCost> {
  const readServers = (): number => servers.reduce((sum, server) => sum + server.cpu(), 0)
  // Servers that wait for their turn look for due work from time to time.
  const others = await runSql(
    cluster.url,
    `SELECT pid FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND datname <> '${name}'`
  )
  const except = others.map(({ pid }) => pid)
  const readDatabase = (): number => cpuOfFamily(cluster.pid(), except)
  const before = [readServers(), readDatabase()]
  const share = <T extends number | undefined>(whole: T): T =>
    (whole === undefined ? undefined : Math.ceil(whole / servers.length)) as T
  // With fewer connections to a server, fewer requests would share a transaction.
  const crowd = { connections, rate: share(rate) }
  const rounds = await Promise.all(
    servers.map((server, n) => {
      const tokens = accounts && listTokens(accounts, n, servers.length)
      return load(server, share(count), known, { ...crowd, tokens })
    })
  )
  for (const { ids } of rounds) known.push(...ids)
  const answered = rounds.reduce((sum, { count }) => sum + count, 0)
  return {
    servers: ((readServers() - before[0]) * 1000) / answered,
    database: ((readDatabase() - before[1]) * 1000) / answered,
    latency: mergeLatencies(
      rounds.map(({ latency }) => latency),
      createHistogram()
    )
  }
}
