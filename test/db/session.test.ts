import t, { type Test } from 'tap'
import { Session } from '../../db/postgres/session.ts'
import type { Query } from '../../db/postgres/statement-batch.ts'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { openDatabase, postgresOptions, runSql } from '../support/postgres.ts'
import { startProxy } from '../support/tcp-proxy.ts'

/** Connections to PostgreSQL that are lost and made again. */

const writeQuery = (text: string): Query => ({ name: text, text, values: [] })

/**
 * Opens a session through a proxy, with a table to lock. `send` runs a statement and returns its
 * error, and `direct` is the URL of the database without the proxy.
 */
async function open (t: Test) {
  const direct = await openDatabase(t)
  await runSql(direct, 'CREATE TABLE locked (n INT)')
  const url = new URL(direct)
  const proxy = await startProxy(t, Number(url.port))
  url.port = String(proxy.port)
  url.searchParams.set('statement_timeout', '1000')
  const session = new Session(url.href, 'here')
  t.teardown(() => session.close())
  await session.connect()
  const send = (text: string): Promise<unknown> =>
    session.run([writeQuery(text)], false).then(
      () => undefined,
      (error: unknown) => error
    )
  return { proxy, session, send, direct }
}

const works = (error: unknown): boolean => error === undefined

t.test('each session begins with the same work', postgresOptions, async (t) => {
  const { proxy, session, send, direct } = await open(t)
  let losses = 0
  session.onLoss = () => losses++
  await session.beginWith((client) => client.query('INSERT INTO locked VALUES (7)').then(() => {}))
  const cut = proxy.cutAt('SELECT 2')
  await until(() => send('SELECT 2'), works)
  await cut
  t.equal(losses, 2)
  t.strictSame(await runSql(direct, 'SELECT n FROM locked'), [{ n: 7 }, { n: 7 }, { n: 7 }])
})

t.test('a lost session ends before another is used', makeLong(postgresOptions), async (t) => {
  const { proxy, session, send, direct } = await open(t)
  await session.run(['BEGIN', 'INSERT INTO locked VALUES (1)'].map(writeQuery), false)
  const [{ pid }] = await runSql(
    direct,
    `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'momock'`
  )
  // As if it waited for its disk.
  process.kill(pid, 'SIGSTOP')
  try {
    proxy.forget()
    t.match(await send('SELECT 1'), { message: /^no answer after 3 s$/, isLost: true })
    const error = await until(
      () => send('SELECT 1'),
      (error) => !/^no answer/.test((error as Error).message)
    )
    t.match(error, { message: 'a lost session has not ended yet', isLost: true })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await until(() => send('SELECT 1'), works)
  t.strictSame(await runSql(direct, 'SELECT n FROM locked'), [])
})

t.test('a lost transaction is not continued', postgresOptions, async (t) => {
  const { proxy, session, send } = await open(t)
  await session.run([writeQuery('BEGIN')], false)
  await proxy.refuse()
  await proxy.listen()
  await until(
    async () => proxy.count(),
    (count) => count === 1
  )
  const error = await session.run([writeQuery('SELECT 1')], true).catch((reason: unknown) => reason)
  t.match(error, { isLost: true })
  await until(() => send('SELECT 1'), works)
})
