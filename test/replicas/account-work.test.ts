import t, { type Test } from 'tap'
import { AccountWork } from '../../db/account-work.ts'
import { insertWork, type Work } from '../../db/stored-work.ts'
import { lockQueue } from '../../src/domain/due-queue.ts'
import { fillDisk } from '../db/session-runs.ts'
import { requests } from '../support/examples.ts'
import { build, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { loseCommit, loseConnectionAt } from './lost-answers.ts'
import { copyPayment, joinLedger, openWorkParts } from './servers.ts'

/** Work on whole accounts, when servers lose their connection, stop or start meanwhile. */

/** Account of the tests, which is the default account of a server. */
const account = 1
/** Payments that a reset does not delete in one transaction. */
const manyPayments = 20_000

/** Stores a payment that no server reads. */
async function storePayment (db: string): Promise<void> {
  await runSql(
    db,
    `INSERT INTO payments (account, kind, id, generation, created, details, plan)
    VALUES (${account}, 1, '', 'v2', 1, '{}', '{}')`
  )
}

/** What is left of work: payments, stored work and locks. */
interface Left {
  payments: number
  work: number
  locks: number
}

/** Returns what is left of work. */
async function listLeft (db: string): Promise<Left> {
  const [left] = await runSql(
    db,
    `SELECT (SELECT count(*) FROM payments)::int AS payments,
      (SELECT count(*) FROM unfinished_work)::int AS work,
      (SELECT count(*) FROM due_leases WHERE queue = ${lockQueue})::int AS locks`
  )
  return left as Left
}

/** Joins the servers of a ledger with the work on accounts. */
async function join (t: Test, db: string) {
  const { database, leases } = await joinLedger(t, db)
  return { database, leases, work: new AccountWork(openWorkParts(database)) }
}

async function createLedger (t: Test): Promise<string> {
  return await createSchema(t, (await openCluster()).url)
}

for (const servers of ['one', 'many'] as const) {
  const name = `a reset whose commit was not answered is done, with --servers ${servers}`
  t.test(name, postgresOptions, async (t) => {
    const db = await createLedger(t)
    const { call } = await build(t, { db, servers, clock: 'frozen' })
    await call('POST', '/v2/deposits', requests.v2.deposit!())
    await copyPayment(db, manyPayments)
    const isLost = loseCommit(t, ({ text }) => text.startsWith('INSERT INTO unfinished_work'))
    t.equal((await call('POST', '/__admin/reset')).status, 200)
    t.ok(isLost())
    t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 0 })
  })
}

t.test('a lock whose commit was not answered is ended', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { call } = await build(t, { db, servers: 'many' })
  const { database } = await join(t, db)
  loseCommit(
    t,
    ({ text, values }) => text.startsWith('INSERT INTO due_leases') && values.includes(lockQueue)
  )
  t.equal((await call('POST', '/__admin/snapshots', { name: 'one' })).status, 503)
  t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 1 })
  t.equal(await database.write(account, () => 'done'), 'done', 'on another server')
  t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 0 })
})

t.test('work adopts a lock of a dead server, and its work', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { call } = await build(t, { db, servers: 'many' })
  await storePayment(db)
  await runSql(
    db,
    `INSERT INTO unfinished_work (work)
    VALUES ('{"kind":"clear","account":${account},"keep":[]}');
    INSERT INTO due_leases (account, queue, owner)
    SELECT ${account}, ${lockQueue}, owner FROM server_leases`
  )
  t.equal((await call('POST', '/__admin/snapshots', { name: 'one' })).status, 201)
  t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 0 })
})

t.test('a start leaves an import to the server that does it', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const [server, other] = [await join(t, db), await join(t, db)]
  await server.work.runLocked(-account, async () => {
    const deletion: Work = { kind: 'deleteCopy', account, snapshot: 1, lock: -account }
    await server.database.write(undefined, () => insertWork(server.database.connection, deletion))
    await other.work.finishAll()
    t.strictSame(await listLeft(db), { payments: 0, work: 1, locks: 1 })
  })
  await other.work.finishAll()
  t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 0 })
})

t.test('work that another server has done is not done again', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { work } = await join(t, db)
  await storePayment(db)
  const done: Work = { kind: 'clear', account, keep: [] }
  await work.runLocked(account, () => work.finishUntilDone(99, done))
  t.match(await listLeft(db), { payments: 1 })
})

