import t, { type Test } from 'tap'
import type { Outcome, Query } from '../../db/postgres/messages.ts'
import { Session } from '../../db/postgres/session.ts'
import { readKind } from '../../db/postgres/statement-kind.ts'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { openDatabase, postgresOptions, runSql } from '../support/postgres.ts'
import { startProxy } from '../support/tcp-proxy.ts'

/** Connections to PostgreSQL that are lost and made again. */

function writeQuery (text: string): Query {
  return { kind: readKind(text), name: text, text, values: [] }
}

/**
 * Opens a session through a proxy, with a table to lock. `send` runs a statement, and `direct` is
 * the URL of the database without the proxy.
 */
async function open (t: Test) {
  const direct = await openDatabase(t)
  await runSql(direct, 'CREATE TABLE locked (n INT)')
  const url = new URL(direct)
  const proxy = await startProxy(t, Number(url.port))
  url.port = String(proxy.port)
  const session = new Session(url.href)
  t.teardown(() => session.close())
  await session.connect()
  const send = (text: string): Promise<Outcome> =>
    session.run([writeQuery(text)], false)
  return { proxy, session, send, direct }
}

const works = (outcome: Outcome): boolean => 'results' in outcome

t.test('a connection that is lost with its lock is replaced once', postgresOptions, async (t) => {
  const { proxy, session, send, direct } = await open(t)
  await session.lock('locked')
  await proxy.cutAt('LOCK TABLE')
  await until(() => send('SELECT 1'), works)
  t.equal(proxy.count(), 2, 'one for the statements, one for the lock')
  const locks = await runSql(
    direct,
    "SELECT granted FROM pg_locks WHERE relation = 'locked'::regclass"
  )
  t.strictSame(locks, [{ granted: true }])
})

t.test('a lost session ends before another is used', makeLong(postgresOptions), async (t) => {
  const { proxy, session, send, direct } = await open(t)
  await session.run(
    ['BEGIN', 'INSERT INTO locked VALUES (1)'].map(writeQuery),
    false
  )
  const [{ pid }] = await runSql(
    direct,
    `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'momock'`
  )
  // As if it waited for its disk.
  process.kill(pid, 'SIGSTOP')
  try {
    proxy.forget()
    session.drop()
    const { error } = (await until(
      () => send('SELECT 1'),
      (outcome) => 'error' in outcome && outcome.error.message !== 'no answer'
    )) as Extract<Outcome, { error: unknown }>
    t.match(error, { message: 'a lost session has not ended yet', isLost: true })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await until(() => send('SELECT 1'), works)
  t.strictSame(await runSql(direct, 'SELECT n FROM locked'), [])
})
