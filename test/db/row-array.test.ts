import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { writeRowArray } from '../../db/postgres/row-array.ts'
import { makeLong } from '../support/full.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Rows that are sent to PostgreSQL together, as an array in its binary format. */

/** Options of the tests that `npm test` skips: the first one shows that it works at all. */
const longOptions = makeLong(postgresOptions)

type Row = [number: number | bigint | null, word: string | null, bytes: Buffer | null]

const rows: Array<[what: string, row: Row]> = [
  ['nothing', [null, null, null]],
  ['empty values', [0, '', Buffer.alloc(0)]],
  ['numbers below zero', [-1, '-1', Buffer.from([255])]],
  ['32 bits', [2 ** 32 - 1, 'a', Buffer.from([0])]],
  ['more than 32 bits', [2 ** 32, 'b', Buffer.from([0, 0])]],
  ['more than 32 bits below zero', [-(2 ** 32) - 1, 'c', null]],
  ['the largest number', [Number.MAX_SAFE_INTEGER, 'd', null]],
  ['the lowest number', [Number.MIN_SAFE_INTEGER, 'e', null]],
  ['a BigInt', [1n, 'f', null]],
  ['quotes and backslashes', [1, String.raw`{"a": "\"\\'"}`, Buffer.from(String.raw`\x"`)]],
  ['characters of one to four bytes', [2, 'aé€😀', Buffer.from('aé€😀')]],
  ['all bytes', [3, 'g', Buffer.from(Array.from({ length: 256 }, (_, i) => i))]],
  ['a long text', [4, 'é'.repeat(200_000), Buffer.alloc(200_000, 7)]]
]

const createTable = `
  CREATE TABLE things (
    gone TEXT, place BIGINT, number BIGINT, word TEXT, bytes BYTEA, kind TEXT DEFAULT 'usual',
    spare BIGINT);
  ALTER TABLE things DROP COLUMN gone;`

async function open (t: Test) {
  const { url } = await openCluster()
  const schema = await createSchema(t, url)
  const database = new Database(await openEngine(schema))
  t.teardown(() => database.close())
  await runSql(schema, createTable)
  const insert = database.connection.prepare(
    'INSERT INTO things (place, bytes, number, word) VALUES (?, ?, ?, ?)'
  )
  const select = database.connection.prepare<[], { place: number }>(
    'SELECT place, number, word, bytes, kind FROM things ORDER BY place'
  )
  /** Stores rows in a transaction. Returns all that are stored. */
  const store = async (list: readonly Row[], first = 0): Promise<unknown[]> => {
    await database.transact(() => {
      for (const [i, [number, word, bytes]] of list.entries()) {
        insert.run(first + i, bytes, number, word)
      }
    })
    return await database.transact(() => select.all())
  }
  return { schema, database, store }
}

/** Returns the places of the rows that another session sees. */
async function readPlaces (schema: string): Promise<number[]> {
  const stored = await runSql(schema, 'SELECT place FROM things ORDER BY place')
  return stored.map(({ place }) => Number(place))
}

/** Returns rows as they are read. */
function expectRows (list: readonly Row[]): unknown[] {
  return list.map(([number, word, bytes], place) => ({
    place,
    number: number === null ? null : Number(number),
    word,
    bytes,
    kind: 'usual'
  }))
}

t.test('one row and several are stored as they are', makeLong(postgresOptions), async (t) => {
  const { schema, store } = await open(t)
  for (const [what, row] of rows) {
    await runSql(schema, 'DELETE FROM things')
    t.strictSame(await store([row]), expectRows([row]), `one row with ${what}`)
    const all = [row, row, rows[0][1], row]
    t.strictSame(await store(all.slice(1), 1), expectRows(all), `several rows with ${what}`)
  }
})

t.test('many rows are stored in order', longOptions, async (t) => {
  const { store } = await open(t)
  const many = Array.from({ length: 1200 }, (_, i) => rows[i % 10][1])
  t.strictSame(await store(many), expectRows(many))
})

t.test('text that PostgreSQL cannot store is replaced', longOptions, async (t) => {
  const { store } = await open(t)
  const odd: Row = [1, 'a\0b\uD800', null]
  const stored: Row = [1, 'a\uFFFDb\uFFFD', null]
  t.strictSame(await store([odd, odd]), expectRows([stored, stored]))
})

