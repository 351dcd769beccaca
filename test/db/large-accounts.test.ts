import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, folder, until, type Client } from '../support/helper.ts'
import { requests } from '../support/examples.ts'
import { multiplyPayment } from '../support/large-ledger.ts'

/** Payments of the large account: too many for one transaction. */
const crowd = 4000

/** A ledger with one completed deposit of the default account, many times. */
async function fill (t: Test, deposit = requests.v2.deposit!(), count = crowd): Promise<string> {
  const db = join(folder(t), 'ledger.db')
  const { call, app } = await build(t, { db, callbackUrl: 'http://127.0.0.1:9/', clock: 'frozen' })
  await call('POST', '/v2/deposits', { ...deposit, amount: '15.00' })
  await call('POST', '/__admin/clock/advance', { by: '1h' })
  await app.close()
  multiplyPayment(db, 1, count)
  return db
}

async function countPayments ({ call }: Client): Promise<number> {
  const { body } = await call('GET', '/__admin/accounts')
  return body.accounts.find(({ name }: { name: string }) => name === 'default').payments
}

/** Repeats a call until some work is done. Returns the result of the work and of all calls. */
async function callMeanwhile<T, U> (work: Promise<T>, call: () => Promise<U>): Promise<[T, U[]]> {
  const results: U[] = []
  for (;;) {
    const first = await Promise.race([work.then((done) => ({ done })), call()])
    if (typeof first === 'object' && first !== null && 'done' in first) {
      return [first.done as T, results]
    }
    results.push(first as U)
  }
}

/** Runs SQL in a ledger that no server has open. */
function run (db: string, sql: string): void {
  const connection = new SQLite(db)
  connection.exec(sql)
  connection.close()
}

