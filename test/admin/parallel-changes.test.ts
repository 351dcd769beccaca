import t from 'tap'
import { requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Changes of an account and requests to it at the same time: none removes the other. */

t.test('settings that are changed at once are all kept', async (t) => {
  const { call } = await openSandbox(t)
  for (let round = 0; round < 10; round++) {
    const parts = [
      { companyName: `Shop ${round}` },
      { callbacks: { deposits: `https://shop.example/${round}` } },
      { signedCallbacks: round % 2 === 0 },
      { signatureEncoding: ['der', 'p1363'][round % 2] },
      { callbacks: { payouts: `https://shop.example/${round}` } }
    ]
    const answers = await Promise.all(parts.map((part) => call('PATCH', '/__admin/account', part)))
    t.ok(answers.every(({ status }) => status === 200))
    const url = `https://shop.example/${round}`
    const callbacks = { deposits: url, payouts: url }
    const { settings, patched } = (await call('GET', '/__admin/account')).body
    t.match(settings, Object.assign({}, ...parts, { callbacks }))
    t.strictSame(new Set(patched), new Set(parts.flatMap((part) => Object.keys(part))))
  }
})

t.test('a wrong change does not disturb another at the same moment', async (t) => {
  const { call } = await openSandbox(t)
  await call('PATCH', '/__admin/account', { callbacks: { deposits: 'https://shop.example/' } })
  for (let round = 0; round < 10; round++) {
    const [, wrong] = await Promise.all([
      call('PATCH', '/__admin/account', { companyName: `Shop ${round}` }),
      call('PATCH', '/__admin/account', { amounts: 'no such', companyName: 'Wrong' })
    ])
    t.match(wrong, { status: 400, body: { error: { message: /^amounts must be/ } } })
    const { body } = await call('GET', '/__admin/account')
    t.equal(body.settings.companyName, `Shop ${round}`)
  }
})

t.test('an opening balance counts, or its change is refused', async (t) => {
  const wallets = [{ country: 'ZMB', currency: 'ZMW', balance: '500.00' }]
  for (let round = 0; round < 15; round++) {
    const { call } = await openSandbox(t)
    const [changed] = await Promise.all([
      call('PATCH', '/__admin/account', { wallets }),
      call('POST', '/v2/payouts', requests.v2.payout!())
    ])
    const { body } = await call('GET', '/v2/wallet-balances?country=ZMB')
    const wanted: Record<number, string> = { 200: '485.00', 409: '999985.00' }
    t.equal(body.balances[0].balance, wanted[changed.status])
  }
})

/** Calls that clear the journal together with the payments. */
const clearings: Array<[name: string, path: string]> = [
  ['a reset', '/__admin/reset'],
  ['the restore of a snapshot', '/__admin/snapshots/empty/restore']
]

for (const [name, path] of clearings) {
  t.test(`the journal has all payments that are sent after ${name}`, async (t) => {
    const { call } = await openSandbox(t)
    await call('POST', '/__admin/snapshots', { name: 'empty' })
    for (let round = 0; round < 8; round++) {
      const cleared = new AbortController()
      const send = () => call('POST', '/v2/deposits', requests.v2.deposit!())
      const clients = Array.from({ length: 4 }, async () => {
        while (!cleared.signal.aborted) await send()
        await send()
      })
      t.match(await call('POST', path), { status: 200 })
      cleared.abort()
      await Promise.all(clients)
      const { body } = await call('GET', '/__admin/requests')
      const noted = new Set(body.requests.map(({ request }: any) => request.body.depositId))
      const { payments } = (await call('GET', '/__admin/payments')).body
      t.ok(payments.length > 0)
      t.strictSame(
        payments.filter(({ id }: { id: string }) => !noted.has(id)),
        []
      )
    }
  })
}

t.test('calls about a part are answered while the account is reset', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const sink = '/__admin/sink/shop'
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  const statuses = new Set<number>()
  for (let round = 0; round < 12; round++) {
    const body = requests.v2.splitPayment!()
    await call('PATCH', '/__admin/account', { callbacks: { splitPayments: `http://127.0.0.1${sink}` } })
    await call('POST', '/v2/split-payments', body)
    await call('POST', '/__admin/clock/advance', { until: 'idle' })
    const part = `/__admin/payments/payout/${body.splits[0].payoutId}`
    const [callback] = (await call('GET', '/__admin/callbacks')).body.callbacks
    const reset = call('POST', '/__admin/reset', { keep: ['clock'] })
    const done = new AbortController()
    reset.finally(() => done.abort())
    while (!done.signal.aborted) {
      const answers = await Promise.all([
        call('GET', part),
        call('POST', `${part}/move`, { to: 'FAILED' }),
        call('POST', `/__admin/callbacks/${callback.id}/resend`)
      ])
      for (const { status } of answers) statuses.add(status)
    }
    t.equal((await reset).status, 200)
  }
  t.strictSame([...statuses].filter((status) => status >= 500), [])
  t.ok(statuses.has(404))
})
