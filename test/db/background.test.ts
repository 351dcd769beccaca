import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { noRead } from '../../db/jobs.ts'
import { ledgerTable } from '../../db/postgres/schema.ts'
import { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
import { holdLock } from '../replicas/servers.ts'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Transactions during which the server does other work. */

/** Options of the tests that `npm test` skips: the first one shows that it works at all. */
const longOptions = makeLong(postgresOptions)

/** Opens a ledger as a server does. `store` stores a code, and `find` finds one. */
async function open (t: Test) {
  const db = await createSchema(t, (await openCluster()).url)
  const engine = await openEngine(db)
  await engine.openBackground?.()
  const database = new Database(engine)
  t.teardown(() => database.close())
  const { connection } = database
  const insert = connection.prepare('INSERT INTO codes (code, payment) VALUES (?, ?)')
  const select = connection.prepare<[string], { payment: number }>(
    'SELECT payment FROM codes WHERE code = ?'
  )
  const work = {
    store: (code: string, payment = 1) => insert.run(code, payment),
    find: (code: string) => select.get(code)?.payment
  }
  const firstRead = (code: string) => ({ statement: select, parameters: [code] })
  return { db, database, firstRead, ...work }
}

/** Waits until transactions can be in the background again. */
async function untilUsable ({ connection }: Database): Promise<void> {
  await until(
    async () => connection.background?.isUsable,
    (isUsable) => isUsable === true
  )
}

/** Waits until a transaction waits for the lock of a table. */
async function untilWaiting (db: string): Promise<void> {
  const count = "SELECT 1 FROM pg_locks WHERE relation = 'codes'::regclass AND NOT granted"
  await until(
    () => runSql(db, count),
    ({ length }) => length === 1
  )
}

/**
 * Ends the session that holds the lock of the server, and takes the lock, as another server would.
 * Returns what gives it back.
 */
async function takeOver (t: Test, db: string): Promise<() => Promise<void>> {
  const locked = holdLock(t, db, `LOCK TABLE ${ledgerTable} IN EXCLUSIVE MODE`)
  const listLocks = `
    SELECT pid, granted FROM pg_locks
    WHERE relation = '${ledgerTable}'::regclass AND mode = 'ExclusiveLock' ORDER BY granted DESC`
  const [{ pid }] = await until(
    () => runSql(db, listLocks),
    ({ length }) => length === 2
  )
  await runSql(db, `SELECT pg_terminate_backend(${pid})`)
  return await locked
}

t.test('a single statement of other work is no part of it', longOptions, async (t) => {
  const { db, database, store, find } = await open(t)
  const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
  const stored = database.transact(() => store('a'), { firstRead: noRead })
  await untilWaiting(db)
  t.equal(database.connection.inTransaction, false)
  t.equal(find('a'), undefined, 'it sees what is committed')
  await release()
  await stored
  t.equal(find('a'), 1)
})

t.test('other servers hear of a change after its commit', longOptions, async (t) => {
  const { db, database, store, find } = await open(t)
  const changes = new ChangeListeners((call) => database.afterTransaction(call))
  const found = new Promise((resolve) => changes.forward(() => resolve(find('a'))))
  const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
  const work = (): void => {
    store('a')
    changes.notify(1)
  }
  const stored = database.transact(work, { firstRead: noRead })
  await untilWaiting(db)
  await release()
  t.equal(await found, 1)
  await stored
})

t.test('other servers hear of no change before its commit', longOptions, async (t) => {
  const { db, database, store } = await open(t)
  const changes = new ChangeListeners((call) => database.afterTransaction(call))
  const seen: string[] = []
  const told = new Promise<void>((resolve) =>
    changes.forward((list) => {
      for (const { account } of list) seen.push(`told of ${account}`)
      if (seen.includes('told of 2')) resolve()
    })
  )
  const write = async (n: number): Promise<void> => {
    const work = (): void => {
      store(`code-${n}`)
      changes.notify(n)
    }
    await database.transact(work, { firstRead: noRead })
    seen.push(`stored ${n}`)
  }
  const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
  const first = write(1)
  await untilWaiting(db)
  const second = write(2)
  await release()
  await Promise.all([first, second, told])
  t.ok(seen.indexOf('stored 2') < seen.indexOf('told of 2'), seen.join(', '))
})

t.test('work without statements lets the server do other work', longOptions, async (t) => {
  const { database } = await open(t)
  const most = 1000
  let count = 0
  let isOver = false
  // Each is handed in while the one before is under way.
  const repeat = async (): Promise<void> => {
    let next: Promise<void> | undefined
    const work = (): void => {
      if (count++ === 0) setImmediate(() => (isOver = true))
      if (!isOver && count < most) next = Promise.resolve().then(repeat)
    }
    await database.transact(work, { firstRead: noRead })
    await next
  }
  await repeat()
  t.ok(count < most, `other work was done after ${count} transactions`)
})

t.test('work that reads more is done again in the foreground', longOptions, async (t) => {
  const { database, firstRead, store, find } = await open(t)
  await database.transact(() => store('a'), { firstRead: noRead })
  let tries = 0
  const readBoth = (): Array<number | undefined> => {
    tries++
    return [find('a'), find('b')]
  }
  const options = { firstRead: firstRead('a'), isRead: true }
  t.strictSame(await database.transact(readBoth, options), [1, undefined])
  t.equal(tries, 2)
  t.equal(database.connection.background?.isUsable, false, 'the next ones are there, too')
})

t.test('work that fails does not fail the others', longOptions, async (t) => {
  const { database, firstRead, store, find } = await open(t)
  const outcomes = await Promise.allSettled([
    database.transact(() => store('a'), { firstRead: noRead }),
    database.transact(
      () => {
        throw new Error('wrong')
      },
      { firstRead: noRead }
    ),
    database.transact(() => find('b'), { firstRead: firstRead('b'), isRead: true })
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled']
  )
  t.equal(find('a'), 1)
})

t.test('work that waits is done in the order in which it came', longOptions, async (t) => {
  const { db, database, store, find } = await open(t)
  const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
  const first = database.transact(() => store('a'), { firstRead: noRead })
  await untilWaiting(db)
  const second = database.transact(() => find('a'))
  const closed = database.close()
  await release()
  await first
  t.equal(await second, 1)
  await closed
  await t.rejects(database.transact(() => 1), { message: 'the ledger is closed' })
})

/** Pieces of work of a transaction, those that wait meanwhile, and what comes first at its end. */
const turns: Array<[name: string, first: number, waiting: number, order: string[]]> = [
  ['enough that waits is sent before the answers', 2, 1, ['work', 'answer', 'answer']],
  ['little that waits is sent after the answers', 3, 1, ['answer', 'answer', 'answer', 'work']]
]
for (const [name, first, waiting, expected] of turns) {
  t.test(name, longOptions, async (t) => {
    const { db, database, store } = await open(t)
    const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
    const order: string[] = []
    const answers = Array.from({ length: first }, async (_, n) => {
      await database.transact(() => store(`first-${n}`), { firstRead: noRead })
      order.push('answer')
    })
    await untilWaiting(db)
    const later = Array.from({ length: waiting }, (_, n) => {
      const work = (): void => {
        order.push('work')
        store(`later-${n}`)
      }
      return database.transact(work, { firstRead: noRead })
    })
    await release()
    await Promise.all([...answers, ...later])
    t.strictSame(order, expected)
  })
}

t.test('work finds its rows in any order, also the same ones', longOptions, async (t) => {
  const { database, store, find, firstRead } = await open(t)
  const numbers = { a: 1, b: 2, c: 3 }
  for (const [code, number] of Object.entries(numbers)) store(code, number)
  const codes = ['a', 'b', 'b', 'none', 'a', 'c', 'b']
  const found = await Promise.all(
    codes.map((code) =>
      database.transact(() => find(code), { firstRead: firstRead(code), isRead: true })
    )
  )
  t.strictSame(found, [1, 2, 2, undefined, 1, 3, 2])
  t.equal(database.connection.background?.isUsable, true, 'all of it in the background')
  const asked = ['c', 'a']
  const crossed = await Promise.all(
    asked.map((code, i) =>
      database.transact(() => find(asked[1 - i]), { firstRead: firstRead(code), isRead: true })
    )
  )
  t.strictSame(crossed, [1, 3])
})

t.test('a server that has lost its lock stores nothing', longOptions, async (t) => {
  const { db, database, store, find } = await open(t)
  await database.transact(() => store('a'), { firstRead: noRead })
  const release = await holdLock(t, db, 'LOCK TABLE codes IN SHARE MODE')
  const waiting = database.transact(() => store('b'), { firstRead: noRead })
  await untilWaiting(db)
  const giveBack = await takeOver(t, db)
  await t.rejects(waiting, { name: 'LedgerUnusable' })
  await release()
  await t.rejects(database.transact(() => store('c'), { firstRead: noRead }), {
    name: 'LedgerUnusable'
  })
  await giveBack()
  await untilUsable(database)
  await database.transact(() => store('d'), { firstRead: noRead })
  t.strictSame(['b', 'c', 'd'].map(find), [undefined, undefined, 1])
})
