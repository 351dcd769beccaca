import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { validateFiles } from '../../src/cli/validation.ts'
import { runCommand } from '../support/command-runner.ts'
import type { Config } from '../../src/config/config.ts'
import { completeConfig } from '../../src/config/load-config.ts'
import type { FixturePayment } from '../../src/services/fixture.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isFinal, statusesOf, type Status } from '../../src/domain/status.ts'
import { but, requests } from '../support/examples.ts'
import { build, folder, id, receiver, testMachine, type Mock } from '../support/helper.ts'

/** Wallets and payments of the configuration that exist at the start. */

const start = '2026-01-31T12:00:00.000Z'
const yesterday = '2026-01-30T12:00:00.000Z'

const frozen = (t: Parameters<typeof build>[0], config: Partial<Config>): Promise<Mock> =>
  build(t, { clock: 'frozen', ...config }, testMachine(start))

const checkout = () => ({
  checkoutId: id(),
  returnUrl: 'https://shop.example/back',
  countries: ['ZMB'],
  amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '10' }]
})
const payer = { provider: 'MTN_MOMO_ZMB', phoneNumber: '260763456789', country: 'ZMB' }

/** Every status of every kind in every version that has it. */
const rows = (['v1', 'v2'] as const).flatMap((version) =>
  Object.values(kinds)
    .filter((kind) => kind.versions.includes(version) && kind.name !== 'refund')
    .flatMap((kind) => statusesOf(kind).map((status) => ({ version, kind, status })))
)

t.test('the table has every kind of payment', async (t) => {
  t.same(new Set(rows.map(({ kind }) => kind.name)).size, Object.keys(kinds).length - 1)
})

for (const { version, kind, status } of rows) {
  t.test(`${version} ${kind.name} ${status}: it exists since yesterday`, async (t) => {
    const merchant = await receiver(t)
    const request = kind.name === 'checkout' ? checkout() : requests[version][kind.name]!()
    const ident = (request as Record<string, string>)[kind.idField]
    // A checkout that still waits must not be older than its time.
    const isWaiting = kind.name === 'checkout' && !isFinal(status)
    const at = isWaiting ? '2026-01-31T11:59:00.000Z' : yesterday
    const payment = {
      kind: kind.name,
      version,
      status,
      at,
      request,
      ...(kind.name === 'checkout' && { payer })
    } as FixturePayment
    const mock = await frozen(t, { callbackUrl: merchant.url, fixtures: [{ payments: [payment] }] })
    await mock.app.settle()
    const { body } = await mock.call('GET', `/__admin/payments/${kind.name}/${ident}`)
    t.match(body, { id: ident, status, version, created: at })
    for (const { at: moved } of body.history) t.ok(moved >= at.slice(0, 19), moved)
    t.match((await mock.call('GET', '/__admin/invariants')).body, { hold: true })
    await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
    t.equal(merchant.received.length, 0, 'no callback is sent')
    const after = (await mock.call('GET', `/__admin/payments/${kind.name}/${ident}`)).body
    t.equal(after.status, status, 'it does not move by itself')
  })
}

for (const version of ['v1', 'v2'] as const) {
  t.test(`${version} refund: it belongs to a deposit of the fixtures`, async (t) => {
    for (const status of [
      'ACCEPTED',
      'ENQUEUED',
      'PROCESSING',
      'COMPLETED',
      'FAILED'
    ] as Status[]) {
      const deposit = requests[version].deposit!()
      const refund = but(requests[version].refund!(), 'depositId', deposit.depositId)
      const mock = await frozen(t, {
        fixtures: [
          {
            // The refund comes first in the list.
            payments: [
              { kind: 'refund', version, status, ago: '1h', request: refund },
              { kind: 'deposit', version, ago: '2h', request: deposit }
            ]
          }
        ]
      })
      const { body } = await mock.call('GET', `/__admin/payments/refund/${refund.refundId}`)
      t.match(body, { status, created: '2026-01-31T11:00:00.000Z' })
      t.match((await mock.call('GET', '/__admin/invariants')).body, { hold: true })
    }
  })
}

t.test('a fixture can be acted on like any payment', async (t) => {
  const merchant = await receiver(t)
  const [open, paid] = [requests.v2.deposit!(), requests.v2.deposit!()]
  const mock = await frozen(t, {
    callbackUrl: merchant.url,
    fixtures: [
      {
        payments: [
          { kind: 'deposit', status: 'PROCESSING', request: open },
          { kind: 'deposit', ago: '3d', request: paid }
        ]
      }
    ]
  })
  const path = `/__admin/payments/deposit/${open.depositId}/move`
  t.equal((await mock.call('POST', path, { to: 'COMPLETED' })).status, 200)
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  t.match(merchant.received, [{ body: { depositId: open.depositId, status: 'COMPLETED' } }])
  const refund = but(requests.v2.refund!(), 'depositId', paid.depositId)
  t.equal((await mock.call('POST', '/v2/refunds', refund)).body.status, 'ACCEPTED')
  const again = await mock.call('POST', '/v2/deposits', paid)
  t.equal(again.body.status, 'DUPLICATE_IGNORED')
})

