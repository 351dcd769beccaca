import SQLite from 'better-sqlite3'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { invariants, type Invariant } from '../../src/domain/invariants.ts'
import {
  build,
  folder,
  id,
  receiver,
  testMachine,
  type Client,
  testStart
} from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { fileOptions } from '../support/postgres.ts'
import { prefix, requests } from '../support/examples.ts'

interface Verdict {
  name: Invariant
  rule: string
  checked: number
  broken: number
  offenders: Array<{ what: string; problem: string }>
}

async function inspect (
  { call }: Client,
  token = 'test-token'
): Promise<{ hold: boolean; invariants: Verdict[] }> {
  return (await call('GET', '/__admin/invariants', undefined, { authorization: `Bearer ${token}` }))
    .body
}

/** Payments of every kind in every state, with and without callbacks. */
async function live ({ call }: Client): Promise<void> {
  const send = (path: string, body: object, headers?: Record<string, string>) =>
    call('POST', path, body, headers)
  const advance = (by: string) => call('POST', '/__admin/clock/advance', { by })
  const deposit = requests.v2.deposit!()
  await send('/v2/deposits', deposit)
  await advance('10s')
  await send('/v2/refunds', { ...requests.v2.refund!(), depositId: deposit.depositId, amount: '5' })
  for (const version of ['v1', 'v2'] as const) {
    for (const kind of ['deposit', 'payout'] as const) {
      await send(`${prefix[version]}/${kind}s`, requests[version][kind]!())
      await send(`${prefix[version]}/${kind}s`, requests[version][kind]!(), {
        'x-momock-scenario': 'reconciled-failed'
      })
    }
  }
  await send('/v2/remittances', requests.v2.remittance!())
  await send('/v2/split-payments', requests.v2.splitPayment!())
  await send('/v2/checkouts', {
    checkoutId: id(),
    returnUrl: 'https://shop.example/',
    expiresAfter: 3
  })
  await call('POST', '/__admin/scenarios', {
    name: 'unheard',
    when: { kind: 'remittance' },
    callback: { drop: true }
  })
  await send('/v2/remittances', requests.v2.remittance!())
  await advance('15m')
  // And some that are under way.
  await send('/v2/deposits', requests.v2.deposit!())
  await send('/v2/payouts', requests.v2.payout!())
  await send('/v2/split-payments', requests.v2.splitPayment!())
  await advance('100ms')
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  await send('/v2/payouts', requests.v2.payout!())
}

t.test('the invariants hold after random operations', async (t) => {
  const { url } = await receiver(t)
  const mock = await build(t, { clock: 'frozen', callbackUrl: url }, testMachine())
  t.strictSame(
    (await inspect(mock)).invariants,
    Object.entries(invariants).map(([name, rule]) => ({
      name,
      rule,
      checked: 0,
      broken: 0,
      offenders: []
    })),
    'of nothing'
  )
  await live(mock)
  await mock.call('PATCH', '/__admin/account', { callbacks: null })
  await live(mock)
  for (const step of [
    async () => {},
    () => mock.call('POST', '/__admin/clock/advance', { by: '1d' }),
    () => mock.call('POST', '/__admin/reset?keep=payments,callbacks')
  ]) {
    await step()
    const { hold, invariants } = await inspect(mock)
    t.same(
      invariants.filter(({ broken }) => broken > 0),
      []
    )
    t.ok(hold)
    const { payments } = (await mock.call('GET', '/__admin/accounts')).body.accounts[0]
    for (const { name, checked } of invariants) {
      t.equal(
        checked,
        name === 'walletsHold' ? 1 : name === 'entriesBalance' ? payments + 1 : payments,
        name
      )
    }
  }
  t.ok(
    (await inspect(mock, 'sandbox-other')).invariants.every(({ checked }) => checked === 0),
    'each account by itself'
  )
})

/** A completed deposit, a completed payout, one under way, and where they stand in the ledger. */
const completed = (kind: number) =>
  `(SELECT seq FROM payments WHERE kind = ${kind} AND seq IN (SELECT payment FROM moves ` +
  "WHERE status = 'COMPLETED') ORDER BY seq LIMIT 1)"
const open = '(SELECT payment FROM provider_queue LIMIT 1)'

