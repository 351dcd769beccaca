import type { Test } from 'tap'
import type { AccountWorkParts } from '../../db/account-work.ts'
import { SqlAccounts } from '../../db/accounts.ts'
import { Database } from '../../db/database.ts'
import { SqlDueQueue } from '../../db/due-queue.ts'
import { openEngine } from '../../db/open-engine.ts'
import { SqlOutbox } from '../../db/outbox.ts'
import { shareLedger } from '../../db/postgres/share-ledger.ts'
import { SqlScenarioUses } from '../../db/scenario-uses.ts'
import { firstCallbackQueue, type QueueLeases } from '../../src/domain/due-queue.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
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
  return serve(t, ['--db', db, '--servers', 'many', ...args], where)
}

/** Returns the server that sends the callbacks of an account at the moment, if one does. */
export async function ownerOf (
  { db, servers }: Served,
  account = 'default'
): Promise<Running | undefined> {
  const owners = await runSql(
    db,
    `SELECT DISTINCT owner::int FROM due_leases JOIN accounts ON accounts.id = account
    WHERE queue >= ${firstCallbackQueue} AND name = '${account}'`
  )
  if (owners.length > 1) throw new Error(`${owners.length} servers send callbacks of ${account}`)
  // Servers get their numbers in the order of their starts.
  return owners[0] && servers[owners[0].owner - 1]
}

/** Returns the server that sends the callbacks of an account, and one that does not. */
export async function partServers (
  served: Served
): Promise<{ owner: Running; other: Running }> {
  const owner = await ownerOf(served)
  const other = served.servers.find((server) => server !== owner)
  if (owner === undefined || other === undefined) throw new Error('no server sends callbacks')
  return { owner, other }
}

/** Kills a server, and the others notice it at once. */
export async function kill (served: Served, server: Running): Promise<void> {
  await server.stop('SIGKILL')
  await declareDead(served, server)
}

/** Lets a server count as dead, as if it had been silent for 15 s on the clock of the database. */
export async function declareDead ({ db, servers }: Served, server: Running): Promise<void> {
  await runSql(
    db,
    `UPDATE server_leases SET until = now() - interval '1 s'
    WHERE owner = ${servers.indexOf(server) + 1}`
  )
}

/** Joins the servers of a ledger, without a server. The ledger is left with the test. */
export async function joinLedger (
  t: Test,
  db: string
): Promise<{ database: Database; leases: QueueLeases }> {
  const database = new Database(await openEngine(db, true))
  const { leases } = await shareLedger(database, { systemClock, firstClock: () => undefined })
  t.teardown(async () => {
    await leases.leave()
    await database.close()
  })
  return { database, leases }
}

/** Opens the parts that work on whole accounts needs. */
export function openWorkParts (database: Database): AccountWorkParts {
  const dueQueue = new SqlDueQueue(database)
  const changes = new ChangeListeners((call) => database.afterTransaction(call))
  const outbox = new SqlOutbox(database, dueQueue, changes)
  const accounts = new SqlAccounts(database, { uses: new SqlScenarioUses(database), dueQueue })
  return { database, accounts, outbox }
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
    `INSERT INTO payments (account, kind, id, generation, created, details, plan)
    SELECT account, kind, decode(hex, 'hex'), generation, created,
      replace(details, details::jsonb ->> 'id', hex::uuid::text), plan
    FROM payments CROSS JOIN generate_series(1, ${count}) AS n
    CROSS JOIN LATERAL (
      SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING 'a' FROM 17) AS hex
    ) AS digits`
  )
}