t.test('a server that stops leaves its work to another one', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const [server, other] = [await join(t, db), await join(t, db)]
  await storePayment(db)
  const stopped = server.work.runLocked(account, async () => {
    await server.database.write(undefined, () =>
      insertWork(server.database.connection, { kind: 'clear', account, keep: [] })
    )
    server.database.isStopping = true
    throw new Error('the server stops')
  })
  await t.rejects(stopped, /the server stops/)
  t.strictSame(await listLeft(db), { payments: 1, work: 1, locks: 1 })
  await server.leases.leave()
  t.strictSame(await other.leases.recoverDead(), [account])
  await other.work.lockAndFinish(account)
  t.strictSame(await listLeft(db), { payments: 0, work: 0, locks: 0 })
})

/** Statements of a snapshot at which the connection is lost: a first one, and the last. */
const snapshotStatements = ['INSERT INTO snapshot_payments', 'UPDATE snapshots SET account']
for (const servers of ['one', 'many'] as const) {
  for (const statement of snapshotStatements) {
    const name = `a snapshot stays if its replacement fails: ${statement}, --servers ${servers}`
    t.test(name, postgresOptions, async (t) => {
      const db = await createLedger(t)
      const { call } = await build(t, { db, servers, clock: 'frozen' })
      await call('POST', '/v2/deposits', requests.v2.deposit!())
      await copyPayment(db, manyPayments)
      const take = async (): Promise<number> =>
        (await call('POST', '/__admin/snapshots', { name: 'one' })).status
      t.equal(await take(), 201)
      loseConnectionAt(t, statement)
      t.equal(await take(), 503)
      t.match((await call('GET', '/__admin/snapshots')).body, { snapshots: [{ name: /^one$/ }] })
      t.equal(await take(), 201, 'the name is free again')
      const [left] = await runSql(
        db,
        `SELECT (SELECT count(*) FROM snapshots)::int AS snapshots,
          (SELECT count(*) FROM snapshot_payments)::int AS payments`
      )
      t.strictSame(left, { snapshots: 1, payments: manyPayments + 1 }, 'nothing else is left')
    })
  }
}

t.test('a copy that cannot be deleted yet delays no request', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { call } = await build(t, { db, servers: 'many', clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await copyPayment(db, manyPayments)
  loseConnectionAt(t, 'UPDATE snapshots SET account')
  const makeRoom = fillDisk(t, 'DELETE FROM snapshot_')
  t.equal((await call('POST', '/__admin/snapshots', { name: 'one' })).status, 503)
  for (let i = 0; i < 3; i++) {
    t.equal((await call('GET', '/__admin/payments?limit=1')).status, 200)
    t.equal((await call('POST', '/__admin/snapshots', { name: `more-${i}` })).status, 201)
  }
  makeRoom()
  const isGone = ({ work }: { work: number }): boolean => work === 0
  t.match(await until(() => listLeft(db), isGone), { work: 0 }, 'it is deleted later')
})

t.test('work with only the lock for other servers goes on', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { database, work } = await join(t, db)
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = database.sharing!.runLocked(account, async () => {
    begun.resolve()
    await released.promise
    return await database.write(account, () => 'first')
  })
  await begun.promise
  const second = work.runLocked(account, async () => 'second')
  await database.write(undefined, () => {})
  released.resolve()
  t.strictSame(await Promise.all([first, second]), ['first', 'second'])
  t.match(await listLeft(db), { locks: 0 })
})

t.test('a lock is adopted, also if the transaction is done again', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { database, leases, work } = await join(t, db)
  await runSql(
    db,
    `INSERT INTO due_leases (account, queue, owner)
    VALUES (${account}, ${lockQueue}, ${leases.owner})`
  )
  const failing = database.write(undefined, () => {
    throw new Error('this work fails')
  })
  await Promise.all([t.rejects(failing), work.lockAndFinish(account)])
  t.match(await listLeft(db), { locks: 0 })
})

t.test('while a server stops, a lock of failed work can be adopted', postgresOptions, async (t) => {
  const db = await createLedger(t)
  const { database, work } = await join(t, db)
  const failed = work.runLocked(account, async () => {
    database.isStopping = true
    throw new Error('this work fails')
  })
  await t.rejects(failed)
  t.match(await listLeft(db), { locks: 1 })
  await work.lockAndFinish(account)
  t.match(await listLeft(db), { locks: 0 })
})
