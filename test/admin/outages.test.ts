import { join } from 'node:path'
import t from 'tap'
import { prefix, requests } from '../support/examples.ts'
import { build, folder, testMachine, type Mock } from '../support/helper.ts'

/** Outages that end by themselves on the clock of the account. */

const provider = '/__admin/providers/MTN_MOMO_ZMB'
const start = '2026-01-31T12:00:00.000Z'
const end = '2026-01-31T12:10:00.000Z'

const table = [
  { version: 'v1', kind: 'deposit', path: 'deposits', operation: 'DEPOSIT' },
  { version: 'v1', kind: 'payout', path: 'payouts', operation: 'PAYOUT' },
  { version: 'v2', kind: 'deposit', path: 'deposits', operation: 'DEPOSIT' },
  { version: 'v2', kind: 'payout', path: 'payouts', operation: 'PAYOUT' },
  { version: 'v2', kind: 'remittance', path: 'remittances', operation: 'REMITTANCE' }
] as const

type Row = (typeof table)[number]

const buildFrozen = (t: Parameters<typeof build>[0], options = {}): Promise<Mock> =>
  build(t, { clock: 'frozen', ...options }, testMachine(start))

async function initiate (mock: Mock, { version, kind, path }: Row, phoneNumber?: string) {
  const text = JSON.stringify(requests[version][kind]!())
  const number = phoneNumber ?? '260763456789'
  const request = JSON.parse(text.replace(/2607\d{8}/, number))
  const { body } = await mock.call('POST', `${prefix[version]}/${path}`, request)
  return { id: request[`${kind}Id`] as string, status: body.status as string }
}

async function statusOf (mock: Mock, { kind }: Row, id: string): Promise<string> {
  return (await mock.call('GET', `/__admin/payments/${kind}/${id}`)).body.status
}

const advance = (mock: Mock, by: string) => mock.call('POST', '/__admin/clock/advance', { by })

/** Ways in which the time of an account reaches the end of an outage. */
const ways: Record<string, (mock: Mock) => Promise<unknown>> = {
  'an advance': (mock) => advance(mock, '1ms'),
  'a clock that is set': (mock) => mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: end }),
  'an advance until idle': (mock) => mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
}

for (const row of table) {
  for (const [way, reach] of Object.entries(ways)) {
    t.test(`${row.version} ${row.kind}: CLOSED for 10m ends with ${way}`, async (t) => {
      const mock = await buildFrozen(t)
      const set = await mock.call('PUT', provider, { [row.operation]: 'CLOSED', for: '10m' })
      t.match(set, {
        status: 200,
        body: { operationTypes: { [row.operation]: 'CLOSED' }, until: { [row.operation]: end } }
      })
      const listed = (await mock.call('GET', '/__admin/providers')).body.providers
      t.strictSame(listed, [
        {
          provider: 'MTN_MOMO_ZMB',
          operationTypes: { [row.operation]: 'CLOSED' },
          until: { [row.operation]: end }
        }
      ])
      t.equal((await initiate(mock, row)).status, 'REJECTED')
      await advance(mock, '599999ms')
      t.equal((await initiate(mock, row)).status, 'REJECTED', 'a millisecond before its end')
      await reach(mock)
      t.equal((await initiate(mock, row)).status, 'ACCEPTED')
      t.strictSame((await mock.call('GET', '/__admin/providers')).body.providers, [])
    })
  }
}

for (const row of table.filter(({ kind }) => kind !== 'deposit')) {
  t.test(`${row.version} ${row.kind}: DELAYED for 10m releases what waited`, async (t) => {
    const mock = await buildFrozen(t)
    await mock.call('PUT', provider, { [row.operation]: 'DELAYED', for: '10m' })
    const { id } = await initiate(mock, row)
    await advance(mock, '599999ms')
    t.equal(await statusOf(mock, row, id), 'ENQUEUED')
    await advance(mock, '1m')
    t.equal(await statusOf(mock, row, id), 'COMPLETED')
    const { body } = await mock.call('GET', '/__admin/invariants')
    t.equal(body.hold, true)
  })
}