const wallet = { country: 'ZMB', currency: 'ZMW', available: '500.00' }
const readWallet = async (mock: Mock, token = 'test-token'): Promise<string> =>
  (
    await mock.call('GET', '/__admin/wallets?country=ZMB', undefined, {
      authorization: `Bearer ${token}`
    })
  ).body.wallets[0].available

t.test('a restart repeats no fixture, and a reset creates them again', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const fixtures = [
    {
      payments: [{ kind: 'payout' as const, ago: '1d', request: requests.v2.payout!() }],
      wallets: [wallet]
    }
  ]
  const count = async (mock: Mock): Promise<number> =>
    (await mock.call('GET', '/__admin/payments')).body.payments.length
  const first = await frozen(t, { db, fixtures })
  t.equal(await readWallet(first), '500.00')
  await first.call('POST', '/v2/payouts', requests.v2.payout!())
  t.equal(await readWallet(first), '485.00')
  await first.app.close()
  const second = await frozen(t, { db, fixtures })
  t.equal(await readWallet(second), '485.00', 'the wallet is not set again')
  t.equal(await count(second), 2)
  await second.call('POST', '/__admin/reset?keep=payments,callbacks')
  t.equal(await readWallet(second), '485.00', 'a reset that keeps the payments')
  await second.call('POST', '/__admin/snapshots', { name: 'two' })
  await second.call('POST', '/__admin/reset')
  t.equal(await readWallet(second), '500.00', 'a reset')
  t.equal(await count(second), 1)
  await second.call('POST', '/__admin/snapshots/two/restore')
  t.equal(await readWallet(second), '485.00', 'a restore')
  await second.app.close()
  const more = [{ ...fixtures[0], payments: [...fixtures[0].payments, ...fixtures[0].payments] }]
  more[0].payments[1] = { ...more[0].payments[1], request: requests.v2.payout!() }
  const third = await frozen(t, { db, fixtures: more })
  t.equal(await count(third), 3, 'changed fixtures add what is new')
  t.match((await third.call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('fixtures are there during resets, also two at once', async (t) => {
  const ids = Array.from({ length: 60 }, () => id())
  const payments = ids.map((depositId): FixturePayment => ({
    kind: 'deposit',
    status: 'COMPLETED',
    at: yesterday,
    request: { ...requests.v2.deposit!(), depositId }
  }))
  const { call } = await frozen(t, { fixtures: [{ payments }] })
  for (let round = 0; round < 10; round++) {
    const done = new AbortController()
    const statuses = new Set<string>()
    const check = async (depositId: string): Promise<void> => {
      while (!done.signal.aborted) {
        statuses.add((await call('GET', `/v2/deposits/${depositId}`)).body.status)
      }
    }
    const checks = [ids[0], ids[59]].map(check)
    const resets = await Promise.all([
      call('POST', '/__admin/reset'),
      call('POST', '/__admin/reset')
    ])
    done.abort()
    await Promise.all(checks)
    t.strictSame(
      resets.map(({ status }) => status),
      [200, 200]
    )
    t.strictSame(statuses, new Set(['FOUND']))
    t.equal((await call('GET', '/__admin/payments/counts')).body.total, ids.length)
  }
})

t.test('fixtures belong to their account', async (t) => {
  const make = (account?: string) => ({
    ...(account !== undefined && { account }),
    payments: [{ kind: 'deposit' as const, request: requests.v2.deposit!() }],
    wallets: [wallet]
  })
  const mock = await frozen(t, {
    accounts: [{ name: 'shop', tokens: [{ token: 'shop-token' }] }],
    fixtures: [make(), make('shop'), make('sandbox-ci')]
  })
  for (const token of ['test-token', 'shop-token', 'sandbox-ci']) {
    const authorization = `Bearer ${token}`
    const { body } = await mock.call('GET', '/__admin/payments', undefined, { authorization })
    t.match(body.payments, [{ kind: 'deposit', status: 'COMPLETED' }], token)
    t.equal(await readWallet(mock, token), '500.00', token)
  }
  t.equal(await readWallet(mock, 'sandbox-other'), '1000000.00')
})

t.test('scenarios, outages and test numbers do not change a fixture', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await frozen(t, { db })
  await first.call('POST', '/__admin/scenarios', { name: 'no', reject: 'INVALID_AMOUNT' })
  await first.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' })
  await first.app.close()
  const poor = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763456039')
  const fixtures = [{ payments: [{ kind: 'deposit' as const, request: poor }] }]
  const second = await frozen(t, { db, fixtures })
  const { body } = await second.call('GET', `/__admin/payments/deposit/${poor.depositId}`)
  t.match(body, { status: 'COMPLETED', scenario: 'fixture', why: 'a fixture of the configuration' })
  t.match((await second.call('GET', '/__admin/scenarios')).body.scenarios, [{ used: 0 }])
})

const deposit = () => requests.v2.deposit!()
const payments = (payment: object): object[] => [{ payments: [payment] }]

/** Refused by the configuration itself, also by `momock validate`. */
const wrongs: Array<[what: string, fixtures: object[], says: RegExp]> = [
  [
    'an unknown account',
    [{ account: 'shpo' }],
    /fixtures\.0\.account 'shpo' is neither an account/
  ],
  [
    'an unknown wallet',
    [{ wallets: [{ ...wallet, currency: 'EUR' }] }],
    /fixtures\.0\.wallets\.0 is no wallet: no provider in ZMB has EUR/
  ],
  [
    'a kind that v1 does not have',
    payments({ kind: 'remittance', version: 'v1', request: {} }),
    /payments\.0\.kind 'remittance' is not part of v1/
  ],
  [
    'a status of another kind',
    payments({ kind: 'deposit', status: 'ENQUEUED', request: deposit() }),
    /payments\.0\.status must be a status of a deposit: ACCEPTED, PROCESSING/
  ],
  [
    'a code without a failure',
    payments({ kind: 'deposit', failureCode: 'UNKNOWN_ERROR', request: deposit() }),
    /payments\.0\.failureCode goes with the status FAILED/
  ],
  [
    'a code of another kind',
    payments({
      kind: 'deposit',
      status: 'FAILED',
      failureCode: 'RECIPIENT_NOT_FOUND',
      request: deposit()
    }),
    /'RECIPIENT_NOT_FOUND' is not a failure of a deposit.*: PAYER_NOT_FOUND/
  ],
  [
    'two times',
    payments({ kind: 'deposit', at: yesterday, ago: '1d', request: deposit() }),
    /payments\.0\.ago does not go with at/
  ],
  [
    'a payer of a deposit',
    payments({ kind: 'deposit', payer, request: deposit() }),
    /payments\.0\.payer goes with a checkout only/
  ],
  [
    'a body without a field',
    payments({ kind: 'deposit', request: but(deposit(), 'amount') }),
    /payments\.0\.request: amount is required/
  ]
]

t.test('a wrong fixture is refused with its field before anything is stored', async (t) => {
  for (const [what, fixtures, says] of wrongs) {
    const config = completeConfig({ db: ':memory:', fixtures: fixtures as Config['fixtures'] })
    await t.rejects(build(t, config), { name: 'ConfigError', message: says }, what)
    const path = join(folder(t), 'momock.json')
    writeFileSync(path, JSON.stringify({ fixtures }, null, 2))
    t.match((await validateFiles([path])).problems.join('\n'), says, `${what}: validate`)
  }
  const shape = { fixtures: payments({ kind: 'deposit', status: 'DONE', request: {} }) as never }
  t.throws(() => completeConfig(shape), /fixtures\.0\.payments\.0\.status must be a status/)
})

/** Refused by a rule, because the ledger decides. */
const refused: Array<[what: string, payment: object, says: RegExp]> = [
  [
    'an unknown provider',
    { kind: 'deposit', request: but(deposit(), 'payer.accountDetails.provider', 'NOPE') },
    /fixtures\.0\.payments\.0: .*'NOPE': no such provider/
  ],
  [
    'too much money',
    { kind: 'payout', request: but(requests.v2.payout!(), 'amount', '99999') },
    /fixtures\.0\.payments\.0: .*amount/
  ],
  [
    'a refund of nothing',
    { kind: 'refund', request: requests.v2.refund!() },
    /fixtures\.0\.payments\.0: .*deposit/
  ],
  [
    'the future',
    { kind: 'deposit', at: '2026-02-01T00:00:00Z', request: deposit() },
    /fixtures\.0\.payments\.0\.at must not be after 2026-01-31T12:00:00\.000Z/
  ],
  [
    'a checkout that nobody pays',
    { kind: 'checkout', request: checkout() },
    /fixtures\.0\.payments\.0: .*provider is required/
  ]
]

t.test('a fixture that a rule refuses stops the start; validate and doctor find it', async (t) => {
  for (const [what, payment, says] of refused) {
    const fixtures = payments(payment) as Config['fixtures']
    await t.rejects(frozen(t, { fixtures }), { name: 'ConfigError', message: says }, what)
    // The clock of commands is the system clock.
    if (what === 'the future') continue
    const cwd = folder(t)
    const path = join(cwd, 'momock.json')
    writeFileSync(path, JSON.stringify({ fixtures }, null, 2))
    t.match((await validateFiles([path])).problems.join('\n'), says, `${what}: validate`)
    const { code, stderr } = await runCommand(t, ['doctor', '--config', path], { cwd })
    t.match({ code, stderr }, { code: 2, stderr: says }, `${what}: doctor`)
  }
})

/** Money of an account whose wallet is empty at first. */
const poor = [{ name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '0.00' }] }]
const paid = requests.v2.deposit!()
const part = (amount: string): object => ({
  kind: 'refund',
  ago: '1h',
  request: { ...requests.v2.refund!(), depositId: paid.depositId, amount }
})
const payout = (ago: string, more: object = {}): object => ({
  kind: 'payout',
  ago,
  request: requests.v2.payout!(),
  ...more
})
const source = { kind: 'deposit', ago: '2h', request: paid }

