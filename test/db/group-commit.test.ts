import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'

/** A ledger with one table. */
async function open (t: Test) {
  const database = new Database(new SqliteEngine(':memory:'))
  t.teardown(() => database.close())
  await database.connection.exec('CREATE TABLE numbers (n INTEGER)')
  const { connection } = database
  const rows = () => connection.prepare('SELECT n FROM numbers ORDER BY n').pluck().all()
  return { database, rows }
}

const add = (database: Database, n: number) => (): number => {
  database.connection.prepare('INSERT INTO numbers VALUES (?)').run(n)
  return n
}

t.test('work that comes together shares one flush', async (t) => {
  const { database, rows } = await open(t)
  const numbers = [1, 2, 3, 4, 5]
  const results = await Promise.all(numbers.map((n) => database.write(undefined, add(database, n))))
  t.strictSame(results, numbers)
  t.strictSame(await rows(), numbers)
  t.strictSame([...database.flushSizes], [[5, 1]])
})

t.test('work that fails is undone and does not fail the rest of its group', async (t) => {
  const { database, rows } = await open(t)
  const fail = (n: number) => (): never => {
    add(database, n)()
    throw new Error('this one is bad')
  }
  const results = await Promise.allSettled([
    database.write(undefined, add(database, 1)),
    database.write(undefined, fail(2)),
    database.write(undefined, add(database, 3))
  ])
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled']
  )
  t.strictSame(await rows(), [1, 3])
})

t.test('work that fails alone leaves nothing', async (t) => {
  const { database, rows } = await open(t)
  await t.rejects(
    database.write(undefined, () => {
      add(database, 1)()
      throw new Error('this one is bad')
    })
  )
  t.strictSame(await rows(), [])
})

t.test('work is answered after its commit', async (t) => {
  const { database } = await open(t)
  await database.connection.exec(`
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
    PRAGMA foreign_keys = ON`)
  // SQLite notices the missing parent at the commit, after the work itself has succeeded.
  await t.rejects(
    database.write(undefined, () => database.connection.exec('INSERT INTO children VALUES (1)')),
    /FOREIGN KEY/
  )
})
