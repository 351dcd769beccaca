import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { readFound, RecentPayments } from '../../db/recent-payments.ts'
import type { PaymentRow } from '../../db/rows.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { Key } from '../../src/ports/ledger.ts'
import { id } from '../support/helper.ts'

const { deposit, payout } = kinds

function open (t: Test): { database: Database; recent: RecentPayments } {
  const database = new Database(new SqliteEngine(':memory:'))
  t.teardown(() => database.close())
  return { database, recent: new RecentPayments(database) }
}

/** The row of a deposit. */
function rowOf ({ id }: Key, customerMessage = 'Order 1'): PaymentRow {
  return {
    seq: 1,
    kind: deposit.ledgerCode,
    parent: null,
    version: 'v2',
    created: 0,
    details: JSON.stringify({ id, customerMessage }),
    plan: '{"steps":[]}'
  }
}

const newKey = (): Key => ({ account: 1, kind: deposit, id: id() })

t.test('a payment is kept for its account, its kind and its identifier', async (t) => {
  const { recent } = open(t)
  const key = newKey()
  const added = recent.add(key, { row: rowOf(key), moves: [] })
  t.equal(recent.find(key), added)
  t.equal(recent.find({ ...key, id: key.id.toUpperCase() }), added)
  t.equal(recent.find({ ...key, account: 2 }), undefined)
  t.equal(recent.find({ ...key, kind: payout }), undefined)
  t.equal(recent.find(newKey()), undefined)
})

t.test('a payment is parsed once', async (t) => {
  const { recent } = open(t)
  const key = newKey()
  const payment = readFound(recent.add(key, { row: rowOf(key), moves: [] }))
  t.match(payment, { kind: deposit, details: { id: key.id }, moves: { length: 0 } })
  t.equal(readFound(recent.find(key)!), payment)
})

const endings: Array<[name: string, (database: Database) => Promise<unknown>]> = [
  [
    'a transaction that is taken back',
    (database) =>
      database
        .write(undefined, () => {
          throw new Error('this one is bad')
        })
        .catch(() => {})
  ],
  ['the account got another ledger', async (database) => database.setLedger(1, 2)]
]
for (const [name, end] of endings) {
  t.test(`no payment is kept after ${name}`, async (t) => {
    const { database, recent } = open(t)
    const key = newKey()
    recent.add(key, { row: rowOf(key), moves: [] })
    await end(database)
    t.equal(recent.find(key), undefined)
  })
}

t.test('a payment is not kept after a change', async (t) => {
  const { recent } = open(t)
  const key = newKey()
  const payment = readFound(recent.add(key, { row: rowOf(key), moves: [] }))
  recent.remove(payment)
  t.equal(recent.find(key), undefined)
})

t.test('without more room, every 16th payment takes the place of the oldest', async (t) => {
  const { recent } = open(t)
  const keys = Array.from({ length: 4096 + 32 }, newKey)
  for (const key of keys) recent.add(key, { row: rowOf(key), moves: [] })
  const missing = keys.flatMap((key, n) => (recent.find(key) === undefined ? [n] : []))
  t.strictSame(missing.slice(0, 3), [0, 1, 4096])
  t.equal(missing.length, 32)
  const row = rowOf(keys[2], 'Order 2')
  recent.add(keys[2], { row, moves: [] })
  t.equal(recent.find(keys[2])?.rows?.row, row, 'a payment always takes its own place')
})

t.test('long payments are not kept', async (t) => {
  const { recent } = open(t)
  const key = newKey()
  recent.add(key, { row: rowOf(key, 'x'.repeat(5000)), moves: [] })
  t.equal(recent.find(key), undefined)
})
