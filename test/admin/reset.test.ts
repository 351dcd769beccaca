import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ledgerRowTables, ledgerTableNames } from '../../db/ledger-rows.ts'
import { schema } from '../../db/sqlite/schema.ts'
import { resetParts } from '../../src/domain/reset-parts.ts'
import {
  build,
  folder,
  id,
  patient,
  receiver,
  testMachine,
  until,
  type Answer,
  type Client
} from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { withLedger } from '../support/postgres.ts'
import { prefix, requests } from '../support/examples.ts'

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const wallet = { country: 'ZMB', currency: 'ZMW' }

t.test('every table is listed as data of a ledger, or as an exception', async (t) => {
  const connection = new SQLite(':memory:')
  connection.exec(schema)
  const tables = connection
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    .all()
    .map(({ name }) => name)
  t.strictSame(
    tables.sort(),
    [...ledgerTableNames].sort(),
    'a new table needs a row in db/ledger-rows.ts'
  )
  connection.close()
})

/** Leaves something behind in every corner of an account. */
async function live (
  { call }: Client,
  url: string,
  headers: Record<string, string>
): Promise<string[]> {
  const ids: string[] = []
  const send = async (path: string, body: Record<string, any>): Promise<void> => {
    const { status } = await call('POST', path, body, headers)
    if (status >= 300) throw new Error(`${path} ${status}`)
    const [kind] = Object.entries(body).find(([name]) => name.endsWith('Id')) ?? []
    if (kind !== undefined) ids.push(body[kind])
  }
  await call(
    'PATCH',
    '/__admin/account',
    {
      companyName: 'Changed',
      callbacks: Object.fromEntries(
        ['deposits', 'payouts', 'refunds', 'remittances', 'splitPayments', 'checkouts'].map(
          (kind) => [kind, url]
        )
      )
    },
    headers
  )
  await call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' }, headers)
  await call(
    'POST',
    '/__admin/scenarios',
    {
      name: 'once',
      when: { kind: 'payout' },
      script: [
        { after: '1s', to: 'PROCESSING' },
        { after: '1d', to: 'COMPLETED' }
      ],
      times: 2
    },
    headers
  )
  for (const version of ['v1', 'v2'] as const) {
    for (const kind of ['deposits', 'payouts'] as const) {
      await send(
        `${prefix[version]}/${kind}`,
        requests[version][kind === 'deposits' ? 'deposit' : 'payout']!()
      )
    }
  }
  await send('/v2/remittances', requests.v2.remittance!())
  await send('/v2/split-payments', requests.v2.splitPayment!())
  await send('/v2/checkouts', {
    checkoutId: id(),
    returnUrl: 'https://shop.example/',
    expiresAfter: 3
  })
  await send('/v2/paymentpage', {
    depositId: id(),
    returnUrl: 'https://shop.example/',
    country: 'ZMB',
    amountDetails: { amount: '5', currency: 'ZMW' }
  })
  await call(
    'POST',
    '/v2/statements',
    {
      wallet,
      callbackUrl: url,
      startDate: '2026-02-01T00:00:00Z',
      endDate: '2026-02-28T00:00:00Z'
    },
    headers
  )
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' }, headers)
  await send('/v2/payouts', requests.v2.payout!())
  await call('POST', '/v2/deposits', '{', headers)
  await call('POST', '/__admin/clock/advance', { by: '10m' }, headers)
  return ids
}

/** Visible state of an account. */
async function sight (
  { call }: Client,
  headers: Record<string, string>
): Promise<Record<string, unknown>> {
  const get = async (path: string): Promise<any> =>
    (await call('GET', path, undefined, headers)).body
  return {
    payments: await get('/__admin/payments'),
    callbacks: await get('/__admin/callbacks'),
    scenarios: (await get('/__admin/scenarios')).scenarios,
    providers: await get('/__admin/providers'),
    settings: await get('/__admin/account'),
    clock: await get('/__admin/clock'),
    wallets: await get('/v2/wallet-balances'),
    error: (await call('POST', '/deposits', '{', headers)).body.errorId
  }
}

