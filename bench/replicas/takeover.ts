import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUrl, runSql, type Cluster } from '../../test/support/postgres.ts'
import { momockServer, serve, type Server } from '../processes.ts'
import { median } from '../results.ts'

/** Servers that do nothing, and one that is killed. */

const count = 3
const token = 'sandbox-takeover'
/** Longest time until another server answers. */
const longestMs = 30_000

/** Measures idle servers, and how soon another one answers after a kill. Returns the lines. */
export async function measureTakeover (
  cluster: Cluster,
  rounds: number,
  idleSeconds: number
): Promise<string> {
  const name = 'takeover'
  await runSql(cluster.url, `CREATE DATABASE ${name}`)
  const db = databaseUrl(cluster.url, name)
  const start = (): Promise<Server> => serve(momockServer(0, db, 'running'))
  const servers: Server[] = []
  for (let n = 0; n < count; n++) servers.push(await start())
  try {
    const queries = await countTransactions(cluster, name, idleSeconds)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const owner = await findOwner(db, servers)
      const [killed] = servers.splice(owner, 1)
      await killed.kill()
      times.push(await untilAnswered(servers[0]))
      servers.push(await start())
    }
    return [
      `idle server: ${queries.toFixed(2)} transactions per second  under 1: ` +
        (queries < 1 ? 'met' : 'missed'),
      `next answer after a kill: median ${median(times).toFixed(0)} ms ` +
        `(${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})  under 1500: ` +
        (median(times) < 1500 ? 'met' : 'missed'),
      ''
    ].join('\n')
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Counts the transactions of each server in a second in which nobody asks anything. */
async function countTransactions (
  cluster: Cluster,
  database: string,
  seconds: number
): Promise<number> {
  const read = async (): Promise<number> => {
    const [row] = await runSql(
      cluster.url,
      `SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = '${database}'`
    )
    return Number(row.n)
  }
  await sleep(2000)
  const before = await read()
  await sleep(seconds * 1000)
  return ((await read()) - before) / seconds / count
}

/** Returns the place of the server that has the account. */
async function findOwner (db: string, servers: readonly Server[]): Promise<number> {
  await ask(servers[0], '/v2/active-conf')
  const [row] = await runSql(
    db,
    `SELECT url FROM account_owners JOIN accounts ON id = account JOIN servers ON number = owner
    WHERE name = '${token}'`
  )
  return servers.findIndex(({ url }) => url === row.url)
}

async function untilAnswered (server: Server): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < longestMs) {
    if ((await ask(server, '/v2/active-conf'))?.status === 200) break
  }
  return performance.now() - began
}

function ask ({ url }: Server, path: string): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(url + path, { headers }).catch(() => undefined)
}
