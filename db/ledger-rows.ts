import {
  firstCallbackQueue,
  linkQueue,
  paymentQueue,
  statementQueue
} from '../src/ports/due-queue.ts'
import type { Connection } from './connection.ts'

/**
 * Rows of ledgers: the list of all tables, and the work on all rows of a ledger. The work is a
 * generator of small steps, so that the caller can do it in many short transactions. Statements are
 * prepared outside the loops: thousands of them take 100 ms when they are collected as garbage.
 */

/** Column of each table whose numbers other rows refer to. */
export const keyColumns = {
  payments: 'seq',
  wallets: 'id',
  callbacks: 'seq',
  statements: 'seq',
  sessions: 'seq'
} as const

/** Table with such numbers. */
export type NumberedTable = keyof typeof keyColumns

export const numberedTables = Object.keys(keyColumns) as NumberedTable[]

/** Columns that refer to rows of another table. */
export const references: Readonly<Record<string, Readonly<Record<string, NumberedTable>>>> = {
  payments: { seq: 'payments', parent: 'payments' },
  moves: { payment: 'payments' },
  codes: { payment: 'payments' },
  entries: { payment: 'payments', wallet: 'wallets' },
  provider_queue: { payment: 'payments' },
  set_aside: { payment: 'payments' },
  wallets: { id: 'wallets' },
  callbacks: { seq: 'callbacks', payment: 'payments' },
  held_callbacks: { callback: 'callbacks' },
  attempts: { callback: 'callbacks' },
  statements: { seq: 'statements' },
  sessions: { seq: 'sessions' }
}

/** Returns the table that the entries of a queue of due work belong to. */
export function subjectsOf (queue: number): NumberedTable | undefined {
  if (queue >= firstCallbackQueue) return 'callbacks'
  return { [paymentQueue]: 'payments', [statementQueue]: 'statements', [linkQueue]: 'sessions' }[
    queue
  ] as NumberedTable | undefined
}

/** Rows of a table that belong to a ledger. */
interface LedgerTable {
  table: string
  /** Column that leads to the ledger through another table; absent if the table has `ledger`. */
  by?: { column: string; table: 'payments' | 'wallets'; key: string }
  /** Further condition. */
  and?: string
}

const byPayment = { column: 'payment', table: 'payments', key: 'seq' } as const
const byWallet = { column: 'wallet', table: 'wallets', key: 'id' } as const

/**
 * All tables with rows of a ledger. A row comes before the rows that it is found by, so that this
 * is the order of deletion. A test checks that no table is missing.
 */
const ledgerTables: readonly LedgerTable[] = [
  { table: 'moves', by: byPayment },
  { table: 'codes', by: byPayment },
  { table: 'entries', by: byPayment },
  { table: 'provider_queue' },
  { table: 'set_aside' },
  { table: 'sessions' },
  { table: 'statements' },
  { table: 'entries', by: byWallet, and: 'payment IS NULL' },
  { table: 'wallets' },
  { table: 'due_queue' },
  { table: 'attempts' },
  { table: 'held_callbacks' },
  { table: 'callbacks' },
  { table: 'uses' },
  { table: 'payments' }
]

/** Names of the tables with rows of a ledger. */
export const ledgerRowTables: readonly string[] = [
  ...new Set(ledgerTables.map(({ table }) => table))
]

/** The same, with those first whose rows other rows refer to. */
export const tablesInOrder: readonly string[] = [
  ...new Set([...numberedTables, ...ledgerRowTables])
]

/** Names of the tables of the server, or that a ledger is found by. */
export const sharedTableNames: readonly string[] = [
  'accounts',
  'ledgers',
  'tokens',
  'keys',
  'snapshots'
]

/** Names of all tables. */
export const ledgerTableNames: readonly string[] = [...sharedTableNames, ...ledgerRowTables]

/** Rows that one step handles. */
const stepSize = 200

/** Steps of work on many rows. */
export type Steps = AsyncGenerator<undefined, void>

/** Deletes the rows of a ledger. */
export async function * deleteRows (connection: Connection, ledger: number): Steps {
  const erasures = ledgerTables
    .filter(({ by }) => by === byPayment)
    .map((row) => connection.prepare(`DELETE FROM ${row.table} WHERE ${condition(row)}`))
  for await (const range of paymentRanges(connection, ledger)) {
    for (const erasure of erasures) {
      erasure.run(ledger, ...range)
      yield
    }
  }
  for (const row of ledgerTables.filter(({ by }) => by !== byPayment)) {
    const key = (await listKey(connection, row.table)).join(', ')
    const erase = connection.prepare(`
      DELETE FROM ${row.table} WHERE (${key}) IN (
        SELECT ${key} FROM ${row.table} WHERE ${condition(row)} LIMIT ${stepSize})`)
    while ((await erase.change(ledger)) === stepSize) yield
  }
}

/** Reads the rows of a ledger, as many as a step handles, without the number of the ledger. */
export async function * readRows (
  connection: Connection,
  ledger: number,
  table: string,
  read: <T>(work: () => Promise<T>) => Promise<T>
): AsyncGenerator<Array<Record<string, unknown>>, void> {
  const fields = await listCopiedColumns(connection, table)
  const row = ledgerTables.find((row) => row.table === table) as LedgerTable
  const prepare = (where: string) =>
    connection.prepare<unknown[], Record<string, unknown>>(
      `SELECT ${fields.join(', ')} FROM ${table} WHERE ${where}`
    )
  if (table === 'entries') {
    const marks = Array(stepSize).fill('?').join(', ')
    const page = prepare(`seq IN (${marks}) ORDER BY seq`)
    const steps = entryNumbers(connection, ledger)
    for (;;) {
      const rows = await read(async () => {
        const { done, value: numbers } = await steps.next()
        if (done === true) return undefined
        return await page.all(...numbers, ...Array(stepSize - numbers.length).fill(0))
      })
      if (rows === undefined) return
      yield rows
    }
  }
  const isByPayment = row.by === byPayment
  const where = isByPayment
    ? condition(row)
    : `${condition(row)} AND ${await keyRange(connection, row)}`
  const key = (await listKey(connection, table)).join(', ')
  const page = prepare(`${where} ORDER BY ${key}`)
  const ranges: AsyncGenerator<unknown[]> = isByPayment
    ? paymentRanges(connection, ledger)
    : keyRanges(connection, row, ledger)
  for (;;) {
    const rows = await read(async () => {
      const { done, value: range } = await ranges.next()
      return done === true ? undefined : await page.all(ledger, ...(range as unknown[]))
    })
    if (rows === undefined) return
    yield rows
  }
}

