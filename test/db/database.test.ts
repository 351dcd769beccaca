import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { folder } from '../support/helper.ts'

/** A ledger file with a table of numbers. */
async function open (t: Test) {
  const database = new Database(new SqliteEngine(join(folder(t), 'ledger.db')))
  t.teardown(() => database.close())
  await database.connection.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)')
  const numbers = (): Promise<unknown[]> =>
    database.connection.prepare('SELECT n FROM numbers ORDER BY n').pluck().all()
  return { database, numbers }
}

t.test('a commit is on disk before it is answered', async (t) => {
  const engine = new SqliteEngine(join(folder(t), 'ledger.db'))
  t.teardown(() => engine.close())
  const read = (pragma: string): Promise<unknown> =>
    engine.connection.prepare(`PRAGMA ${pragma}`).pluck().get()
  t.equal(await read('journal_mode'), 'wal')
  t.equal(await read('synchronous'), 2, 'FULL, not NORMAL or OFF')
})

t.test('work that fails takes no other work of its group with it', async (t) => {
  const { database, numbers } = await open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const results = await Promise.allSettled(
    [1, 2, 3, 2, 4].map((n) => database.write(undefined, () => insert.change(n)))
  )
  t.same([...database.flushSizes], [[5, 1]], 'all were handed in as one group')
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']
  )
  t.same(await numbers(), [1, 2, 3, 4])
})

/** Pieces of work before two others, one turn apart, and the sizes of all commits. */
const turns: Array<[title: string, before: number, sizes: Record<number, number>]> = [
  ['after a single piece of work, the next one does not wait', 1, { 1: 3 }],
  ['after several pieces of work, the next one waits for a turn', 3, { 3: 1, 2: 1 }]
]

t.test('work of a few turns of the event loop shares a commit', async (t) => {
  for (const [title, before, sizes] of turns) {
    const { database } = await open(t)
    const hand = (): Promise<unknown> => database.write(undefined, () => {})
    await Promise.all(Array.from({ length: before }, hand))
    const first = hand()
    await new Promise(setImmediate)
    await Promise.all([first, hand()])
    t.same(Object.fromEntries(database.flushSizes), sizes, title)
  }
})

t.test('work that fails halfway leaves nothing behind', async (t) => {
  const { database, numbers } = await open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const half = database.write(undefined, () => {
    insert.run(1)
    throw new Error('halfway')
  })
  await t.rejects(half, { message: 'halfway' })
  await database.write(undefined, () => insert.run(2))
  t.same(await numbers(), [2])
})

t.test('memory changes after the commit and before the next work', async (t) => {
  const { database } = await open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  let memory = 'before'
  const seen: string[] = []
  const look = (): void => {
    seen.push(memory)
  }
  const change = (n: number, text: string): Promise<unknown> =>
    database.write(undefined, () => insert.run(n), {
      committed: () => {
        memory = text
      }
    })
  const [, changed, , refused] = await Promise.allSettled([
    database.read(undefined, look),
    change(1, 'after'),
    database.read(undefined, look),
    change(1, 'refused'),
    database.read(undefined, look)
  ])
  t.same([changed.status, refused.status], ['fulfilled', 'rejected'])
  t.same(seen, ['before', 'after', 'after'])
})

t.test('a closed ledger refuses work, and finishes the work it has', async (t) => {
  const { database, numbers } = await open(t)
  const insert = database.connection.prepare('INSERT INTO numbers VALUES (?)')
  const last = database.write(undefined, () => {
    insert.run(1)
    return numbers()
  })
  const closed = database.close()
  t.same(await last, [1])
  await closed
  await t.rejects(
    database.read(undefined, () => 1),
    { message: 'the ledger is closed' }
  )
})

t.test('an account that was not stored hides no other one', async (t) => {
  const { database } = await open(t)
  // The number of a ledger that was taken back is given out again.
  database.setLedger(2, 5)
  database.setLedger(1, 5)
  database.setLedger(2, 6)
  t.strictSame([5, 6].map((ledger) => database.accountOf(ledger)), [1, 2])
})

t.test('an account is held by one at a time', async (t) => {
  const { database } = await open(t)
  let [now, most] = [0, 0]
  const work = async (): Promise<void> => {
    most = Math.max(most, ++now)
    await database.read(1, () => {})
    now--
  }
  await Promise.all([1, 2, 3].map(() => database.hold(1, work)))
  t.equal(most, 1)
})

t.test('work that follows work leaves a turn of the event loop in between', async (t) => {
  const { database } = await open(t)
  const steps = 200
  let turns = 0
  let isOver = false
  const countTurns = (): void => {
    turns++
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  for (let n = 0; n < steps; n++) await database.write(undefined, () => {})
  isOver = true
  t.ok(turns >= steps - 1, `${turns} turns`)
})
