import t from 'tap'
import { firstCallbackQueue } from '../../src/ports/due-queue.ts'
import { requests } from '../support/examples.ts'
import { build, patient, receiver, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { loseCommit } from './lost-answers.ts'

/** A server that loses the answer to a commit. */

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

t.test('callbacks are sent whose commit was not answered', postgresOptions, async (t) => {
  const { url, next } = await patient(t)
  const db = await createSchema(t, (await openCluster()).url)
  const { call } = await build(t, { db, callbackUrl: url })
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
