import { join } from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import t, { type Test } from 'tap'
import type { Connection } from '../../db/connection.ts'
import { createApp } from '../../src/app.ts'
import { requests } from '../support/examples.ts'
import { build, folder, type Mock } from '../support/helper.ts'
import { withLedger } from '../support/postgres.ts'

/** Accounts whose rows cannot be read: the server starts, the other accounts go on. */

const broken = { authorization: 'Bearer sandbox-broken' }
const whole = { authorization: 'Bearer sandbox-whole' }
const url = 'http://127.0.0.1:9/callbacks'

const setState = (change: (state: any) => unknown) => async (ledger: Connection): Promise<void> => {
  const text = await ledger
    .prepare<[string], string>('SELECT state FROM accounts WHERE name = ?')
    .pluck()
    .get('sandbox-broken')
  const changed = change(JSON.parse(String(text)))
  ledger
    .prepare('UPDATE accounts SET state = ? WHERE name = ?')
    .run(typeof changed === 'string' ? changed : JSON.stringify(changed), 'sandbox-broken')
}
const withPart = (part: object) => setState((state) => ({ ...state, ...part }))

/** Damages of the rows of an account, and what the server says of them. */
const damages: Array<[what: string, damage: (ledger: Connection) => unknown, says: RegExp]> = [
  ['a state that is not JSON', setState(() => '{'), /the state is not JSON/],
  ['a state that is a list', setState(() => '[]'), /the state must be an object/],
  ['a clock that is a text', withPart({ clock: 'x' }), /clock must be a clock, got "x"/],
  [
    'a clock without a time',
    setState((state) => ({ ...state, clock: { ...state.clock, base: null } })),
    /clock\.base must be a time .*, got null/
  ],
  ['wallets that are a text', withPart({ patched: { wallets: 'x' } }), /patched\.wallets must be/],
  ['scenarios that are a text', withPart({ rules: 'x' }), /rules must be a list of scenarios/],
  [
    'a scenario that contradicts itself',
    withPart({ rules: [{ name: 'x', written: { fail: 'UNKNOWN_ERROR', script: [] } }] }),
    /rules\.0\.written/
  ],
  ['an outage of an unknown kind', withPart({ outages: { X: { DEPOSIT: 'x' } } }), /outages\.X/],
  [
    'callbacks in the queue of something else',
    async (ledger) => {
      await ledger.exec('UPDATE callbacks SET queue = 1')
      await ledger.exec('UPDATE due_queue SET queue = 1 WHERE queue > 15')
    },
    /its callbacks cannot be sent/
  ]
]

async function prepare (t: Test, damage: (ledger: Connection) => unknown): Promise<string> {
  const db = join(folder(t), 'ledger.db')
  const { app, call } = await build(t, { db, clock: 'frozen' })
  await call('PATCH', '/__admin/account', { callbacks: { deposits: url } }, broken)
  await call('POST', '/v2/deposits', requests.v2.deposit!(), broken)
  await call('POST', '/__admin/clock/advance', { by: '1s' }, broken)
  await call('POST', '/v2/deposits', requests.v2.deposit!(), whole)
  await app.close()
  await withLedger(t, db, damage)
  return db
}

const accountOf = async ({ call }: Mock): Promise<any> =>
  (await call('GET', '/__admin/accounts')).body.accounts.find(
    ({ name }: any) => name === 'sandbox-broken'
  )

for (const [what, damage, says] of damages) {
  t.test(`an account with ${what} is set aside until a reset`, async (t) => {
    const db = await prepare(t, damage)
    const mock = await build(t, { db, clock: 'frozen' })
    const { call } = mock
    t.match(await call('POST', '/v2/deposits', requests.v2.deposit!(), whole), {
      status: 200,
      body: { status: 'ACCEPTED' }
    })
    t.match(await accountOf(mock), { setAside: says })
    for (const [version, path] of [
      ['v1', '/deposits'],
      ['v2', '/v2/deposits']
    ] as const) {
      const refused = await call('POST', path, requests[version].deposit!(), broken)
      t.equal(refused.status, 503)
      t.match(JSON.stringify(refused.body), /is set aside.*POST \/__admin\/reset/, version)
    }
    t.match(await call('PUT', '/__admin/clock', { mode: 'running' }, broken), {
      status: 503,
      body: { error: { message: says, hint: /reset empties it/ } }
    })
    t.equal((await call('GET', '/__admin/payments', undefined, broken)).body.payments.length, 1)
    t.equal((await call('POST', '/__admin/reset', undefined, broken)).status, 200)
    t.equal((await accountOf(mock)).setAside, undefined)
    t.match(await call('POST', '/v2/deposits', requests.v2.deposit!(), broken), { status: 200 })
    await mock.app.close()
    const again = await build(t, { db, clock: 'frozen' })
    t.equal((await accountOf(again)).setAside, undefined)
    const kept = await again.call('GET', '/__admin/payments', undefined, whole)
    t.equal(kept.body.payments.length, 2)
  })
}

