import { join } from 'node:path'
import t from 'tap'
import { but, requests } from '../support/examples.ts'
import { build, folder, receiver, testMachine, until, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Wallets that a tester sets and tops up, before and after payments have used them. */

const path = '/__admin/wallets/ZMB/ZMW'

async function readWallet (mock: Client) {
  const { body } = await mock.call('GET', '/__admin/wallets?country=ZMB')
  return body.wallets[0]
}

async function audit (mock: Client): Promise<string[]> {
  const { body } = await mock.call('GET', '/__admin/invariants')
  return body.invariants.filter(({ broken }: { broken: number }) => broken > 0)
}

const outgoing = [
  { version: 'v1', kind: 'payout', initiate: '/payouts' },
  { version: 'v2', kind: 'payout', initiate: '/v2/payouts' },
  { version: 'v2', kind: 'remittance', initiate: '/v2/remittances' }
] as const

const changes = [
  { call: 'PUT', to: path, body: { available: '10.00' }, available: '10.00' },
  { call: 'PUT', to: path, body: { available: '500' }, available: '500.00' },
  { call: 'PUT', to: path, body: { available: '0' }, available: '0.00' },
  { call: 'POST', to: `${path}/top-up`, body: { amount: '0.5' }, available: '85.50' }
] as const

for (const { version, kind, initiate } of outgoing) {
  for (const { call, to, body, available } of changes) {
    const subject = `${version} ${kind}, ${call} ${JSON.stringify(body)}`
    t.test(`${subject}: a used wallet changes and its entries explain it`, async (t) => {
      const mock = await build(t, {
        clock: 'frozen',
        accounts: [
          { name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '100.00' }] }
        ]
      })
      const make = requests[version][kind]!
      t.equal((await mock.call('POST', initiate, make())).body.status, 'ACCEPTED')
      t.match(await readWallet(mock), { available: '85.00', reserved: '15.00', used: true })
      const changed = await mock.call(call, to, body)
      t.equal(changed.status, 200)
      t.strictSame(changed.body, {
        country: 'ZMB',
        currency: 'ZMW',
        available,
        reserved: '15.00',
        used: true
      })
      t.strictSame(await readWallet(mock), changed.body)
      t.strictSame(await audit(mock), [])
      const next = (await mock.call('POST', initiate, make())).body.status
      t.equal(next, Number(available) < 15 ? 'REJECTED' : 'ACCEPTED')
      await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
      t.match(await readWallet(mock), { reserved: '0.00' }, 'payments end as usual')
      t.strictSame(await audit(mock), [])
    })
  }
}

t.test('a wallet holds exactly the most that it can hold', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  await mock.call('PUT', path, { available: '999999999999.98' })
  t.match(await mock.call('POST', `${path}/top-up`, { amount: '0.01' }), {
    status: 200,
    body: { available: '999999999999.99' }
  })
  t.equal((await mock.call('POST', `${path}/top-up`, { amount: '0.01' })).status, 400)
  t.match(await readWallet(mock), { available: '999999999999.99' })
})

t.test('a wallet that was not used yet can be set, and keeps its opening entry', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, clock: 'frozen' })
  t.match(await readWallet(first), { available: '1000000.00', reserved: '0.00', used: false })
  await first.call('POST', `${path}/top-up`, { amount: '1.00' })
  t.match(await readWallet(first), { available: '1000001.00', used: true })
  await first.call('PUT', path, { available: '20.00' })
  await first.call('PUT', path, { available: '20.00' })
  await first.app.close()
  const second = await build(t, { db, clock: 'frozen' })
  t.match(await readWallet(second), { available: '20.00', used: true }, 'after a restart')
  t.strictSame(await audit(second), [])
  await second.call('POST', '/__admin/reset')
  t.match(await readWallet(second), { available: '1000000.00', used: false }, 'after a reset')
})

t.test('a snapshot keeps a wallet that was set', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  await mock.call('PUT', path, { available: '20.00' })
  await mock.call('POST', '/__admin/snapshots', { name: 'set' })
  await mock.call('PUT', path, { available: '30.00' })
  await mock.call('POST', '/__admin/snapshots/set/restore')
  t.match(await readWallet(mock), { available: '20.00' })
  t.strictSame(await audit(mock), [])
})

t.test('a statement names the opening balance and each change', async (t) => {
  const merchant = await receiver(t)
  const mock = await build(t, { clock: 'frozen' }, testMachine('2026-01-31T12:00:00.000Z'))
  await mock.call('POST', '/v2/payouts', but(requests.v2.payout!(), 'amount', '5'))
  await mock.call('PUT', path, { available: '500.00' })
  await mock.call('POST', `${path}/top-up`, { amount: '1.50' })
  const { statementId } = (
    await mock.call('POST', '/v2/statements', {
      wallet: { country: 'ZMB', currency: 'ZMW' },
      callbackUrl: merchant.url,
      startDate: '2026-01-31T00:00:00',
      endDate: '2026-02-01T00:00:00',
      compressed: false
    })
  ).body
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const { data } = await until(
    async () => (await mock.call('GET', `/v2/statements/${statementId}`)).body,
    ({ data }) => data.status === 'COMPLETED'
  )
  const file = await mock.app.http.inject(new URL(data.downloadUrl).pathname)
  const lines = file.body.trim().split('\r\n').slice(1)
  t.strictSame(
    lines.map((line) => [1, 6, 9].map((column) => line.split(',')[column])),
    [
      ['CREDIT', '1000000.00', 'Opening balance'],
      ['DEBIT', '-5.00', 'payout accepted'],
      ['DEBIT', '-999495.00', 'Balance changed by the tester'],
      ['CREDIT', '1.50', 'Balance changed by the tester']
    ]
  )
})

