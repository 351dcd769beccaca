import t from 'tap'
import { firstCallbackQueue, lockQueue } from '../../src/domain/due-queue.ts'
import { isFull } from '../support/full.ts'
import { patient, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import {
  declareDead,
  holdLock,
  joinLedger,
  partServers,
  serveMany,
  serveShared
} from './servers.ts'

/** Servers that stall, start together or share keys. */

t.test('a stalled server stores no result of work it has lost', postgresOptions, async (t) => {
  const merchant = await patient(t)
  const served = await serveMany(t, 2, ['--callback-url', merchant.url])
  const { depositId } = deposit()
  await served.servers[0].call('POST', '/v2/deposits', deposit(depositId))
  const first = await merchant.next()
  const { owner: stalled, other } = await partServers(served)
  stalled.process.kill('SIGSTOP')
  await declareDead(served, stalled)
  const second = await merchant.next()
  second.answer(200)
  const list = async (server: Running): Promise<any[]> =>
    (await server.call('GET', '/__admin/callbacks')).body.callbacks
  await until(
    () => list(other),
    ([{ state }]) => state === 'ACKNOWLEDGED'
  )
  first.answer(500)
  stalled.process.kill('SIGCONT')
  const { status } = await stalled.call('GET', `/v2/deposits/${depositId}`)
  t.equal(status, 200, 'it answers again')
  await until(
    () => runSql(served.db, 'SELECT owner FROM server_leases'),
    ({ length }) => length === 2
  )
  const [callback] = await list(stalled)
  t.match(callback, { state: 'ACKNOWLEDGED', attempts: [{ status: 200 }] })
  t.equal(callback.attempts.length, 1, 'the attempt of the stalled server is not stored')

  const again = deposit()
  t.equal((await stalled.call('POST', '/v2/deposits', again)).body.status, 'ACCEPTED')
  const third = await merchant.next()
  t.equal(third.body.depositId, again.depositId, 'it works again, or the other one does')
  third.answer(200)
})

t.test('work whose queue was taken over fails no other work', postgresOptions, async (t) => {
  const { database } = await joinLedger(t, await createSchema(t, (await openCluster()).url))
  const lease = { account: 1, queue: firstCallbackQueue }
  const results = await Promise.allSettled([
    database.write(1, () => 'before'),
    database.write(1, () => 'lost', { lease }),
    database.write(1, () => 'after')
  ])
  t.match(results, [{ value: 'before' }, { reason: { name: 'LeaseLost' } }, { value: 'after' }])
})

t.test('servers that start together agree', postgresOptions, async (t) => {
  const { url } = await openCluster()
  for (let round = 0; round < (isFull ? 5 : 2); round++) {
    const db = await createSchema(t, url)
    const servers = await Promise.all([1, 2, 3].map(() => serveShared(t, db)))
    const keys = await Promise.all(
      servers.map(async ({ call }) => (await call('GET', '/v2/public-key/http')).body)
    )
    t.equal(keys[0].length, 1, 'one key')
    t.strictSame(keys[1], keys[0])
    t.strictSame(keys[2], keys[0])
    const accounts = await runSql(db, 'SELECT name FROM accounts')
    t.equal(accounts.length, 1, 'one account')
    if (round > 0) {
      await Promise.all(servers.map(({ stop }) => stop()))
      continue
    }
    await Promise.all(servers.map(({ call }) => call('POST', '/__admin/keys/rotate')))
    const all = await Promise.all(
      servers.map(async ({ call }) => (await call('GET', '/v2/public-key/http')).body)
    )
    t.equal(all[0].length, 4, 'keys that were added on all servers at once')
    const names = (list: Array<{ id: string }>): string[] => list.map(({ id }) => id).sort()
    t.strictSame(names(all[1]), names(all[0]))
    t.strictSame(names(all[2]), names(all[0]))
  }
})

t.test('a server with the work of a dead one renews its lease', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  // It gives up a statement soon, and tries again.
  await serveShared(t, `${db}&statement_timeout=500`)
  // Rows can be read, and the work cannot be done.
  const release = await holdLock(t, db, 'LOCK TABLE entries IN SHARE MODE')
  const work = JSON.stringify({ kind: 'clear', account: 1, keep: [] })
  await runSql(
    db,
    `INSERT INTO unfinished_work (work) VALUES ('${work}');
    INSERT INTO due_leases (account, queue, owner) VALUES (1, ${lockQueue}, 99)`
  )
  const readLocks = (): Promise<any[]> => runSql(db, 'SELECT owner FROM due_leases')
  await until(readLocks, ([{ owner }]) => owner === '1')
  // A renewal may have been planned before. The second one shows that they go on.
  for (let n = 1; n <= 2; n++) {
    const readEnd = async (): Promise<number> =>
      (await runSql(db, 'SELECT until FROM server_leases'))[0].until.getTime()
    const end = await readEnd()
    t.ok(await until(readEnd, (later) => later > end), `renewal ${n}`)
  }
  t.same(await readLocks(), [{ owner: '1' }], 'the work is not done')
  await release()
  await until(readLocks, ({ length }) => length === 0)
  t.same(await runSql(db, 'SELECT 1 FROM unfinished_work'), [], 'now it is')
})

t.test('a callback on its way from another server is not due again', postgresOptions, async (t) => {
  const merchant = await patient(t)
  const { db, servers } = await serveMany(t, 1, ['--callback-url', merchant.url])
  await servers[0].call('POST', '/v2/deposits', deposit())
  const callback = await merchant.next()
  // The server may still have the queue of the payment, too.
  const readLeases = (): Promise<any[]> =>
    runSql(
      db,
      `SELECT account::float8, queue::float8, owner::float8 FROM due_leases
      WHERE queue >= ${firstCallbackQueue}`
    )
  const [{ account, queue }] = await readLeases()
  // As if this server had released the queue, after it saw that it must be recovered.
  const { leases } = await joinLedger(t, db)
  await leases.recoverQueues([{ account, queue }])
  const due = await runSql(db, `SELECT subject FROM due_queue WHERE queue = ${queue}`)
  t.same(due, [], 'nothing is due')
  t.same(await readLeases(), [{ account, queue, owner: 1 }], 'the other one has it')
  callback.answer(200)
  const [{ attempts }] = await until(
    async () => (await servers[0].call('GET', '/__admin/callbacks')).body.callbacks,
    ([{ state }]) => state === 'ACKNOWLEDGED'
  )
  t.equal(attempts.length, 1, 'it is sent once')
})
