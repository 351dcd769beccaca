import type { Test } from 'tap'
import { isLive } from '../../db/postgres/server-tables.ts'
import { createSchema, openCluster, runSql } from '../support/postgres.ts'
import { serve, type Answer, type Running, type Where } from '../support/process.ts'

/** Servers that share a ledger in PostgreSQL, as processes. */

/** Servers of a ledger, in the order of their starts. */
export interface Served {
  db: string
  servers: Running[]
}

/** Starts servers with a ledger of their own. */
export async function serveMany (
  t: Test,
  count: number,
  args: readonly string[] = [],
  where: Where = {}
): Promise<Served> {
  const db = await createSchema(t, (await openCluster()).url)
  const servers: Running[] = []
  for (let n = 0; n < count; n++) servers.push(await serveShared(t, db, args, where))
  return { db, servers }
}

/** Starts one more server with a ledger. */
export function serveShared (
  t: Test,
  db: string,
  args: readonly string[] = [],
  where: Where = {}
): Promise<Running> {
  return serve(t, ['--db', db, ...args], where)
}

/** Returns the server that has an account, if one does. */
export async function ownerOf (
  { db, servers }: Served,
  account = 'default'
): Promise<Running | undefined> {
  const [row] = await runSql(
    db,
    `SELECT url FROM account_owners JOIN accounts ON id = account JOIN servers ON number = owner
    WHERE name = '${account}' AND ${isLive}`
  )
  return servers.find(({ ready }) => ready.url === row?.url)
}

/** Returns the server that has an account, and one that does not. */
export async function partServers (
  served: Served,
  account?: string
): Promise<{ owner: Running; other: Running }> {
  const owner = await ownerOf(served, account)
  const other = served.servers.find((server) => server !== owner)
  if (owner === undefined || other === undefined) throw new Error('no server has the account')
  return { owner, other }
}

/** Kills a server. */
export async function kill (_served: Served, server: Running): Promise<void> {
  await server.stop('SIGKILL')
}

type Call = [method: string, path: string, body?: unknown]

/** Sends calls at once, each to the next server. */
export function sendAll (servers: readonly Running[], calls: readonly Call[]): Promise<Answer[]> {
  return Promise.all(
    calls.map(([method, path, body], n) => servers[n % servers.length].call(method, path, body))
  )
}

/** Sets the money of a wallet in Zambia. */
export async function fillWallet (server: Running, available: string): Promise<void> {
  await server.call('PUT', '/__admin/wallets/ZMB/ZMW', { available })
}

/** Counts equal texts. */
export function countBy (texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

/** Returns the invariants that do not hold. */
export async function listBroken (server: Running): Promise<object[]> {
  const { invariants } = (await server.call('GET', '/__admin/invariants')).body
  return invariants.filter(({ broken }: { broken: number }) => broken > 0)
}

/** Locks rows or tables, as another server would, until the returned function is called. */
export async function holdLock (t: Test, db: string, lock: string): Promise<() => Promise<void>> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(db)
  await client.connect()
  t.teardown(() => client.end())
  await client.query(`BEGIN; ${lock}`)
  return async () => {
    await client.query('COMMIT')
  }
}

/** Stores copies of the only payment, with identifiers of their own. */
export async function copyPayment (db: string, count: number): Promise<void> {
  await runSql(
    db,
    `INSERT INTO payments (ledger, kind, id, version, created, details, plan)
    SELECT ledger, kind, decode(hex, 'hex'), version, created,
      replace(details, details::jsonb ->> 'id', hex::uuid::text), plan
    FROM payments CROSS JOIN generate_series(1, ${count}) AS n
    CROSS JOIN LATERAL (
      SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING 'a' FROM 17) AS hex
    ) AS digits`
  )
}