const other = [{ country: 'RWA', currency: 'RWF', balance: '7' }]
const own = (balance: string) => [{ country: 'ZMB', currency: 'ZMW', balance }]

const patches: Array<[what: string, wallets: object[] | null, status: number]> = [
  ['another balance of a used wallet', own('500.00'), 409],
  ['the same balance of a used wallet', own('100'), 200],
  ['the same balance, and one of another wallet', [...own('100.00'), ...other], 200],
  ['another balance among others', [...other, ...own('99.99')], 409],
  ['only another wallet', other, 200],
  ['no opening balances any more', null, 200]
]

t.test('a PATCH with another opening balance of a used wallet is refused', async (t) => {
  for (const [what, wallets, status] of patches) {
    const mock = await build(t, {
      clock: 'frozen',
      accounts: [{ name: 'default', wallets: [...own('100.00')] as never }]
    })
    await mock.call('POST', '/v2/payouts', requests.v2.payout!())
    const before = (await mock.call('GET', '/__admin/account')).body
    const answer = await mock.call('PATCH', '/__admin/account', { companyName: 'New', wallets })
    t.equal(answer.status, status, what)
    if (status === 200) {
      t.equal(answer.body.settings.companyName, 'New')
      continue
    }
    t.match(answer.body.error, {
      code: 'CONFLICT',
      message: /^wallets changes the opening balance of ZMB ZMW, but money was already moved/,
      hint: /^PUT \/__admin\/wallets\/ZMB\/ZMW with \{ "available": "[0-9.]+" \} sets the money$/
    })
    t.strictSame((await mock.call('GET', '/__admin/account')).body, before, 'nothing changed')
    t.match(await readWallet(mock), { available: '85.00' })
    const [, json] = /with (\{.*\})/.exec(answer.body.error.hint)!
    t.equal((await mock.call('PUT', path, JSON.parse(json))).status, 200, 'the hint works')
  }
})

t.test('a PATCH sets the opening balance of a wallet that was not used', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  await mock.call('PATCH', '/__admin/account', { wallets: own('500.00') })
  t.match(await readWallet(mock), { available: '500.00', used: false })
})

const refused: Array<
  [
    what: string,
    method: string,
    path: string,
    body: object,
    status: number,
    message: RegExp,
    hint: RegExp
  ]
> = [
  [
    'an unknown country',
    'PUT',
    '/__admin/wallets/ZMA/ZMW',
    { available: '5' },
    404,
    /this account has no ZMW wallet in ZMA/,
    /did you mean ZMB\?/
  ],
  [
    'a currency of another country',
    'PUT',
    '/__admin/wallets/COD/ZMW',
    { available: '5' },
    404,
    /no ZMW wallet in COD/,
    /its wallets in COD: CDF, USD/
  ],
  ['a number', 'PUT', path, { available: 500 }, 400, /available must be/, /"available"/],
  ['too many decimals', 'PUT', path, { available: '1.005' }, 400, /available must be/, /./],
  ['a negative amount', 'PUT', path, { available: '-1' }, 400, /available must be/, /./],
  ['no amount', 'PUT', path, {}, 400, /available is required/, /./],
  ['another field', 'PUT', path, { available: '1', balance: '1' }, 400, /balance/, /./],
  [
    'more than a wallet can hold',
    'POST',
    `${path}/top-up`,
    { amount: '999999999999.99' },
    400,
    /amount is too large: a wallet can hold at most 999999999999.99/,
    /"amount"/
  ],
  ['a negative top-up', 'POST', `${path}/top-up`, { amount: '-5' }, 400, /amount must be/, /./]
]

t.test('a wrong change of a wallet is refused and changes nothing', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  for (const [what, method, path, body, status, message, hint] of refused) {
    const answer = await mock.call(method, path, body)
    t.equal(answer.status, status, what)
    t.match(answer.body.error, { message, hint }, what)
  }
  t.match(await readWallet(mock), { available: '1000000.00', used: false })
})

t.test('another account keeps its wallet', async (t) => {
  const mock = await build(t)
  await mock.call('PUT', path, { available: '1.00' })
  const { body } = await mock.call('GET', '/__admin/wallets?country=ZMB', undefined, {
    authorization: 'Bearer sandbox-other'
  })
  t.match(body.wallets, [{ available: '1000000.00', used: false }])
})
