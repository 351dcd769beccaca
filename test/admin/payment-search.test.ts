import t from 'tap'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Search and counts of payments. */

const deposit = (more: object = {}, number = '260763456789'): any => ({
  ...but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number),
  ...more
})
const advance = ({ call }: Client, by: string) => call('POST', '/__admin/clock/advance', { by })

async function listIds ({ call }: Client, query: string): Promise<string[]> {
  const { body } = await call('GET', `/__admin/payments?${query}`)
  return body.payments.map(({ id }: any) => id)
}

/** Counts as texts, such as `2 deposit COMPLETED`. */
async function count ({ call }: Client, query = ''): Promise<string[]> {
  const { body } = await call('GET', `/__admin/payments/counts?${query}`)
  t.equal(
    body.total,
    body.counts.reduce((sum: number, { count }: any) => sum + count, 0)
  )
  return body.counts.map(({ kind, status, count }: any) => `${count} ${kind} ${status}`)
}

t.test('a search sees every change after its first use', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const { call } = mock
  t.strictSame(await count(mock), [])
  const [first, second] = [deposit(), deposit({}, '260763456039')]
  await call('POST', '/v2/deposits', first)
  await call('POST', '/v2/deposits', second)
  t.strictSame(await count(mock), ['2 deposit ACCEPTED'], 'new payments')
  await advance(mock, '50ms')
  t.strictSame(await count(mock), ['2 deposit PROCESSING'], 'a step that only changes the status')
  await call('POST', '/__admin/snapshots', { name: 'open' })
  await advance(mock, '1m')
  t.strictSame(await count(mock), ['1 deposit COMPLETED', '1 deposit FAILED'])
  t.strictSame(await listIds(mock, 'status=FAILED'), [second.depositId])
  await call('POST', '/v2/payouts', requests.v2.payout!())
  t.strictSame(await count(mock, 'kind=payout'), ['1 payout ACCEPTED'])
  t.strictSame(await count(mock, 'version=v1'), [])
  await call('POST', '/__admin/snapshots/open/restore')
  t.strictSame(await count(mock), ['2 deposit PROCESSING'], 'a restored account')
  await call('POST', `/__admin/payments/deposit/${first.depositId}/move`, { to: 'FAILED' })
  t.strictSame(await listIds(mock, 'status=FAILED'), [first.depositId], 'a move by hand')
  await call('POST', '/__admin/reset')
  t.strictSame(await count(mock), [], 'a reset account')
  t.strictSame(await listIds(mock, 'kind=deposit'), [])
  const other = { authorization: 'Bearer sandbox-other' }
  await call('POST', '/v2/deposits', deposit(), other)
  t.strictSame(await count(mock), [], 'payments of other accounts')
})

t.test('a move by hand is found after a step of the plan', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const { depositId } = deposit()
  const body = { ...deposit(), depositId }
  await mock.call('POST', '/v2/deposits', body, { 'x-momock-scenario': 'slow-approval' })
  await advance(mock, '10s')
  t.strictSame(await count(mock), ['1 deposit PROCESSING'])
  const to = 'IN_RECONCILIATION'
  await mock.call('POST', `/__admin/payments/deposit/${depositId}/move`, { to })
  t.strictSame(await count(mock), [`1 deposit ${to}`])
  t.strictSame(await listIds(mock, `status=${to}`), [depositId])
})

t.test('a status that follows from a running clock is found', async (t) => {
  const systemClock = { time: Date.now(), now: () => systemClock.time }
  const mock = await build(t, {}, systemClock)
  await mock.call('POST', '/v2/deposits', deposit(), { 'x-momock-scenario': 'stuck-forever' })
  t.strictSame(await count(mock), ['1 deposit ACCEPTED'])
  systemClock.time += 5000
  t.strictSame(await count(mock), ['1 deposit PROCESSING'])
  t.equal((await listIds(mock, 'status=PROCESSING')).length, 1)
})

t.test('payments are found by identifier, phone number, reference and metadata', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const made = [
    deposit({ clientReferenceId: 'ORDER-1', metadata: [{ cart: 'Blue' }] }, '260763456781'),
    deposit({ clientReferenceId: 'ORDER-2', metadata: [] }, '260763456782'),
    deposit({ clientReferenceId: 'order-10', metadata: [] }, '260763457700')
  ]
  for (const body of made) await mock.call('POST', '/v2/deposits', body)
  for (const [search, found] of [
    [made[0].depositId, [0]],
    [made[1].depositId.toUpperCase(), [1]],
    [made[2].depositId.slice(0, 8), [2]],
    [made[2].depositId.slice(0, 13), [2]],
    [`${made[2].depositId.slice(0, 9)}zzzz`, []],
    ['26076345', [0, 1, 2]],
    ['260763456782', [1]],
    ['2607634567820', []],
    ['order-1', [0]],
    ['ORDER-10', [2]],
    ['blue', [0]],
    ['order', []]
  ] as Array<[string, number[]]>) {
    t.strictSame(
      await listIds(mock, `search=${encodeURIComponent(search)}`),
      found.map((n) => made[n].depositId),
      search
    )
  }
  t.strictSame(await count(mock, 'search=ORDER-2'), ['1 deposit ACCEPTED'])
  t.strictSame(await count(mock, 'phoneNumber=260763456782'), ['1 deposit ACCEPTED'])
  t.strictSame(await count(mock, 'since=2099-01-01T00:00:00Z'), [])
  t.strictSame(await count(mock, 'provider=MTN_MOMO_ZMB&until=2099-01-01T00:00:00Z'), [
    '3 deposit ACCEPTED'
  ])
})

t.test('a search within a time continues where it ended', long, async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const made: string[] = []
  for (let n = 0; n < 12; n++) {
    const bodies = Array.from({ length: 100 }, () => deposit())
    await Promise.all(bodies.map((body) => mock.call('POST', '/v2/deposits', body)))
    made.push(...bodies.map(({ depositId }) => depositId))
  }
  const read = async (query: string): Promise<{ ids: string[]; pages: number }> => {
    const ids: string[] = []
    let pages = 0
    for (let next: number | undefined = 0; next !== undefined; pages++) {
      const after: string = next === 0 ? '' : `&after=${next}`
      const { body } = await mock.call('GET', `/__admin/payments?${query}${after}`)
      ids.push(...body.payments.map(({ id }: any) => id))
      next = body.next
    }
    return { ids, pages }
  }
  const partial = (await mock.call('GET', '/__admin/payments/counts?withinMs=0')).body
  t.equal(partial.complete, false)
  t.ok(partial.total < made.length)
  const none = await read('status=FAILED&order=newest&withinMs=0')
  t.strictSame(none.ids, [])
  for (const query of [
    'kind=deposit&order=newest&withinMs=0&limit=1000',
    'kind=deposit&limit=70'
  ]) {
    const { ids } = await read(query)
    t.strictSame(ids.toSorted(), made.toSorted(), `${query}: each payment once`)
  }
  t.strictSame(await count(mock), [`${made.length} deposit ACCEPTED`])
})
