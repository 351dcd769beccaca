import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import { until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Rows that are sent to PostgreSQL together, as an array in its binary format. */

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
    gone TEXT, place BIGINT, number BIGINT, word TEXT, bytes BYTEA, kind TEXT DEFAULT 'usual');
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
  return { schema, store }
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

t.test('one row and several are stored as they are', postgresOptions, async (t) => {
  const { schema, store } = await open(t)
  for (const [what, row] of rows) {
    await runSql(schema, 'DELETE FROM things')
    t.strictSame(await store([row]), expectRows([row]), `one row with ${what}`)
    const all = [row, row, rows[0][1], row]
    t.strictSame(await store(all.slice(1), 1), expectRows(all), `several rows with ${what}`)
  }
})

t.test('many rows are stored in order', postgresOptions, async (t) => {
  const { store } = await open(t)
  const many = Array.from({ length: 1200 }, (_, i) => rows[i % 10][1])
  t.strictSame(await store(many), expectRows(many))
})

t.test('text that PostgreSQL cannot store is replaced', postgresOptions, async (t) => {
  const { store } = await open(t)
  const odd: Row = [1, 'a\0b\uD800', null]
  const stored: Row = [1, 'a\uFFFDb\uFFFD', null]
  t.strictSame(await store([odd, odd]), expectRows([stored, stored]))
})

t.test('rows are stored soon after the tables were created again', postgresOptions, async (t) => {
  const { schema, store } = await open(t)
  const list = rows.slice(0, 3).map(([, row]) => row)
  t.strictSame(await store(list), expectRows(list))
  await runSql(schema, `DROP TABLE things; ${createTable}`)
  const tryToStore = (): Promise<unknown> => store(list).catch((error) => error)
  const stored = await until(tryToStore, (result) => !(result instanceof LedgerUnusableError))
  t.strictSame(stored, expectRows(list))
})
