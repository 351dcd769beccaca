import t from 'tap'
import { firstCallbackQueue } from '../../src/domain/due-queue.ts'
import { requests } from '../support/examples.ts'
import { build, patient, receiver, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Answer, type Running } from '../support/process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { loseCommit } from './lost-answers.ts'
import { serveShared } from './servers.ts'

/** A server that loses its connection to the database while it agrees with the others. */

interface Loss {
  what: string
  /** Part of the statement at which the connection is lost. */
  text: string
  /** Makes the server send the statement. */
  begin: (db: string, other: Running) => Promise<unknown>
  /** Asks the server for something that is true in the end. */
  ask: (server: Running) => Promise<Answer>
  isTrue: (body: any) => boolean
}

const losses: Loss[] = [
  {
    what: 'learns that another server has changed an account',
    text: 'FROM account_versions',
    begin: (_, { call }) => call('PUT', '/__admin/clock', { mode: 'frozen' }),
    ask: ({ call }) => call('GET', '/__admin/clock'),
    isTrue: ({ mode }) => mode === 'frozen'
  },
  {
    what: 'learns the keys that another server has added',
    text: 'private_key AS',
    begin: (_, { call }) => call('POST', '/__admin/keys/rotate'),
    ask: ({ call }) => call('GET', '/v2/public-key/http'),
    isTrue: ({ length }) => length === 2
  },
  {
    what: 'joins the others again',
    text: 'INSERT INTO server_leases',
    begin: (db) => runSql(db, 'DELETE FROM server_leases WHERE owner = 2'),
    ask: ({ call }) => call('POST', '/v2/deposits', deposit()),
    isTrue: ({ status }) => status === 'ACCEPTED'
  }
]

for (const { what, text, begin, ask, isTrue } of losses) {
  const name = `a server survives the loss of its connection while it ${what}`
  t.test(name, postgresOptions, async (t) => {
    const db = await createSchema(t, (await openCluster()).url)
    const network = await startProxy(t, Number(new URL(db).port))
    const other = await serveShared(t, db)
    const server = await serveShared(t, db.replace(/:\d+\//, `:${network.port}/`))
    const cut = network.cutAt(text)
    await begin(db, other)
    await cut
    await until(
      () => ask(server),
      ({ status, body }) => status === 200 && isTrue(body)
    )
    t.match(await server.stop(), { code: 0, stderr: '' })
    const left = await runSql(db, 'SELECT owner FROM server_leases')
    t.same(left, [{ owner: '1' }], 'it leaves no lease')
  })
}

t.test('a result whose commit was not answered is stored once', postgresOptions, async (t) => {
  const isLost = loseCommit(t, ({ text }) => text.startsWith('INSERT INTO attempts'))
  const merchant = await receiver(t)
  const db = await createSchema(t, (await openCluster()).url)
  const { call } = await build(t, { db, callbackUrl: merchant.url, clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const advance = async (): Promise<number> =>
    (await call('POST', '/__admin/clock/advance', { by: '1h' })).status
  t.equal(await until(advance, (status) => status === 200), 200)
  t.ok(isLost())
  const { callbacks } = (await call('GET', '/__admin/callbacks')).body
  t.match(callbacks, [{ state: 'ACKNOWLEDGED', attempts: { length: 1 } }])
  t.equal(merchant.received.length, 1)
})

for (const servers of ['many', 'one'] as const) {
  const name = `callbacks are sent whose commit was not answered, with --servers ${servers}`
  t.test(name, postgresOptions, async (t) => {
    const { url, next } = await patient(t)
    const db = await createSchema(t, (await openCluster()).url)
    const { call } = await build(t, { db, servers, callbackUrl: url })
    const send = (): Promise<unknown> => call('POST', '/v2/deposits', requests.v2.deposit!())
    await send()
    // It keeps the receiver's queue in use.
    const first = await next()
    const isLost = loseCommit(
      t,
      ({ text, values }) =>
        /^\s*DELETE FROM due_queue/.test(text) && Number(values[1]) >= firstCallbackQueue
    )
    await Promise.all([send(), send()])
    await until(async () => isLost(), (is) => is)
    // The database is back before the first one is answered.
    await until(send, () => true)
    first.answer(200)
    for (let n = 0; n < 3; n++) (await next()).answer(200)
    t.pass('all are sent')
  })
}