/** The rows of a ledger that has been closed, table by table; those of one account, or all. */
function rows (t: Test, db: string): Promise<Record<string, number>> {
  return withLedger(t, db, async (ledger) => {
    const counts: Record<string, number> = {}
    for (const table of ledgerRowTables) {
      counts[table] = Number(await ledger.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
    }
    return counts
  })
}

/** Writes the row that only a defect would write: a payment that was set aside. */
function setOneAside (t: Test, db: string): Promise<void> {
  return withLedger(t, db, (ledger) =>
    ledger.exec(
      "INSERT INTO set_aside SELECT ledger, seq, created, 'by hand' FROM payments LIMIT 1"
    )
  )
}

t.test('a reset account equals a new one, also after a restart', async (t) => {
  const { url } = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const systemClock = testMachine()
  const first = await build(t, { db }, systemClock)
  const start = await sight(first, as('sandbox-a'))
  await live(first, url, as('sandbox-a'))
  await first.app.close()
  await setOneAside(t, db)
  t.strictSame(
    Object.entries(await rows(t, db)).filter(([table, n]) => n === 0 && table !== 'held_callbacks'),
    [],
    'something stands in every table'
  )

  const second = await build(t, { db }, systemClock)
  t.strictSame((await second.call('POST', '/__admin/reset', undefined, as('sandbox-a'))).body, {
    reset: resetParts.filter((part) => part !== 'coverage'),
    kept: ['coverage']
  })
  t.strictSame(await sight(second, as('sandbox-a')), start)
  await second.app.close()
  t.strictSame(
    Object.entries(await rows(t, db)).filter(([, n]) => n > 0),
    [],
    'nothing is left'
  )
  const { error: _, ...third } = await sight(await build(t, { db }, systemClock), as('sandbox-a'))
  const { error: __, ...still } = start
  t.strictSame(third, still)
})

t.test('a reset account repeats the same results', async (t) => {
  const { url } = await receiver(t)
  const mock = await build(t, {}, testMachine())
  const tell = async () => {
    const body = { ...requests.v2.payout!(), payoutId: 'aaaaaaaa-0000-4000-8000-000000000001' }
    await mock.call('PATCH', '/__admin/account', { callbacks: { payouts: url } }, as('sandbox-a'))
    await mock.call(
      'PUT',
      '/__admin/clock',
      { mode: 'frozen', now: '2026-03-01T00:00:00Z' },
      as('sandbox-a')
    )
    const answers = [
      await mock.call('POST', '/v2/payouts', body, as('sandbox-a')),
      await mock.call('POST', '/payouts', '{', as('sandbox-a')),
      await mock.call('POST', '/__admin/clock/advance', { until: 'idle' }, as('sandbox-a')),
      await mock.call('GET', `/payouts/${body.payoutId}`, undefined, as('sandbox-a'))
    ]
    return answers.map(({ status, body }) => ({ status, body }))
  }
  const first = await tell()
  await mock.call('POST', '/__admin/reset', undefined, as('sandbox-a'))
  t.strictSame(await tell(), first)
})

t.test('a reset does not change other accounts', async (t) => {
  const { url } = await receiver(t)
  const mock = await build(t, {}, testMachine())
  for (const token of ['sandbox-a', 'sandbox-b']) await live(mock, url, as(token))
  const { error: _, ...before } = await sight(mock, as('sandbox-b'))
  await mock.call('POST', '/__admin/reset', undefined, as('sandbox-a'))
  const { error: __, ...after } = await sight(mock, as('sandbox-b'))
  t.strictSame(after, before)
  t.ok(
    (await mock.call('POST', '/__admin/clock/advance', { by: '3d' }, as('sandbox-b'))).body
      .transitions > 0,
    'and go on'
  )
})

/** Kept parts, and the visible state after the reset. */
const keeps: Array<[keep: string, seen: string[]]> = [
  ['', []],
  ['clock', ['clock']],
  ['payments,callbacks', ['payments', 'callbacks', 'wallets']],
  ['scenarios, providers', ['scenarios', 'providers']],
  ['settings', ['settings']],
  ['journal', []],
  [
    resetParts.join(),
    ['payments', 'callbacks', 'scenarios', 'providers', 'settings', 'clock', 'wallets']
  ]
]

t.test('a reset can keep parts', async (t) => {
  const { url } = await receiver(t)
  const systemClock = testMachine()
  const mock = await build(t, {}, systemClock)
  const start = await sight(mock, as('sandbox-start'))
  for (const [index, [keep, seen]] of keeps.entries()) {
    const headers = as(`sandbox-${index}`)
    await live(mock, url, headers)
    const before = await sight(mock, headers)
    t.equal(
      (
        await mock.call(
          'POST',
          `/__admin/reset?keep=${encodeURIComponent(keep)}`,
          undefined,
          headers
        )
      ).status,
      200
    )
    const after = await sight(mock, headers)
    for (const part of [
      'payments',
      'callbacks',
      'scenarios',
      'providers',
      'settings',
      'clock',
      'wallets'
    ]) {
      const wanted = (seen.includes(part) ? before : start)[part] as any
      // The name of an account never changes.
      const plain = (value: any) =>
        JSON.parse(
          JSON.stringify(value, (key, inner) =>
            key === 'name' || key === 'tokens' ? undefined : inner
          )
        )
      t.strictSame(plain(after[part]), plain(wanted), `${keep || 'nothing'}: ${part}`)
    }
  }
})

t.test('a wrong part to keep is refused', async (t) => {
  const mock = await openSandbox(t)
  for (const [keep, message, hint] of [
    [
      'clocks',
      /'clocks' is not a part of an account; the parts are payments, callbacks, .*journal/,
      'did you mean clock?'
    ],
    ['clock,wallets', /'wallets' is not a part/, undefined],
    ['payments', /payments and callbacks are kept only together/, 'use keep=payments,callbacks'],
    ['clock,callbacks', /payments and callbacks are kept only/, 'use keep=payments,callbacks']
  ] as const) {
    t.match(await mock.call('POST', `/__admin/reset?keep=${keep}`), {
      status: 400,
      body: { error: { message, ...(hint !== undefined && { hint }) } }
    })
  }
  for (const [body, message] of [
    [{ kep: ['clock'] }, /kep is not supported here; did you mean keep\?/],
    [{ keep: 'clock' }, /keep must be a list/],
    [{ keep: ['clok'] }, /'clok' is not a part/],
    [{ keep: ['payments'] }, /payments and callbacks are kept only together/],
    [['clock'], /the body must be/]
  ] as const) {
    t.match(
      await mock.call('POST', '/__admin/reset', body),
      { status: 400, body: { error: { code: 'BAD_REQUEST', message } } },
      JSON.stringify(body)
    )
  }
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' })
  t.strictSame(
    (await mock.call('POST', '/__admin/reset?keep=journal', { keep: ['clock'] })).body.kept,
    ['clock', 'journal', 'coverage'],
    'in the query and in the body'
  )
  t.match((await mock.call('GET', '/__admin/clock')).body, {
    mode: 'frozen',
    now: '2026-03-01T00:00:00.000Z'
  })
  t.strictSame((await mock.call('POST', '/__admin/reset', {})).body.kept, ['coverage'])
  t.match(await mock.call('POST', '/__admin/reset?kep=clock'), {
    status: 400,
    body: { error: { message: /did you mean keep\?/ } }
  })
})

for (const [what, act] of [
  [
    'a reset',
    (mock: Client) => mock.call('POST', '/__admin/reset?keep=settings', undefined, as('sandbox-a'))
  ],
  [
    'a restore',
    (mock: Client) =>
      mock.call('POST', '/__admin/snapshots/empty/restore', undefined, as('sandbox-a'))
  ],
  [
    'a deletion',
    async (mock: Client, url: string) => {
      await mock.call('DELETE', '/__admin/accounts/sandbox-a')
      return await mock.call(
        'PATCH',
        '/__admin/account',
        { callbacks: { deposits: url } },
        as('sandbox-a')
      )
    }
  ]
] as const) {
  t.test(`a callback in delivery during ${what} is cancelled and not recorded`, async (t) => {
    const { url, next } = await patient(t)
    const mock = await build(t)
    const send = async (): Promise<string> => {
      const body = requests.v2.deposit!()
      await mock.call('POST', '/v2/deposits', body, as('sandbox-a'))
      return body.depositId
    }
    const callbacks = async (): Promise<any[]> =>
      (await mock.call('GET', '/__admin/callbacks', undefined, as('sandbox-a'))).body.callbacks
    await mock.call('PATCH', '/__admin/account', { callbacks: { deposits: url } }, as('sandbox-a'))
    await mock.call('POST', '/__admin/snapshots', { name: 'empty' }, as('sandbox-a'))
    await send()
    const first = await next()
    const [{ id: old }] = await callbacks()
    t.equal((await act(mock, url)).status, 200)
    await first.cut
    first.answer(200)
    t.strictSame(await callbacks(), [])

    const depositId = await send()
    const second = await next()
    t.equal(second.body.depositId, depositId)
    const [shown] = await callbacks()
    t.not(shown.id, old, 'numbers are not given twice')
    t.match(
      shown,
      { state: 'PENDING', attempts: { length: 0 } },
      'what became of the old one is not told of the new one'
    )
    second.answer(200)
    t.match(await until(callbacks, ([{ state }]) => state === 'ACKNOWLEDGED'), [
      { attempts: [{ status: 200 }] }
    ])
  })
}

t.test('a busy receiver does not delay a reset', async (t) => {
  const { url, next } = await patient(t)
  const mock = await build(t, { callbackUrl: url, clock: 'frozen' })
  const callbacks = async (token: string): Promise<any[]> =>
    (await mock.call('GET', '/__admin/callbacks?limit=100', undefined, as(token))).body.callbacks
  await Promise.all(
    Array.from({ length: 40 }, () =>
      mock.call('POST', '/v2/deposits', requests.v2.deposit!(), as('sandbox-a'))
    )
  )
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), as('sandbox-b'))
  const run = (token: string) =>
    mock.call('PUT', '/__admin/clock', { mode: 'running', now: '2027-01-01T00:00:00Z' }, as(token))
  await run('sandbox-a')
  for (let n = 0; n < 32; n++) await next()
  await run('sandbox-b')
  await until(
    () => callbacks('sandbox-b'),
    ({ length }) => length === 1
  )
  // It now waits for a free slot, which no call shows.
  const since = Date.now()
  await until(
    async () => Date.now(),
    (now) => now > since + 100
  )
  await mock.call('POST', '/__admin/reset', undefined, as('sandbox-b'))
  t.strictSame(await callbacks('sandbox-b'), [])
  t.ok(
    (await callbacks('sandbox-a')).every(({ attempts }) => attempts.length === 0),
    'nobody has been answered yet'
  )
})