for (const row of table.filter(({ kind }) => kind !== 'deposit')) {
  t.test(`${row.version} ${row.kind}: what waits is released after a clock set back`, async (t) => {
    const mock = await buildFrozen(t)
    await mock.call('PUT', provider, { [row.operation]: 'DELAYED' })
    const { id } = await initiate(mock, row)
    await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-31T11:00:00Z' })
    t.equal(await statusOf(mock, row, id), 'ENQUEUED')
    const { body } = await mock.call('PUT', provider, { [row.operation]: 'OPERATIONAL' })
    t.equal(body.released, 1)
    await advance(mock, '2h')
    t.equal(await statusOf(mock, row, id), 'COMPLETED')
  })
}

for (const row of table.filter(({ kind }) => kind !== 'deposit')) {
  t.test(`${row.version} ${row.kind}: a history has the order of time`, async (t) => {
    const machine = testMachine(start)
    const mock = await build(t, {}, machine)
    await mock.call('PUT', provider, { [row.operation]: 'DELAYED' })
    // A number that never answers: its moves follow from the plan.
    const { id } = await initiate(mock, row, '260763456129')
    machine.time += 60_000
    await mock.call('PUT', '/__admin/clock', { mode: 'running', now: '2026-01-30T00:00:00Z' })
    await mock.call('PUT', provider, { [row.operation]: 'OPERATIONAL' })
    machine.time += 300
    const { history } = (await mock.call('GET', `/__admin/payments/${row.kind}/${id}`)).body
    t.match(history, [{ status: 'ACCEPTED' }, { status: 'ENQUEUED' }, { status: 'PROCESSING' }])
    const times = history.map(({ at }: { at: string }) => at)
    t.strictSame(times, times.toSorted())
  })
}

t.test('the availability of the API follows the outage', async (t) => {
  const mock = await buildFrozen(t)
  await mock.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
  const read = async () =>
    JSON.stringify((await mock.call('GET', '/v2/availability?country=ZMB')).body)
  t.match(await read(), /CLOSED/)
  await advance(mock, '10m')
  t.notMatch(await read(), /CLOSED/)
})

t.test('a running clock ends an outage', async (t) => {
  const machine = testMachine(start)
  const mock = await build(t, {}, machine)
  await mock.call('PUT', provider, { PAYOUT: 'DELAYED', for: '10m' })
  const payout = { ...table[3] }
  const { id } = await initiate(mock, payout)
  machine.time += 10 * 60_000
  await mock.app.settle()
  machine.time += 1000
  await mock.app.settle()
  t.equal(await statusOf(mock, payout, id), 'COMPLETED')
  t.strictSame((await mock.call('GET', '/__admin/providers')).body.providers, [])
})

t.test('an outage keeps its end across a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await buildFrozen(t, { db })
  await first.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
  await first.app.close()
  const second = await buildFrozen(t, { db })
  t.match((await second.call('GET', '/__admin/providers')).body.providers, [
    { operationTypes: { DEPOSIT: 'CLOSED' }, until: { DEPOSIT: end } }
  ])
  await advance(second, '10m')
  t.equal((await initiate(second, table[2])).status, 'ACCEPTED')
})

const keeps: Array<[keep: string, isKept: boolean]> = [
  ['clock', false],
  ['clock,providers', true],
  ['clock,payments,callbacks', false],
  ['clock,payments,callbacks,providers', true]
]

t.test('a reset keeps an outage with its end, or forgets both', async (t) => {
  for (const [keep, isKept] of keeps) {
    const mock = await buildFrozen(t)
    await mock.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
    await mock.call('POST', `/__admin/reset?keep=${keep}`)
    t.equal((await initiate(mock, table[2])).status, isKept ? 'REJECTED' : 'ACCEPTED', keep)
    await advance(mock, '10m')
    t.equal((await initiate(mock, table[2])).status, 'ACCEPTED', keep)
  }
})

/** What a reset keeps, and whether a payment that waited for a provider goes on at once. */
const keptPayments: Array<[keep: string, goesOn: boolean]> = [
  ['payments,callbacks', true],
  ['payments,callbacks,clock', true],
  ['payments,callbacks,clock,providers', false]
]

