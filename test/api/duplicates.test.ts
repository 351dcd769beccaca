import t from 'tap'
import { build, type Call } from '../support/helper.ts'
import { but, initiations, requests } from '../support/examples.ts'

/** Series of duplicates, with other requests between them. */

/** Returns a request that will be accepted. A refund needs a completed deposit. */
async function create (call: Call, { kind, make }: (typeof initiations)[number]): Promise<any> {
  if (kind.name !== 'refund') return make()
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/__admin/clock/advance', { by: '1m' })
  return but(make(), 'depositId', deposit.depositId)
}

for (const row of initiations) {
  const { version, kind, path } = row
  t.test(`${version} ${kind.name}: series of duplicates`, async (t) => {
    const { call, callAs } = await build(t, {
      clock: 'frozen',
      accounts: [{ name: 'default' }, { name: 'other', tokens: [{ token: 'other-token' }] }]
    })
    const [one, two, three] = [
      await create(call, row),
      await create(call, row),
      await create(call, row)
    ]
    const series: Array<[request: any, status: string, what: string]> = [
      [one, 'ACCEPTED', 'the first request'],
      [one, 'DUPLICATE_IGNORED', 'a duplicate'],
      [one, 'DUPLICATE_IGNORED', 'a duplicate after a duplicate'],
      [two, 'ACCEPTED', 'a new request after duplicates'],
      [one, 'DUPLICATE_IGNORED', 'a duplicate after a new request'],
      [but(two, 'amount', '999999'), 'DUPLICATE_IGNORED', 'a duplicate that would be refused'],
      [one, 'DUPLICATE_IGNORED', 'a duplicate after that']
    ]
    for (const [request, status, what] of series) {
      t.equal((await call('POST', path, request)).body.status, status, what)
    }
    // Most of them arrive in the same turn of the event loop.
    const together = [one, three, two, three, one, three]
    const answers = await Promise.all(together.map((request) => call('POST', path, request)))
    t.strictSame(
      answers.map(({ body }) => body.status).toSorted(),
      ['ACCEPTED', ...Array<string>(5).fill('DUPLICATE_IGNORED')],
      'requests that arrive together'
    )
    const callOther = callAs(t, 'other-token')
    const same = but(await create(callOther, row), kind.idField, one[kind.idField])
    t.equal((await callOther('POST', path, same)).body.status, 'ACCEPTED', 'another account')
    await call('POST', path, one)
    await call('POST', '/__admin/reset')
    const again = but(await create(call, row), kind.idField, one[kind.idField])
    t.equal((await call('POST', path, again)).body.status, 'ACCEPTED', 'after a reset')
  })
}