t.test('an account that is set aside can be deleted, and a log line says so', async (t) => {
  const [[, damage]] = damages
  const db = await prepare(t, damage)
  const mock = await build(t, { db, clock: 'frozen' })
  t.equal((await mock.call('DELETE', '/__admin/accounts/sandbox-broken')).status, 204)
  t.equal(await accountOf(mock), undefined)
  t.match(await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), broken), { status: 200 })
  await mock.app.close()

  await withLedger(t, db, damage)
  const lines: string[] = []
  const stream = new Writable({
    write: (line, _encoding, done) => {
      lines.push(String(line))
      done()
    }
  })
  const log = pino({ level: 'error' }, stream)
  const app = await createApp(mock.config, { now: () => Date.now() }, log)
  await app.start()
  await app.close()
  t.equal(lines.length, 1)
  t.match(lines[0], /sandbox account \d+' is set aside.* not JSON.*POST \/__admin\/reset/)
})

t.test('a reset of an account that is set aside keeps nothing of what may be wrong', async (t) => {
  for (const [what, damage] of damages) {
    const { call } = await build(t, { db: await prepare(t, damage), clock: 'frozen' })
    const reset = await call('POST', '/__admin/reset?keep=payments,callbacks', undefined, broken)
    t.match(reset, { status: 200, body: { kept: ['coverage'] } }, what)
    t.equal((await call('POST', '/v2/deposits', requests.v2.deposit!(), broken)).status, 200)
    const advance = await call('POST', '/__admin/clock/advance', { by: '1h' }, broken)
    t.equal(advance.status, 200, what)
    const { body } = await call('GET', '/__admin/payments', undefined, broken)
    t.equal(body.payments.length, 1, what)
  }
})

const wrongPayments = [
  "UPDATE payments SET plan = '{'",
  "UPDATE payments SET plan = '{}'",
  "UPDATE payments SET details = '{'",
  'UPDATE payments SET kind = 99',
  "UPDATE moves SET failure = '{'"
]

for (const damage of wrongPayments) {
  t.test(`a reset of an account with payments that cannot be read: ${damage}`, async (t) => {
    const db = await prepare(t, (ledger) => ledger.exec(damage))
    const { call } = await build(t, { db, clock: 'frozen' })
    const resets = ['payments,callbacks', 'payments,callbacks,coverage', 'coverage', 'clock', '']
    for (const keep of resets) {
      const { status } = await call('POST', `/__admin/reset?keep=${keep}`, undefined, broken)
      t.equal(status, 200, `keep=${keep}`)
      const { body } = await call('GET', '/__admin/invariants', undefined, broken)
      if (!keep.includes('payments')) t.match(body, { hold: true })
    }
    t.match(await call('POST', '/v2/deposits', requests.v2.deposit!(), broken), { status: 200 })
  })
}

t.test('a list, coverage and an earlier clock leave out unreadable payments', async (t) => {
  const db = await prepare(t, (ledger) => ledger.exec("UPDATE payments SET plan = '{'"))
  const { call } = await build(t, { db, clock: 'frozen' })
  const { body: clock } = await call('GET', '/__admin/clock', undefined, broken)
  const earlier = new Date(Date.parse(clock.now) - 1000).toISOString()
  await call('POST', '/v2/deposits', requests.v2.deposit!(), broken)
  for (const [method, path, body] of [
    ['GET', '/__admin/payments'],
    ['GET', '/__admin/coverage'],
    ['PUT', '/__admin/clock', { mode: 'frozen', now: earlier }]
  ] as const) {
    t.equal((await call(method, path, body, broken)).status, 200, path)
  }
  const { body } = await call('GET', '/__admin/payments', undefined, broken)
  t.equal(body.payments.length, 1)
  t.match((await call('GET', '/__admin/invariants', undefined, broken)).body, { hold: false })
})
