import t, { type Test } from 'tap'
import { AccountWork } from '../../db/account-work.ts'
import type { Database } from '../../db/database.ts'
import { lockQueue } from '../../src/domain/due-queue.ts'
import { isUnavailable } from '../../src/domain/ledger-error.ts'
import { fillDisk } from '../db/session-runs.ts'
import { requests } from '../support/examples.ts'
import { build, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { loseConnectionAt } from './lost-answers.ts'
import { joinLedger, openWorkParts, serveMany } from './servers.ts'

/** Locks of accounts that a server has taken over, or has lost, and what uses the accounts then. */

const account = 1

interface Joined {
  db: string
  database: Database
  owner: number
  work: AccountWork
}

async function join (t: Test): Promise<Joined> {
  const db = await createSchema(t, (await openCluster()).url)
  const { database, leases } = await joinLedger(t, db)
  return { db, database, owner: leases.owner, work: new AccountWork(openWorkParts(database)) }
}

/** Stores work of a dead server, whose lock this server has taken over. */
async function takeOver ({ db, owner }: Joined, work: object): Promise<void> {
  await runSql(
    db,
    `INSERT INTO unfinished_work (work) VALUES ('${JSON.stringify(work)}');
    INSERT INTO due_leases (account, queue, owner) VALUES (${account}, ${lockQueue}, ${owner})`
  )
}

/** Locks the account for a server that does not exist. */
async function lockElsewhere (db: string): Promise<void> {
  await runSql(
    db,
    `INSERT INTO due_leases (account, queue, owner) VALUES (${account}, ${lockQueue}, 999)`
  )
}

/** Counts stored work and locks. */
async function countLeft (db: string): Promise<object> {
  const [left] = await runSql(
    db,
    `SELECT (SELECT count(*) FROM unfinished_work)::int AS work,
      (SELECT count(*) FROM due_leases WHERE queue = ${lockQueue})::int AS locks`
  )
  return left
}

/** Lets all work be done that was handed in before, and some that follows from it. */
async function doWork (database: Database): Promise<void> {
  for (let i = 0; i < 10; i++) await database.write(undefined, () => {})
}

t.test('a lock stays until the work of a dead server is done', postgresOptions, async (t) => {
  const joined = await join(t)
  const { db, database, work } = joined
  await takeOver(joined, { kind: 'clear', account, keep: [] })
  loseConnectionAt(t, 'SELECT number, work')
  await t.rejects(work.lockAndFinish(account), /Connection terminated|cannot be reached/)
  t.strictSame(await countLeft(db), { work: 1, locks: 1 })
  const uses: string[] = []
  const used = database.write(account, () => {}).then(() => uses.push('used'))
  await doWork(database)
  t.strictSame(uses, [], 'this server does not use the account, either')
  await work.lockAndFinish(account)
  await used
  t.strictSame(uses, ['used'])
  t.strictSame(await countLeft(db), { work: 0, locks: 0 })
})

t.test('an account is used only after the work of a dead server', postgresOptions, async (t) => {
  const joined = await join(t)
  const { database, work } = joined
  await takeOver(joined, { kind: 'clear', account, keep: [] })
  const done: string[] = []
  const used = database.write(account, () => {}).then(() => done.push('used'))
  await doWork(database)
  await work.runLocked(account, async () => {
    await database.write(account, () => {})
    done.push('own work')
  })
  await used
  t.strictSame(done, ['own work', 'used'])
})

t.test('a lost lock is not taken again before its work ends', postgresOptions, async (t) => {
  const { db, database, work } = await join(t)
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done: string[] = []
  const first = work.runLocked(account, async () => {
    begun.resolve()
    await released.promise
    done.push('first')
  })
  await begun.promise
  // Another server has taken it over, and ended it.
  await runSql(db, `DELETE FROM due_leases WHERE queue = ${lockQueue}`)
  const second = database.sharing!.runLocked(account, async () => done.push('second'))
  await doWork(database)
  t.strictSame(done, [])
  released.resolve()
  await Promise.all([first, second])
  t.strictSame(done, ['first', 'second'])
  t.match(await countLeft(db), { locks: 0 })
})

t.test('a start does not wait for a copy that cannot be deleted', postgresOptions, async (t) => {
  const { db, work } = await join(t)
  const deletion = { kind: 'deleteCopy', account, snapshot: 1 }
  await runSql(db, `INSERT INTO unfinished_work (work) VALUES ('${JSON.stringify(deletion)}')`)
  fillDisk(t, 'DELETE FROM snapshot')
  await work.finishAll()
  t.strictSame(await countLeft(db), { work: 1, locks: 0 })
})

t.test('requests of a locked account fail with the connection', postgresOptions, async (t) => {
  const { database, work } = await join(t)
  const { connection } = database
  const released = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const locked = work.runLocked(account, () => {
    begun.resolve()
    return released.promise
  })
  await begun.promise
  const waiting = database.write(account, () => 'done')
  loseConnectionAt(t, 'SELECT 1 AS lost')
  const lost = database.write(undefined, () => connection.prepare('SELECT 1 AS lost').get())
  for (const one of [lost, waiting]) {
    t.ok(isUnavailable(await one.catch((error: unknown) => error)))
  }
  released.resolve()
  await locked
  t.equal(await database.write(account, () => 'done'), 'done')
})

t.test('a statement that takes too long fails no other request', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const { database } = await joinLedger(t, `${db}&statement_timeout=500`)
  const { connection } = database
  const released = Promise.withResolvers<void>()
  const locked = database.runLocked(account, () => released.promise)
  await doWork(database)
  const waiting = database.write(account, () => 'done')
  const long = database.write(undefined, () => connection.prepare('SELECT pg_sleep(9)').get())
  await t.rejects(long, /statement timeout/)
  released.resolve()
  await locked
  t.equal(await waiting, 'done')
})