/** Payments that need others of the same list; undefined is no refusal. */
const lists: Array<[what: string, payments: object[], says?: RegExp]> = [
  ['two refunds of one deposit', [part('5'), source, part('10')]],
  ['more refunds than the deposit', [source, part('5'), part('11')], /payments\.2: .*amount/],
  ['a payout of what came in before', [payout('1h'), source]],
  ['a payout of what comes later', [source, payout('3h')], /payments\.1: .*does not hold 15/],
  ['two payouts of one deposit', [source, payout('1h'), payout('1h')], /payments\.2: .*hold 15/],
  [
    'a payout of the money of a failed one',
    [payout('30m'), source, payout('1h', { status: 'FAILED' })]
  ]
]

t.test('payments of a fixture follow each other in the order of their times', async (t) => {
  for (const [what, payments, says] of lists) {
    const fixtures = [{ payments }] as Config['fixtures']
    if (says !== undefined) {
      const start = frozen(t, { accounts: poor, fixtures })
      await t.rejects(start, { name: 'ConfigError', message: says }, what)
      continue
    }
    const mock = await frozen(t, { accounts: poor, fixtures })
    const { body } = await mock.call('GET', '/__admin/payments')
    t.equal(body.payments.length, payments.length, what)
    t.equal(await readWallet(mock), '0.00', what)
    t.match((await mock.call('GET', '/__admin/invariants')).body, { hold: true })
  }
})

