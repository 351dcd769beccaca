import t from 'tap'
import { requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Words of requests that had another name before. Answers have the present one. */

t.test('a request may call the version generation', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  await call('POST', '/deposits', requests.v1.deposit!())
  await call('POST', '/v2/deposits', requests.v2.deposit!())

  for (const path of ['payments', 'payments/counts', 'coverage', 'examples']) {
    const [earlier, present] = await Promise.all(
      ['generation', 'version'].map((word) => call('GET', `/__admin/${path}?${word}=v1`))
    )
    t.equal(earlier.status, 200, path)
    if (path !== 'examples') t.strictSame(earlier.body, present.body, path)
    t.notMatch(JSON.stringify(earlier.body), /generation/, path)
  }

  const expectations = [
    { payment: { generation: 'v1' }, count: 1 },
    { payment: { generation: 'v1', version: 'v2' }, count: 1 }
  ]
  t.match((await call('POST', '/__admin/verify', { expectations })).body, { passed: true })

  const scenario = { name: 'no-v1', when: { generation: 'v1' }, reject: 'INVALID_CURRENCY' }
  const added = await call('POST', '/__admin/scenarios', scenario)
  t.match(added.body, { when: { version: 'v1', generation: undefined } })
  t.match((await call('POST', '/deposits', requests.v1.deposit!())).body, { status: 'REJECTED' })
  t.match((await call('POST', '/v2/deposits', requests.v2.deposit!())).body, { status: 'ACCEPTED' })
})
