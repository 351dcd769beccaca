import t from 'tap'
import { requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The generator of the OpenAPI document changes nothing in the running server. */

for (const path of ['/__admin/docs', '/__admin/openapi.json']) {
  t.test(`waiting works after GET ${path}`, async (t) => {
    const { call } = await openSandbox(t, { clock: 'frozen' })
    t.equal((await call('GET', path)).status, 200)
    const { depositId } = (await call('POST', '/v2/deposits', requests.v2.deposit!())).body
    const wait = { kind: 'deposit', id: depositId, until: 'ACCEPTED' }
    const { status, body } = await call('POST', '/__admin/wait', wait)
    t.match({ status, body }, { status: 200, body: { id: depositId } })
    await call('POST', '/__admin/clock/advance', { by: '1h' })
    t.equal((await call('POST', '/__admin/wait', { ...wait, until: 'final' })).status, 200)
    t.equal((await call('GET', path)).status, 200)
    t.equal((await call('POST', '/__admin/wait', { ...wait, until: 'final' })).status, 200)
  })
}