/** Changes of the ledger by hand, and the rules that they break. */
const damages: Array<[what: string, sql: string, broken: Partial<Record<Invariant, RegExp>>]> = [
  [
    'details that are no JSON',
    `UPDATE payments SET details = '{' WHERE seq = ${open}`,
    { readable: /JSON/, walletsHold: /reserved/ }
  ],
  [
    'details that say nothing',
    `UPDATE payments SET details = '{}' WHERE seq = ${completed(1)}`,
    { readable: /undefined/ }
  ],
  [
    'a kind there is not',
    `UPDATE payments SET kind = 99 WHERE seq = ${completed(1)}`,
    { readable: /unknown kind 99/, walletsHold: /available/ }
  ],
  [
    'two payments of one identifier',
    "UPDATE payments SET details = json_set(details, '$.id', (SELECT json_extract(details, " +
      `'$.id') FROM payments WHERE seq = ${completed(1)})) WHERE seq = (SELECT max(seq) FROM ` +
      'payments WHERE kind = 1)',
    { acceptedOnce: /it is found by \S+, but calls itself/ }
  ],
  [
    'a move after the end',
    "INSERT INTO moves SELECT payment, n + 1, at, 'FAILED', NULL, 'by hand', NULL, 'nowhere', " +
      "'operator' " +
      `FROM moves WHERE payment = ${completed(1)} AND status = 'COMPLETED'`,
    {
      finalStays: /it was COMPLETED, and then FAILED/,
      amountMoved: /it is FAILED and has moved 1500 hundredths instead of 0/
    }
  ],
  [
    'a move that is not allowed',
    `UPDATE moves SET status = 'ENQUEUED'
      WHERE payment = ${completed(1)} AND status = 'PROCESSING'`,
    { transitions: /it went from ACCEPTED to ENQUEUED/ }
  ],
  [
    'a state there is not',
    `UPDATE moves SET status = 'LOST' WHERE payment = ${completed(2)} AND status = 'PROCESSING'`,
    { transitions: /it went from ACCEPTED to LOST/ }
  ],
  [
    'a move that is missing',
    `DELETE FROM moves WHERE payment = ${completed(2)} AND n = 0`,
    { transitions: /its move number 0 is missing/ }
  ],
  [
    'an end that is missing',
    `DELETE FROM moves WHERE payment = ${completed(1)} AND status = 'COMPLETED'`,
    { amountMoved: /it is under way and has moved 1500 hundredths instead of 0/ }
  ],
  [
    'an entry that is missing',
    `DELETE FROM entries
      WHERE seq = (SELECT max(seq) FROM entries WHERE payment = ${completed(1)})`,
    {
      entriesBalance: /add up to -1500/,
      amountMoved: /has moved 0 hundredths instead of 1500/,
      walletsHold: /available/
    }
  ],
  [
    'an entry of nobody',
    'INSERT INTO entries (wallet, book, payment, at, amount) VALUES ((SELECT min(id) FROM ' +
      "wallets), 'world', NULL, 0, 5)",
    { entriesBalance: /add up to 5 hundredths/ }
  ],
  [
    'money moved twice',
    'INSERT INTO entries (wallet, book, payment, at, amount) SELECT wallet, book, payment, ' +
      `at, amount FROM entries WHERE payment = ${completed(1)}`,
    {
      amountMoved: /has moved 3000 hundredths instead of 1500/,
      walletsHold: /it says \d+ hundredths available, and its entries say \d+/
    }
  ],
  [
    'money reserved for what has ended',
    `
    INSERT INTO entries (wallet, book, payment, at, amount)
      SELECT DISTINCT wallet, 'world', payment, at, -700 FROM entries
      WHERE payment = ${completed(2)} AND book = 'world';
    INSERT INTO entries (wallet, book, payment, at, amount)
      SELECT DISTINCT wallet, 'reserved', payment, at, 700 FROM entries
      WHERE payment = ${completed(2)} AND book = 'world' AND amount > 0;
    UPDATE wallets SET reserved = reserved + 700`,
    { reservedOpen: /it is COMPLETED and has 700 hundredths reserved/ }
  ],
  [
    'a wallet with more in it',
    'UPDATE wallets SET available = available + 1',
    { walletsHold: /hundredths available/ }
  ],
  [
    'a wallet with more reserved',
    'UPDATE wallets SET reserved = reserved + 1',
    { walletsHold: /hundredths reserved/ }
  ],
  [
    'an outbox that was emptied',
    `DELETE FROM callbacks WHERE payment = ${completed(1)}`,
    { told: /it is COMPLETED, and no callback says so/ }
  ],
  [
    'an excuse that is none',
    `DELETE FROM callbacks WHERE payment = ${completed(2)}; ` +
      'UPDATE moves SET no_callback_reason = ' +
      `'dropped' WHERE payment = ${completed(2)} AND status = 'COMPLETED'`,
    { told: /no callback says so/ }
  ],
  [
    'callbacks that tell of another state',
    "UPDATE callbacks SET body = json_set(body, '$.status', 'PROCESSING') WHERE payment = " +
      `${completed(1)}`,
    { told: /it is COMPLETED, and no callback says so/ }
  ],
  [
    'a callback that is no JSON',
    `UPDATE callbacks SET body = '{' WHERE payment = ${completed(1)}`,
    { told: /no callback says so/ }
  ],
  [
    "a callback in another's outbox",
    'INSERT INTO callbacks (ledger, payment, queue, url, body, created, state, attempts, ' +
      'first_due) SELECT ledger + 1, payment, queue, url, body, created, state, attempts, ' +
      `first_due FROM callbacks WHERE payment = ${completed(1)}`,
    { told: /belongs to another account/ }
  ],
  [
    'a wallet that is gone',
    'DELETE FROM wallets',
    { walletsHold: /the account has no such wallet/ }
  ],
  [
    'a move before the one it follows',
    `UPDATE moves SET at = at - 3600000 WHERE payment = ${completed(1)} AND status = 'COMPLETED'`,
    { transitions: /it was COMPLETED before it was/ }
  ],
  [
    'a payment that is gone',
    `DELETE FROM payments WHERE seq = ${completed(1)}`,
    { walletsHold: /available/ }
  ]
]