t.test('a new fixture that an older ledger refuses is left out', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await frozen(t, { db, accounts: poor })
  const settings = { accounts: poor, db, fixtures: [{ payments: [source] }] as Config['fixtures'] }
  await first.app.close()
  const second = await frozen(t, settings)
  t.match(await second.call('POST', '/v2/payouts', requests.v2.payout!()), { status: 200 })
  await second.app.close()
  const [left, added] = [payout('1h'), { kind: 'deposit', request: deposit() }]
  settings.fixtures = [{ payments: [source, left, added] }] as Config['fixtures']
  const third = await frozen(t, settings)
  const { body } = await third.call('GET', '/__admin/payments')
  t.match(body.payments, [{ kind: 'deposit' }, { kind: 'payout' }, { kind: 'deposit' }])
  t.equal(body.payments.length, 3)
})

t.test('a start that a fixture stops changes nothing', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const good = { kind: 'deposit' as const, request: deposit() }
  const fixtures = [
    { payments: [good, { kind: 'refund' as const, request: requests.v2.refund!() }] },
    { account: 'sandbox-other', payments: [good], wallets: [wallet] }
  ]
  await t.rejects(frozen(t, { db, fixtures }), { name: 'ConfigError' })
  t.notOk(existsSync(db), 'no ledger is created')

  const used = await frozen(t, { db })
  await used.call('POST', '/v2/payouts', requests.v2.payout!())
  await used.app.close()
  const accounts = [{ name: 'shop', tokens: [{ token: 'shop-token' }] }]
  await t.rejects(frozen(t, { db, fixtures, accounts }), { name: 'ConfigError' })
  const after = await frozen(t, { db })
  const { body } = await after.call('GET', '/__admin/payments')
  t.match(body.payments, [{ kind: 'payout' }])
  t.equal(body.payments.length, 1)
  const listed = (await after.call('GET', '/__admin/accounts')).body.accounts
  t.strictSame(
    listed.map(({ name }: { name: string }) => name),
    ['default'],
    'no account is created'
  )
  t.match((await after.call('GET', '/__admin/invariants')).body, { hold: true })
})
