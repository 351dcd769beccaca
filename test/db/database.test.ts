import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { folder } from '../support/helper.ts'

/** A ledger file with a table of numbers. */
function open (t: Test): { database: Database; numbers: () => unknown[] } {
  const database = new Database(new SqliteEngine(join(folder(t), 'ledger.db')))
  t.teardown(() => database.close())
  database.connection.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)')
  const numbers = (): unknown[] =>
    database.connection.prepare('SELECT n FROM numbers ORDER BY n').pluck().all()
  return { database, numbers }
}

t.test('a commit is on disk before it is answered', async (t) => {
  const { connection } = new SqliteEngine(join(folder(t), 'ledger.db'))
  t.teardown(() => connection.close())
  t.equal(connection.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(connection.pragma('synchronous', { simple: true }), 2, 'FULL, not NORMAL or OFF')
})

t.test('work that fails takes no other work of its group with it', async (t) => {
  const { database, numbers } = open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const results = await Promise.allSettled(
    [1, 2, 3, 2, 4].map((n) => database.transact(() => insert.run(n).changes))
  )
  t.same([...database.flushSizes], [[5, 1]], 'all were handed in as one group')
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']
  )
  t.same(numbers(), [1, 2, 3, 4])
})

/** Pieces of work before two others, one turn apart, and the sizes of all commits. */
const turns: Array<[title: string, before: number, sizes: Record<number, number>]> = [
  ['after a single piece of work, the next one does not wait', 1, { 1: 3 }],
  ['after several pieces of work, the next one waits for a turn', 3, { 3: 1, 2: 1 }]
]

t.test('work of a few turns of the event loop shares a commit', async (t) => {
  for (const [title, before, sizes] of turns) {
    const { database } = open(t)
    const hand = (): Promise<unknown> => database.transact(() => {})
    await Promise.all(Array.from({ length: before }, hand))
    const first = hand()
    await new Promise(setImmediate)
    await Promise.all([first, hand()])
    t.same(Object.fromEntries(database.flushSizes), sizes, title)
  }
})

t.test('work that fails halfway leaves nothing behind', async (t) => {
  const { database, numbers } = open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const half = database.transact(() => {
    insert.run(1)
    throw new Error('halfway')
  })
  await t.rejects(half, { message: 'halfway' })
  await database.transact(() => insert.run(2))
  t.same(numbers(), [2])
})

t.test('memory changes after the commit and before the next work', async (t) => {
  const { database } = open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  let memory = 'before'
  const seen: string[] = []
  const look = (): void => {
    seen.push(memory)
  }
  const change = (n: number, text: string): Promise<unknown> =>
    database.transact(() => insert.run(n), {
      committed: () => {
        memory = text
      }
    })
  const [, changed, , refused] = await Promise.allSettled([
    database.transact(look),
    change(1, 'after'),
    database.transact(look),
    change(1, 'refused'),
    database.transact(look)
  ])
  t.same([changed.status, refused.status], ['fulfilled', 'rejected'])
  t.same(seen, ['before', 'after', 'after'])
})

t.test('a closed ledger refuses work, and finishes the work it has', async (t) => {
  const { database, numbers } = open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const last = database.transact(() => {
    insert.run(1)
    return numbers()
  })
  database.close()
  t.same(await last, [1])
  await t.rejects(
    database.transact(() => 1),
    { message: 'the ledger is closed' }
  )
})
