import t from 'tap'
import { id, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Answer, type Running } from '../support/process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { serveShared } from './servers.ts'

/** Numbers of imported rows, while other servers store new ones. */

const other = 'sandbox-other'

/** Sends deposits at once. */
function sendDeposits (server: Running, count: number, token?: string): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, () =>
      server.call('POST', '/v2/deposits', deposit(id()), token)
    )
  )
}

async function readFile ({ ready: { url } }: Running, name: string): Promise<ArrayBuffer> {
  return await (await fetch(`${url}/__admin/snapshots/${name}/file`)).arrayBuffer()
}

t.test('no other server gets the number of an imported row', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const network = await startProxy(t, Number(new URL(db).port))
  const server = await serveShared(t, db)
  const importer = await serveShared(t, db.replace(/:\d+\//, `:${network.port}/`))
  // At once, so that their numbers are close together.
  await sendDeposits(server, 20)
  await server.call('POST', '/__admin/snapshots', { name: 'one' })
  const body = await readFile(server, 'one')
  const reserving = network.pauseAt("setval(pg_get_serial_sequence('payments'")
  const imported = fetch(`${importer.ready.url}/__admin/snapshots/two/file`, {
    method: 'PUT',
    body
  })
  await reserving
  const deposits = sendDeposits(server, 12, other)
  const countWaiting = 'SELECT 1 FROM pg_locks WHERE NOT granted'
  await Promise.race([
    deposits,
    until(
      () => runSql(db, countWaiting),
      ({ length }) => length > 0
    )
  ])
  network.resume()
  t.equal((await imported).status, 201)
  t.strictSame(new Set((await deposits).map(({ body }) => body.status)), new Set(['ACCEPTED']))
  const same = await runSql(
    db,
    `SELECT payments.seq FROM payments
    JOIN snapshot_payments USING (seq) JOIN snapshots ON snapshots.id = snapshot
    WHERE snapshots.name = 'two'`
  )
  t.strictSame(same, [])
  t.equal((await importer.call('POST', '/__admin/snapshots/two/restore')).status, 200)
  t.equal((await server.call('GET', '/__admin/payments?limit=100')).body.payments.length, 20)
})
