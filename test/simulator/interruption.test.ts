import t from 'tap'
import { build, patient } from '../support/helper.ts'
import { requests } from '../support/examples.ts'

/** Calls that must not wait for a receiver that does not answer. */
const interrupters: Array<[by: string, method: string, path: string, body: object | undefined]> = [
  ['a reset', 'POST', '/__admin/reset', {}],
  ['PUT /__admin/clock', 'PUT', '/__admin/clock', { mode: 'frozen' }],
  ['a snapshot', 'POST', '/__admin/snapshots', { name: 'now' }],
  ['the deletion of the account', 'DELETE', '/__admin/accounts/sandbox-interrupted', undefined]
]

for (const [by, method, path, body] of interrupters) {
  t.test(`an advance that waits for a receiver gives way to ${by}`, async (t) => {
    const receiver = await patient(t)
    const { call } = await build(t, { callbackUrl: receiver.url, clock: 'frozen' })
    const as = { authorization: 'Bearer sandbox-interrupted' }
    await call('POST', '/v2/deposits', requests.v2.deposit!(), as)
    const advance = call('POST', '/__admin/clock/advance', { by: '1h' }, as)
    const callback = await receiver.next()
    const { status } = await call(method, path, body, as)
    t.ok(status >= 200 && status < 300, `it answers ${status}`)
    t.match(await advance, { status: 409, body: { error: { message: by } } })
    callback.answer(200)
  })
}

t.test('an advance whose receiver answers is not interrupted', async (t) => {
  const receiver = await patient(t)
  const { call } = await build(t, { callbackUrl: receiver.url, clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const advance = call('POST', '/__admin/clock/advance', { by: '1h' })
  const callback = await receiver.next()
  const freeze = call('PUT', '/__admin/clock', { mode: 'running' })
  callback.answer(200)
  t.match(await advance, { status: 200, body: { callbacks: 1 } })
  t.match(await freeze, { status: 200, body: { mode: 'running' } })
})
