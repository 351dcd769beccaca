import { join } from 'node:path'
import t from 'tap'
import { uuidToBytes } from '../../src/lib/ids.ts'
import { MomockClient } from '../../src/client/client.ts'
import { build, folder } from '../support/helper.ts'
import { readMetrics } from '../support/servers.ts'
import { withLedger } from '../support/postgres.ts'
import { requests } from '../support/examples.ts'

const damages: Array<[name: string, sql: string, error: RegExp]> = [
  [
    'a plan with an illegal move',
    'UPDATE payments SET plan = replace(plan, \'"to":"COMPLETED"\', \'"to":"ENQUEUED"\') ' +
      'WHERE id = ?',
    /would move a deposit from \w+ to ENQUEUED/
  ],
  ['a plan that is not JSON', "UPDATE payments SET plan = '{' WHERE id = ?", /JSON/],
  ['an unknown kind', 'UPDATE payments SET kind = 99 WHERE id = ?', /99/]
]

for (const [name, sql, error] of damages) {
  t.test(`a payment with ${name} does not stop the others of its account`, async (t) => {
    const db = join(folder(t), 'ledger.db')
    const first = await build(t, { db, clock: 'frozen' })
    const deposits = [1, 2, 3].map(() => requests.v2.deposit!())
    for (const body of deposits) await first.call('POST', '/v2/deposits', body)
    await first.app.close()
    const [broken, ...sound] = deposits.map(({ depositId }) => depositId)
    const changes = await withLedger(t, db, (ledger) =>
      ledger.prepare(sql).change(uuidToBytes(broken))
    )
    t.equal(changes, 1)

    const uncheckedBecause = 'a payment cannot be read'
    const { call } = await build(t, { db, clock: 'frozen' }, undefined, { uncheckedBecause })
    const advance = await call('POST', '/__admin/clock/advance', { by: '1m' })
    t.equal(advance.status, 200)
    for (const id of sound) {
      t.equal((await call('GET', `/v2/deposits/${id}`)).body.data.status, 'COMPLETED')
    }
    const listed = async (): Promise<any[]> =>
      (await call('GET', '/__admin/set-aside')).body.payments
    const [entry, ...others] = await listed()
    t.match(entry, { id: broken, error })
    t.equal(others.length, 0)
    t.match(await readMetrics(call), /momock_set_aside_payments(\{.*\})? 1\n/)

    t.equal((await call('POST', `/__admin/set-aside/${entry.number}/retry`)).status, 204)
    t.same(await listed(), [], 'a retry makes it due again')
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    t.match(await listed(), [{ id: broken, error }], 'and it fails again')
    t.equal((await call('POST', '/__admin/set-aside/999/retry')).status, 404)
    t.equal((await call('POST', '/v2/deposits', requests.v2.deposit!())).body.status, 'ACCEPTED')
  })
}

t.test('the client lists more payments than a page has', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, clock: 'frozen' })
  for (let n = 0; n < 101; n++) await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await first.app.close()
  await withLedger(t, db, (ledger) => ledger.prepare("UPDATE payments SET plan = '{'").change())

  const uncheckedBecause = 'no payment can be read'
  const { url, config } = await build(t, { db, clock: 'frozen' }, undefined, { uncheckedBecause })
  const client = new MomockClient(url, config.token)
  await client.advance('1m')
  t.equal((await client.setAsidePayments()).length, 101)
})