/**
 * Makes the pending callbacks of a ledger due that are not in the due queue: they were on their way
 * when the snapshot was taken.
 */
export async function * requeueCallbacks (connection: Connection, ledger: number): Steps {
  const row = { table: 'callbacks' }
  const requeue = connection.prepare(
    'INSERT INTO due_queue (ledger, queue, due, subject) ' +
      'SELECT ledger, queue, due, seq FROM callbacks ' +
      `WHERE ledger = ? AND ${await keyRange(connection, row)} AND state = 'PENDING' ` +
      'ON CONFLICT DO NOTHING'
  )
  for await (const range of keyRanges(connection, row, ledger)) {
    requeue.run(ledger, ...range)
    yield
  }
}

/** Lists the columns that a copy of a row has, without the number of the ledger. */
export async function listCopiedColumns (
  connection: Connection,
  table: string
): Promise<string[]> {
  const columns = await connection.dialect.listColumns(connection, table)
  // Nothing refers to the number of an entry: a copy gets a new one, in the same order.
  const isCopied = (name: string): boolean => table !== 'entries' || name !== 'seq'
  return columns.filter((name) => name !== 'ledger' && isCopied(name))
}

/** Splits the payments of a ledger into ranges of numbers: after the first, up to the second. */
export async function * paymentRanges (
  connection: Connection,
  ledger: number
): AsyncGenerator<[number, number], void> {
  const next = connection
    .prepare<[number, number], number>(
      `SELECT seq FROM payments ${connection.dialect.indexedBy('payments_of_ledger')} ` +
        `WHERE ledger = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ${stepSize - 1}`
    )
    .pluck()
  let last = 0
  let end = await next.get(ledger, last)
  while (end !== undefined) {
    yield [last, end]
    last = end
    end = await next.get(ledger, last)
  }
  yield [last, Number.MAX_SAFE_INTEGER]
}

/** Returns the condition for rows after a key, up to another one: see `keyRanges`. */
async function keyRange (connection: Connection, { table }: LedgerTable): Promise<string> {
  const key = await listKey(connection, table)
  const marks = key.map(() => '?').join(', ')
  return `(${key.join(', ')}) > (${marks}) AND (${key.join(', ')}) <= (${marks})`
}

/** Splits the rows of a ledger in a table into ranges of keys. */
async function * keyRanges (
  connection: Connection,
  row: LedgerTable,
  ledger: number
): AsyncGenerator<unknown[], void> {
  const columns = await connection.dialect.listKeyColumns(connection, row.table)
  const key = columns.map(({ name }) => name).join(', ')
  const marks = columns.map(() => '?').join(', ')
  const find = (order: string, offset: number) =>
    connection
      .prepare<unknown[], unknown[]>(
        `SELECT ${key} FROM ${row.table} WHERE ${condition(row)} AND (${key}) > (${marks}) ` +
          `ORDER BY ${order} LIMIT 1 OFFSET ${offset}`
      )
      .raw()
  const next = find(key, stepSize - 1)
  const final = find(columns.map(({ name }) => `${name} DESC`).join(', '), 0)
  let last: unknown[] = columns.map(({ name, lowest }) => (name === 'ledger' ? ledger : lowest))
  for (;;) {
    const end = (await next.get(ledger, ...last)) ?? (await final.get(ledger, ...last))
    if (end === undefined) return
    yield [...last, ...end]
    last = end
  }
}

/** Lists the numbers of the entries of a ledger in their order, as many as a step handles. */
async function * entryNumbers (
  connection: Connection,
  ledger: number
): AsyncGenerator<number[], void> {
  const list = (row: LedgerTable) =>
    connection
      .prepare<number[], number>(`SELECT seq FROM entries WHERE ${condition(row)}`)
      .pluck()
  const all = await list({ table: 'entries', by: byWallet, and: 'payment IS NULL' }).all(ledger)
  const ofPayments = list({ table: 'entries', by: byPayment })
  for await (const range of paymentRanges(connection, ledger)) {
    for (const number of await ofPayments.all(ledger, ...range)) all.push(number)
    yield []
  }
  const sorted = Float64Array.from(all).sort()
  for (let start = 0; start < sorted.length; start += stepSize) {
    yield [...sorted.subarray(start, start + stepSize)]
  }
}

/** Returns the condition for the rows of a ledger; a range of payments follows the ledger. */
function condition ({ by, and }: LedgerTable): string {
  const range = by === byPayment ? ' AND seq > ? AND seq <= ?' : ''
  const own =
    by === undefined
      ? 'ledger = ?'
      : `${by.column} IN (SELECT ${by.key} FROM ${by.table} WHERE ledger = ?${range})`
  return and === undefined ? own : `${own} AND ${and}`
}

async function listKey (connection: Connection, table: string): Promise<string[]> {
  return (await connection.dialect.listKeyColumns(connection, table)).map(({ name }) => name)
}