const wrongRows: Array<[what: string, row: unknown[]]> = [
  ['a fraction', [1.5, 'a', null]],
  ['a number that is too large', [2n ** 63n, 'a', null]],
  ['a word instead of a number', ['many', 'a', null]],
  ['nothing instead of a number', ['', 'a', null]],
  ['a word instead of bytes', [1, 'a', 'abcdef']]
]

t.test('wrong values are refused, and nothing else is lost', longOptions, async (t) => {
  const { schema, database, store } = await open(t)
  const count = database.connection.prepare('SELECT count(*) FROM things')
  const insert = database.connection.prepare(
    'INSERT INTO things (number, word, bytes) VALUES (?, ?, ?)'
  )
  const places: number[] = []
  for (const [what, row] of wrongRows) {
    for (const reads of [false, true]) {
      const storeWrong = database.transact(() => {
        // PostgreSQL knows of the transaction only if something was read in it.
        if (reads) count.get()
        for (const values of [row, rows[1][1]]) insert.run(...values)
      })
      await t.rejects(storeWrong, { code: '22P02' }, what)
      await store([rows[0][1], rows[0][1]], places.length)
      places.push(places.length, places.length + 1)
      t.strictSame(await readPlaces(schema), places, `rows after ${what} are committed`)
    }
  }
})

t.test('numbers fit into a column of text', longOptions, async (t) => {
  const { database, store } = await open(t)
  const insert = database.connection.prepare('INSERT INTO things (place, word) VALUES (?, ?)')
  await database.transact(() => {
    for (let place = 0; place < 5000; place++) insert.run(place, -Number.MAX_SAFE_INTEGER)
  })
  const words = new Set((await store([])).map((row) => (row as { word: string }).word))
  t.strictSame([...words], [String(-Number.MAX_SAFE_INTEGER)])
})

t.test('a table is found after it was created', longOptions, async (t) => {
  const { schema, store } = await open(t)
  const list = rows.slice(0, 2).map(([, row]) => row)
  await runSql(schema, 'DROP TABLE things')
  await t.rejects(store(list), { name: 'LedgerUnusable', problem: /are missing/ })
  await runSql(schema, createTable)
  t.strictSame(await store(list), expectRows(list))
})

t.test('a column of another type stays as it is', longOptions, async (t) => {
  const { schema, store } = await open(t)
  await runSql(schema, 'ALTER TABLE things ADD COLUMN added TIMESTAMPTZ DEFAULT now()')
  const list = rows.slice(0, 2).map(([, row]) => row)
  t.strictSame(await store(list), expectRows(list))
})

t.test('a statement with unlike types does not end the session', longOptions, async (t) => {
  const { database, store } = await open(t)
  const wrong = database.connection.prepare("SELECT COALESCE(1, 'a'::text)")
  await t.rejects(
    database.transact(() => wrong.get()),
    { code: '42804', isLost: false }
  )
  const list = [rows[1][1], rows[2][1]]
  t.strictSame(await store(list), expectRows(list))
})

t.test('numbers of types have 32 bits', async (t) => {
  const oid = 3_000_000_000
  const columns = [
    { name: 'word', type: 25 },
    { name: 'other', type: oid + 1 }
  ]
  const array = Buffer.from(writeRowArray({ oid, columns }, ['word'], [['a']]))
  t.equal(array.readUInt32BE(8), oid)
  t.equal(array.readUInt32BE(array.length - 8), oid + 1)
})

const changes: Array<[what: string, sql: string]> = [
  ['was created again', `DROP TABLE things; ${createTable}`],
  ['got a column', 'DELETE FROM things; ALTER TABLE things ADD COLUMN more TEXT'],
  ['lost a column', 'DELETE FROM things; ALTER TABLE things DROP COLUMN spare']
]

for (const [what, sql] of changes) {
  t.test(`rows are stored after their table ${what}`, longOptions, async (t) => {
    const { schema, store } = await open(t)
    const list = rows.slice(0, 3).map(([, row]) => row)
    t.strictSame(await store(list), expectRows(list))
    await runSql(schema, sql)
    t.strictSame(await store(list), expectRows(list))
    t.strictSame(await readPlaces(schema), [0, 1, 2], 'another session sees them')
  })
}