t.test('kept callbacks are delivered, and waits continue', async (t) => {
  const { url, next } = await patient(t)
  const mock = await openSandbox(t, { callbackUrl: url })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  const first = await next()
  await mock.call('POST', '/__admin/reset?keep=payments,callbacks')
  first.answer(500)
  const again = await next()
  t.strictSame(again.body, first.body)
  again.answer(200)
  const callbacks = async () => (await mock.call('GET', '/__admin/callbacks')).body.callbacks
  t.match(await until(callbacks, ([{ state }]) => state === 'ACKNOWLEDGED'), [
    { attempts: [{ status: 500 }, { status: 200 }] }
  ])
})

t.test('payments, advances and resets of one account can run in parallel', async (t) => {
  const { url } = await receiver(t)
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  for (let round = 0; round < 6; round++) {
    const advance = mock.call('POST', '/__admin/clock/advance', { by: '10s' })
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => mock.call('POST', '/v2/payouts', requests.v2.payout!())),
      mock.call('POST', '/__admin/reset'),
      ...Array.from({ length: 10 }, () =>
        mock.call('POST', '/v2/deposits', requests.v2.deposit!())
      ),
      mock.call('POST', '/__admin/reset?keep=clock'),
      mock.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' })
    ])
    // A reset interrupts an advance that waits for the receiver.
    const isInterrupted = ({ status, body }: Answer): boolean =>
      status === 409 && /the advance was interrupted by a reset/.test(body.error.message)
    t.same(
      answers.filter((answer) => answer.status !== 200 && !isInterrupted(answer)),
      []
    )
    const { status, body } = await advance
    t.ok(status === 200 || body.error.message.includes('interrupted'), `the advance: ${status}`)
  }
  await mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
  await mock.call('POST', '/__admin/reset')
  t.strictSame((await mock.call('GET', '/__admin/payments')).body.payments, [])
})
