import t from 'tap'
import { id, receiver, until } from '../support/helper.ts'
import { pgbouncerOptions, startPgBouncer } from '../support/pgbouncer.ts'
import { createDatabase, openCluster } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { countBy, listBroken, sendAll, serveShared } from './servers.ts'

/** Servers whose connections to PostgreSQL go through PgBouncer in transaction mode. */

const rows: Array<[what: string, settings: string[]]> = [
  ['that refuses the settings of sessions', []],
  [
    'that ignores the settings of sessions',
    ['ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout']
  ]
]

for (const [what, settings] of rows) {
  t.test(`servers work behind a PgBouncer ${what}`, pgbouncerOptions, async (t) => {
    const { url } = await openCluster()
    const merchant = await receiver(t)
    const name = await createDatabase(t, url)
    const pooled = await startPgBouncer(t, url, settings)
    const servers: Running[] = []
    for (let n = 0; n < 3; n++) {
      servers.push(await serveShared(t, pooled(name), ['--callback-url', merchant.url]))
    }
    const same = id()
    const answers = await sendAll(
      servers,
      Array.from({ length: 90 }, (_, n) => [
        'POST',
        '/v2/deposits',
        deposit(n % 3 === 0 ? same : id())
      ])
    )
    t.strictSame(countBy(answers.map(({ body }) => body.status)), {
      ACCEPTED: 61,
      DUPLICATE_IGNORED: 29
    })
    await until(
      async () => new Set(merchant.received.map(({ body }) => body.depositId)).size,
      (count) => count === 61
    )
    await servers[0].call('PUT', '/__admin/clock', { mode: 'frozen' })
    const { depositId } = deposit()
    await servers[1].call('POST', '/v2/deposits', deposit(depositId))
    await servers[2].call('POST', '/__admin/clock/advance', { by: '10m' })
    const { body } = await servers[0].call('GET', `/v2/deposits/${depositId}`)
    t.equal(body.data.status, 'COMPLETED', 'an advance')
    t.strictSame(await listBroken(servers[1]), [])
    t.equal((await servers[1].call('POST', '/__admin/reset')).status, 200, 'a reset')
    const gone = await servers[2].call('GET', `/v2/deposits/${depositId}`)
    t.equal(gone.body.status, 'NOT_FOUND')
  })
}