t.test('a server that stops does not wait for a lock', postgresOptions, async (t) => {
  const { db, database } = await join(t)
  await lockElsewhere(db)
  const waiting = database.write(account, () => {}).catch((error: unknown) => error)
  await doWork(database)
  database.isStopping = true
  t.ok(isUnavailable(await waiting))
})

t.test('a lock that was lost and taken over stays', postgresOptions, async (t) => {
  const joined = await join(t)
  const { db, database, owner, work } = joined
  await work.runLocked(account, async () => {
    // Others have finished the work of this server, and one of them died during work of its own.
    await runSql(db, `DELETE FROM server_leases WHERE owner = ${owner}; DELETE FROM due_leases`)
    await takeOver(joined, { kind: 'clear', account, keep: [] })
    await database.write(undefined, () => {})
  })
  t.strictSame(await countLeft(db), { work: 1, locks: 1 })
  await work.lockAndFinish(account)
  t.strictSame(await countLeft(db), { work: 0, locks: 0 })
})

t.test('work of the server that has a lock does not wait for it', postgresOptions, async (t) => {
  const { db, database } = await join(t)
  const released = Promise.withResolvers<void>()
  const locked = database.runLocked(account, async () => {
    await released.promise
    return await database.write(account, () => 'done')
  })
  await doWork(database)
  await lockElsewhere(db)
  // The transaction is begun by other work.
  const other = database.write(undefined, () => {})
  released.resolve()
  await other
  await runSql(db, 'DELETE FROM due_leases')
  t.equal(await locked, 'done')
})

t.test('a start creates fixtures after the work of a dead server', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const options = { db, servers: 'many' as const, clock: 'frozen' as const }
  const payment = { kind: 'deposit' as const, request: requests.v2.deposit!() }
  const fixtures = [{ payments: [payment] }]
  const first = await build(t, { ...options, fixtures })
  await first.app.close()
  await runSql(
    db,
    `UPDATE accounts SET state = '{}';
    INSERT INTO unfinished_work (work)
    VALUES ('{"kind":"clear","account":${account},"keep":[]}')`
  )
  await lockElsewhere(db)
  const { call } = await build(t, { ...options, fixtures })
  t.equal((await call('GET', '/__admin/payments')).body.payments.length, 1)
  t.strictSame(await countLeft(db), { work: 0, locks: 0 })
})

t.test('during its stop delay, a server waits for a locked account', postgresOptions, async (t) => {
  const { db, servers: [server] } = await serveMany(t, 1, ['--stop-delay', '10m'])
  const { database } = await joinLedger(t, db)
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locked = database.sharing!.runLocked(account, () => {
    begun.resolve()
    return released.promise
  })
  await begun.promise
  server.process.kill('SIGTERM')
  const isReady = async (): Promise<boolean> =>
    (await server.call('GET', '/ready')).status === 200
  await until(isReady, (ready) => !ready)
  const reset = server.call('POST', '/__admin/reset')
  t.equal((await server.call('GET', '/health')).status, 200)
  released.resolve()
  await locked
  t.equal((await reset).status, 200)
})