t.test('the invariants find manual changes of the ledger', fileOptions, async (t) => {
  const whole = await someLedger(t)
  for (const [what, sql, broken] of damages) {
    const db = join(folder(t), 'ledger.db')
    copyFileSync(whole, db)
    const connection = new SQLite(db)
    connection.exec(sql)
    connection.close()
    const mock = await build(t, { db }, testMachine('2026-01-31T12:00:01Z'))
    const { hold, invariants } = await inspect(mock)
    t.notOk(hold, what)
    t.strictSame(
      invariants
        .filter(({ broken }) => broken > 0)
        .map(({ name }) => name)
        .sort(),
      Object.keys(broken).sort(),
      what
    )
    for (const [name, problem] of Object.entries(broken)) {
      const { offenders, broken } = invariants.find((verdict) => verdict.name === name)!
      t.equal(broken, offenders.length)
      t.match(
        offenders,
        [
          {
            what: /^((deposit|payout|payment) [0-9a-f-]{36}|wallet ZMB ZMW|wallet number 1)$/,
            problem
          }
        ],
        `${what}: ${name}`
      )
    }
    await mock.app.close()
  }
  t.strictSame(
    [...new Set(damages.flatMap(([, , broken]) => Object.keys(broken)))].sort(),
    Object.keys(invariants).sort(),
    'each of them complains of something'
  )
})

/** A ledger with payments that have ended and one that waits. */
async function someLedger (t: Test): Promise<string> {
  const { url } = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const mock = await build(t, { db, clock: 'frozen', callbackUrl: url }, testMachine())
  for (let n = 0; n < 2; n++) await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  await mock.call('POST', '/__admin/clock/advance', { by: '10s' })
  await mock.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  t.ok((await inspect(mock)).hold)
  await mock.app.close()
  return db
}

t.test('a clock that is set back does not change the history', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen', start: testStart })
  const body = requests.v2.deposit!()
  await mock.call('POST', '/v2/deposits', body)
  await mock.call('POST', `/__admin/payments/deposit/${body.depositId}/move`, { to: 'PROCESSING' })
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T00:00:00Z' })
  const { history } = (
    await mock.call('POST', `/__admin/payments/deposit/${body.depositId}/move`, { to: 'COMPLETED' })
  ).body
  t.match(history, [
    {},
    { status: 'PROCESSING', at: '2026-01-31T12:00:00.250Z' },
    { status: 'COMPLETED', at: '2026-01-31T12:00:00.250Z' }
  ])
  t.ok((await inspect(mock)).hold)
})

t.test('the invariants hold during traffic, over many pages', async (t) => {
  const mock = await build(t)
  const some = () =>
    Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        mock.call(
          'POST',
          n % 2 === 0 ? '/v2/deposits' : '/v2/payouts',
          requests.v2[n % 2 === 0 ? 'deposit' : 'payout']!()
        )
      )
    )
  await some()
  const [verdicts] = await Promise.all([inspect(mock), some(), inspect(mock)])
  t.ok(verdicts.hold, JSON.stringify(verdicts.invariants.filter(({ broken }) => broken > 0)))
  t.ok(verdicts.invariants[0].checked >= 150)
})
