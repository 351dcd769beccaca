import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, folder, patient, until, type Mock } from '../support/helper.ts'
import { requests } from '../support/examples.ts'
import { isPostgres, withLedger } from '../support/postgres.ts'

/** A ledger that stores everything but another clock than that of the start. */

const refuseClocks = isPostgres
  ? [
      `CREATE FUNCTION refuse_clock () RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no room for this clock'; END $$`,
      `CREATE TRIGGER refuse_clock BEFORE UPDATE ON accounts FOR EACH ROW
        WHEN ((NEW.state::jsonb #>> '{clock,base}')::numeric > 0)
        EXECUTE FUNCTION refuse_clock()`
    ]
  : [
      `CREATE TRIGGER refuse_clock BEFORE UPDATE ON accounts
        WHEN json_extract(NEW.state, '$.clock.base') > 0
        BEGIN SELECT RAISE(ABORT, 'no room for this clock'); END`
    ]

async function buildWithRefusals (t: Test, callbackUrl?: string): Promise<Mock> {
  const db = join(folder(t), 'ledger.db')
  await withLedger(t, db, async (connection) => {
    for (const sql of refuseClocks) await connection.exec(sql)
  })
  const uncheckedBecause = 'its clock cannot be frozen'
  return await build(t, { db, callbackUrl }, undefined, { uncheckedBecause })
}

/** Accepts a deposit. Returns a function that waits until it is completed. */
async function deposit ({ call }: Mock): Promise<() => Promise<unknown>> {
  const body = requests.v2.deposit!()
  await call('POST', '/v2/deposits', body)
  const read = async () => (await call('GET', `/v2/deposits/${body.depositId}`)).body.data
  return () => until(read, ({ status }) => status === 'COMPLETED')
}

t.test('an account goes on after a clock that could not be stored', async (t) => {
  const mock = await buildWithRefusals(t)
  const deposits = Array.from({ length: 20 }, async () => {
    const [isCompleted, { status }] = await Promise.all([
      deposit(mock),
      mock.call('PUT', '/__admin/clock', { mode: 'running', speed: 2 })
    ])
    t.equal(status, 500)
    return isCompleted
  })
  for (const isCompleted of await Promise.all(deposits)) await isCompleted()
})

t.test('an account goes on after an advance that could not be stored', async (t) => {
  const receiver = await patient(t)
  const mock = await buildWithRefusals(t, receiver.url)
  await deposit(mock)
  const callback = await receiver.next()
  const advance = mock.call('POST', '/__admin/clock/advance', { by: '1ms' })
  const time = async () => (await mock.call('GET', '/__admin/clock')).body.now
  const twoTimes = async () => [await time(), await time()]
  await until(twoTimes, ([one, other]) => one === other)
  const isCompleted = await deposit(mock)
  callback.answer(200)
  t.equal((await advance).status, 500)
  await isCompleted()
})
