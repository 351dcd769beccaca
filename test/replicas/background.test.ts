import t, { type Test } from 'tap'
import { until } from '../support/helper.ts'
import {
  createSchema,
  openCluster,
  openDatabase,
  postgresOptions,
  runSql
} from '../support/postgres.ts'
import { deposit, serve, type Answer, type Running } from '../support/process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { holdLock } from './servers.ts'

/** A server that does other work while the database answers. */

/** Starts a server that knows its caller. */
async function start (t: Test): Promise<{ db: string; server: Running }> {
  const db = await createSchema(t, (await openCluster()).url)
  const server = await serve(t, ['--db', db, '--clock', 'frozen'])
  await server.call('POST', '/v2/deposits', deposit())
  return { db, server }
}

/** Sends a payment that waits for a lock. Returns the number of its session, too. */
async function sendWaiting (db: string, server: Running, body: object) {
  const answer: Promise<Answer> = server.call('POST', '/v2/deposits', body)
  const listWaiting = `
    SELECT pid FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND application_name = 'momock'
      AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'payments'::regclass AND NOT granted)`
  const [{ pid }] = await until(
    () => runSql(db, listWaiting),
    ({ length }) => length === 1
  )
  return { answer, pid }
}

t.test('a server answers while a payment waits', postgresOptions, async (t) => {
  const { db, server } = await start(t)
  const release = await holdLock(t, db, 'LOCK TABLE payments IN SHARE MODE')
  const { answer } = await sendWaiting(db, server, deposit())
  t.match(await server.call('GET', '/health'), { status: 200 })
  const wrong = await server.call('POST', '/deposits', {})
  t.match(wrong, { status: 400, body: { errorId: String } })
  await release()
  t.match(await answer, { status: 200, body: { status: 'ACCEPTED' } })
})

t.test('a payment whose connection is lost gets 503', postgresOptions, async (t) => {
  const { db, server } = await start(t)
  const release = await holdLock(t, db, 'LOCK TABLE payments IN SHARE MODE')
  const body = deposit()
  const { answer, pid } = await sendWaiting(db, server, body)
  await runSql(db, `SELECT pg_terminate_backend(${pid})`)
  t.match(await answer, { status: 503 })
  await release()
  const again = await until(
    () => server.call('POST', '/v2/deposits', body),
    ({ status }) => status !== 503
  )
  t.match(again, { status: 200, body: { status: 'ACCEPTED' } }, 'it was not stored')
  const last = await server.call('POST', '/v2/deposits', body)
  t.match(last, { status: 200, body: { status: 'DUPLICATE_IGNORED' } })
  t.match(await server.call('GET', '/__admin/invariants'), { body: { hold: true } })
  t.match(await server.stop(), { code: 0, stderr: '' })
})

t.test('a payment that is lost is not stored later', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const network = await startProxy(t, Number(new URL(db).port))
  const throughProxy = `${db.replace(/:\d+\//, `:${network.port}/`)}&statement_timeout=1000`
  const server = await serve(t, ['--db', throughProxy, '--clock', 'frozen'])
  const body = deposit()
  await server.call('POST', '/v2/deposits', deposit())
  const release = await holdLock(t, db, 'LOCK TABLE payments IN SHARE MODE')
  const { answer } = await sendWaiting(db, server, body)
  network.forget()
  t.match(await answer, { status: 503 })
  await until(
    () => server.call('GET', '/ready'),
    ({ status }) => status === 200
  )
  await release()
  const again = await server.call('POST', '/v2/deposits', body)
  t.match(again, { status: 200, body: { status: 'ACCEPTED' } })
})

t.test('a server ends with a payment that waits for the database', postgresOptions, async (t) => {
  const { db, server } = await start(t)
  const release = await holdLock(t, db, 'LOCK TABLE payments IN SHARE MODE')
  const { answer } = await sendWaiting(db, server, deposit())
  const end = server.stop()
  await release()
  t.match(await answer, { status: 200, body: { status: 'ACCEPTED' } })
  t.match(await end, { code: 0, stderr: '' })
  t.same(await runSql(db, 'SELECT count(*) FROM payments'), [{ count: '2' }])
})

t.test('a server works with one connection', postgresOptions, async (t) => {
  const { url } = await openCluster()
  const role = 'few'
  await runSql(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1`)
  // After the database, which has tables of the role.
  t.teardown(() => runSql(url, `DROP ROLE ${role}`))
  const db = new URL(await openDatabase(t))
  await runSql(db.href, `GRANT ALL ON SCHEMA public TO ${role}`)
  db.username = role
  const server = await serve(t, ['--db', db.href, '--clock', 'frozen'])
  const body = deposit()
  const send = (): Promise<Answer> => server.call('POST', '/v2/deposits', body)
  t.match(await send(), { status: 200, body: { status: 'ACCEPTED' } })
  t.match(await send(), { status: 200, body: { status: 'DUPLICATE_IGNORED' } })
  const found = await server.call('GET', `/v2/deposits/${body.depositId}`)
  t.match(found, { status: 200, body: { status: /^FOUND$/ } })
  for (let i = 0; i < 3; i++) {
    await runSql(
      url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`
    )
    await until(send, ({ status }) => status === 200)
  }
  t.match(await server.stop(), { code: 0, stderr: '' })
})