for (const row of table.filter(({ kind }) => kind !== 'deposit')) {
  for (const [keep, goesOn] of keptPayments) {
    for (const ending of [{}, { for: '10m' }]) {
      const outage = 'for' in ending ? 'for 10m' : 'without an end'
      t.test(`${row.version} ${row.kind}: DELAYED ${outage}, reset with ${keep}`, async (t) => {
        const mock = await buildFrozen(t)
        await mock.call('PUT', provider, { [row.operation]: 'DELAYED', ...ending })
        const { id } = await initiate(mock, row)
        await advance(mock, '1m')
        t.equal(await statusOf(mock, row, id), 'ENQUEUED')
        await mock.call('POST', `/__admin/reset?keep=${keep}`)
        await advance(mock, '1m')
        t.equal(await statusOf(mock, row, id), goesOn ? 'COMPLETED' : 'ENQUEUED')
        const { providers } = (await mock.call('GET', '/__admin/providers')).body
        t.equal(providers.length, goesOn ? 0 : 1)
        t.equal((await mock.call('GET', '/__admin/invariants')).body.hold, true)
      })
    }
  }
}

t.test('a snapshot keeps an outage with its end', async (t) => {
  const mock = await buildFrozen(t)
  await mock.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
  await mock.call('POST', '/__admin/snapshots', { name: 'closed' })
  await advance(mock, '10m')
  await mock.call('POST', '/__admin/snapshots/closed/restore')
  t.equal((await initiate(mock, table[2])).status, 'REJECTED')
  await advance(mock, '10m')
  t.equal((await initiate(mock, table[2])).status, 'ACCEPTED')
})

const changes: Array<[what: string, body: object, until: object | undefined]> = [
  ['an outage without an end', { DEPOSIT: 'CLOSED' }, { PAYOUT: end }],
  [
    'another end',
    { DEPOSIT: 'CLOSED', for: '1m' },
    { DEPOSIT: '2026-01-31T12:01:00.000Z', PAYOUT: end }
  ],
  ['OPERATIONAL', { DEPOSIT: 'OPERATIONAL' }, { PAYOUT: end }],
  ['both OPERATIONAL', { DEPOSIT: 'OPERATIONAL', PAYOUT: 'OPERATIONAL' }, undefined],
  [
    'one of two with an end',
    { DEPOSIT: 'OPERATIONAL', PAYOUT: 'CLOSED', for: 60_000 },
    { PAYOUT: '2026-01-31T12:01:00.000Z' }
  ]
]

t.test('a later call replaces the end of the operations that it names', async (t) => {
  for (const [what, body, until] of changes) {
    const mock = await buildFrozen(t)
    await mock.call('PUT', provider, { DEPOSIT: 'CLOSED', PAYOUT: 'DELAYED', for: 'PT10M' })
    t.strictSame((await mock.call('PUT', provider, body)).body.until, until, what)
    const all = (await mock.call('GET', '/__admin/providers?all=true')).body.providers
    const found = all.find(({ provider }: { provider: string }) => provider === 'MTN_MOMO_ZMB')
    t.strictSame(found.until, until, what)
  }
})

t.test('the end of an outage that was taken back is no due work', async (t) => {
  const mock = await buildFrozen(t)
  await mock.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
  await mock.call('PUT', provider, { DEPOSIT: 'OPERATIONAL' })
  const { body } = await mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
  t.equal(body.now, start)
})

const refused: Array<[what: string, body: object, message: RegExp]> = [
  ['for alone', { for: '10m' }, /for needs an operation type that is DELAYED or CLOSED/],
  ['for with OPERATIONAL', { DEPOSIT: 'OPERATIONAL', for: '10m' }, /for needs an operation type/],
  ['no duration', { DEPOSIT: 'CLOSED', for: 'soon' }, /for must be a duration/],
  ['nothing', { DEPOSIT: 'CLOSED', for: 0 }, /for must be more than 0/],
  ['too long', { DEPOSIT: 'CLOSED', for: '9999999d' }, /for must be .* before the year 10000/]
]

t.test('a wrong duration is refused and changes nothing', async (t) => {
  const mock = await buildFrozen(t)
  for (const [what, body, message] of refused) {
    const answer = await mock.call('PUT', provider, body)
    t.equal(answer.status, 400, what)
    t.match(answer.body.error, { message, hint: /"10m"|"for"|ms, s, m/ }, what)
  }
  t.strictSame((await mock.call('GET', '/__admin/providers')).body.providers, [])
})