t.test('work on a large account lets other accounts go on', async (t) => {
  const db = await fill(t)
  const mock = await build(t, { db, clock: 'frozen' })
  const other = { authorization: 'Bearer sandbox-other' }
  const rows: Array<[method: string, path: string, body: object | undefined, payments: number]> = [
    ['POST', '/__admin/snapshots', { name: 'large' }, crowd],
    ['POST', '/__admin/reset', {}, 0],
    ['POST', '/__admin/snapshots/large/restore', undefined, crowd],
    ['DELETE', '/__admin/snapshots/large', undefined, crowd]
  ]
  for (const [method, path, body, payments] of rows) {
    const request = (): Promise<unknown> =>
      mock.call('POST', '/v2/deposits', requests.v2.deposit!(), other)
    const [{ status }, served] = await callMeanwhile(mock.call(method, path, body), request)
    t.ok(status >= 200 && status < 300, `${method} ${path} answers ${status}`)
    t.ok(served.length > 0, `${served.length} requests of another account are answered meanwhile`)
    t.equal(await countPayments(mock), payments)
  }
  t.match((await mock.call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('requests of an account do not see work on it half done', async (t) => {
  const deposit = requests.v2.deposit!() as { depositId: string }
  const db = await fill(t, deposit, 5 * crowd)
  const { call } = await build(t, { db, clock: 'frozen' })
  const path = `/__admin/payments/deposit/${deposit.depositId}`
  // A reset deletes the history of the oldest payment first, and the payment itself last.
  const readHistory = async (): Promise<string[] | number> => {
    const { status, body } = await call('GET', path)
    return status === 200 ? body.history.map((move: { status: string }) => move.status) : status
  }
  const before = await readHistory()
  const [, seen] = await callMeanwhile(call('POST', '/__admin/reset', {}), readHistory)
  t.same(before, ['ACCEPTED', 'PROCESSING', 'COMPLETED'])
  t.equal(await readHistory(), 404, 'it is deleted')
  for (const one of seen) t.ok(one === 404 || String(one) === String(before), String(one))
})

t.test('a snapshot is of one moment, whatever happens meanwhile', async (t) => {
  const db = await fill(t)
  const { call } = await build(t, { db, clock: 'frozen' })
  const taking = call('POST', '/__admin/snapshots', { name: 'large' })
  const paying = Array.from({ length: 50 }, () =>
    call('POST', '/v2/payouts', requests.v2.payout!())
  )
  const taken = await taking
  t.equal(taken.status, 201)
  for (const { status } of await Promise.all(paying)) t.equal(status, 200)
  await call('POST', '/__admin/snapshots/large/restore')
  t.equal(await countPayments({ call } as Client), taken.body.payments)
  t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('the numbers of rows grow as their count does', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const mock = await build(t, { db, clock: 'frozen' })
  for (let n = 0; n < 40; n++) {
    await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
    const { status } = await mock.call('POST', '/__admin/snapshots', { name: 'same' })
    t.equal(status, 201)
  }
  await mock.app.close()
  const connection = new SQLite(db, { readonly: true })
  t.teardown(() => connection.close())
  const last = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'payments'")
  t.equal(last.pluck().get(), 40 + (40 * 41) / 2, 'each copy takes one number for each row')
})

/** Counts what is left of ledgers that nobody uses, in a ledger that no server has open. */
function countLeft (db: string): number {
  const connection = new SQLite(db, { readonly: true })
  const tables = ['payments', 'wallets', 'callbacks', 'due_queue']
  const sql = tables.map((table) => `SELECT ledger FROM ${table}`).join(' UNION ALL ')
  const count = connection
    .prepare(
      `SELECT count(*) FROM (${sql}) AS all_rows WHERE ledger NOT IN (
        SELECT ledger FROM accounts UNION SELECT ledger FROM snapshots)`
    )
    .pluck()
    .get()
  connection.close()
  return Number(count)
}

/** Waits until the rows of old ledgers are deleted. */
async function waitForDeletion ({ call }: Client): Promise<void> {
  await until(
    async () => (await call('GET', '/__admin/invariants')).body.oldPayments,
    (count) => count === 0
  )
}

t.test('what a crash leaves of large work is deleted after the next start', async (t) => {
  const rows: Array<[what: string, damage: string, payments: number]> = [
    ['nothing', '', crowd],
    [
      'a copy that is not complete',
      `INSERT INTO ledgers (number, account, state) VALUES (77, 1, 'COPYING');
      UPDATE payments SET ledger = 77 WHERE seq > 5000`,
      500
    ],
    [
      'an old ledger that is deleted in part',
      `INSERT INTO ledgers (number, account, state) VALUES (77, 1, 'USED');
      UPDATE accounts SET ledger = 77 WHERE id = 1;
      UPDATE ledgers SET state = 'OLD' WHERE number = 1;
      DELETE FROM moves WHERE payment > 5000; DELETE FROM entries WHERE payment > 5000`,
      0
    ]
  ]
  for (const [what, damage, payments] of rows) {
    const db = await fill(t)
    run(db, damage)
    const mock = await build(t, { db, clock: 'frozen' })
    t.equal(await countPayments(mock), payments, what)
    await waitForDeletion(mock)
    await mock.app.close()
    t.equal(countLeft(db), 0, 'no row is left')
  }
})

t.test('a reset takes no longer with many payments', async (t) => {
  const db = await fill(t, undefined, 5 * crowd)
  const { call, app } = await build(t, { db, clock: 'frozen' })
  await call('POST', '/__admin/reset')
  const { body } = await call('GET', '/__admin/invariants')
  t.match(body, { hold: true })
  t.ok(body.oldPayments > 0, `${body.oldPayments} payments are still to be deleted`)
  t.equal(await countPayments({ call } as Client), 0)
  await app.close()
  const again = await build(t, { db, clock: 'frozen' })
  await waitForDeletion(again)
  await again.app.close()
  t.equal(countLeft(db), 0)
})

t.test('a phone shows its prompt after many payments of other accounts', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, clock: 'frozen' })
  await first.call('PATCH', '/__admin/account', { approval: 'phone' })
  await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await first.call('POST', '/__admin/clock/advance', { by: '1m' })
  const other = { authorization: 'Bearer sandbox-other' }
  await first.call('POST', '/v2/deposits', requests.v2.deposit!(), other)
  await first.app.close()
  multiplyPayment(db, 2, 6000)
  const { call } = await build(t, { db, clock: 'frozen' })
  const { body } = await call('GET', '/__admin/phone/260763456789')
  t.equal(body.prompts.length, 1)
})
