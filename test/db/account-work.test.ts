import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, folder, type Client } from '../support/helper.ts'
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

t.test('work that a crash has interrupted is finished by the next start', async (t) => {
  const db = await fill(t)
  const options = { db, clock: 'frozen' as const }
  const first = await build(t, options)
  await first.call('POST', '/__admin/snapshots', { name: 'large' })
  await first.app.close()
  const interrupt = (work: object): void =>
    run(db, `INSERT INTO unfinished_work (work) VALUES ('${JSON.stringify(work)}')`)

  run(db, 'DELETE FROM moves WHERE payment > 5000; DELETE FROM entries WHERE payment > 5000')
  interrupt({ kind: 'restore', account: 1, snapshot: 1 })
  const restored = await build(t, options)
  t.equal(await countPayments(restored), crowd, 'a restore')
  t.match((await restored.call('GET', '/__admin/invariants')).body, { hold: true })
  await restored.app.close()

  run(db, 'UPDATE snapshots SET account = -1; DELETE FROM snapshot_moves WHERE payment > 5000')
  interrupt({ kind: 'deleteCopy', account: 1, snapshot: 1 })
  const dropped = await build(t, options)
  t.same((await dropped.call('GET', '/__admin/snapshots')).body.snapshots, [], 'a snapshot')
  await dropped.app.close()

  run(db, 'DELETE FROM moves WHERE payment > 5000')
  interrupt({ kind: 'clear', account: 1, keep: [] })
  const cleared = await build(t, options)
  t.equal(await countPayments(cleared), 0, 'a reset')
  t.match((await cleared.call('GET', '/__admin/invariants')).body, { hold: true })
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
