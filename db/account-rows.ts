import { firstCallbackQueue, outageQueue } from '../src/domain/due-queue.ts'
import type { LedgerPart } from '../src/domain/account-tables.ts'
import type { Connection, Statement } from './connection.ts'

/**
 * Rows of accounts: the list of all tables, and the work on all rows of an account. The work is a
 * generator of small steps, so that the caller can do it in many short transactions. Statements are
 * prepared outside the loops: thousands of them take 100 ms when they are collected as garbage.
 */

/** Rows of a table that belong to an account. */
interface AccountTable {
  table: string
  part: LedgerPart
  /** Column that leads to the account through another table; absent if the table has `account`. */
  by?: { column: string; table: 'payments' | 'wallets'; key: string }
  /** Further condition. */
  and?: string
  /** Column whose numbers nothing refers to: restored rows get new ones, in the same order. */
  renumbered?: string
}

const byPayment = { column: 'payment', table: 'payments', key: 'seq' } as const
const byWallet = { column: 'wallet', table: 'wallets', key: 'id' } as const

/**
 * All tables with rows of an account. A row comes before the rows that it is found by, so that this
 * is the order of deletion; restoring goes the other way. A test checks that no table is missing.
 */
const accountTables: readonly AccountTable[] = [
  { table: 'moves', part: 'payments', by: byPayment },
  { table: 'codes', part: 'payments', by: byPayment },
  { table: 'entries', part: 'payments', by: byPayment, renumbered: 'seq' },
  { table: 'provider_queue', part: 'payments' },
  { table: 'set_aside', part: 'payments' },
  { table: 'sessions', part: 'payments' },
  { table: 'statements', part: 'payments' },
  { table: 'entries', part: 'payments', by: byWallet, and: 'payment IS NULL', renumbered: 'seq' },
  { table: 'wallets', part: 'payments' },
  { table: 'due_queue', part: 'providers', and: `queue = ${outageQueue}` },
  {
    table: 'due_queue',
    part: 'payments',
    and: `queue <> ${outageQueue} AND queue < ${firstCallbackQueue}`
  },
  { table: 'payments', part: 'payments' },
  { table: 'attempts', part: 'callbacks' },
  { table: 'held_callbacks', part: 'callbacks' },
  { table: 'due_queue', part: 'callbacks', and: `queue >= ${firstCallbackQueue}` },
  { table: 'callbacks', part: 'callbacks' },
  { table: 'uses', part: 'scenarios' }
]

/** Names of the tables with rows of an account. */
export const accountTableNames: readonly string[] = [
  ...new Set(accountTables.map(({ table }) => table))
]

/** Names of the tables of the server, or that an account is found by. */
export const sharedTableNames: readonly string[] = [
  'accounts',
  'keys',
  'snapshots',
  'unfinished_work'
]

/** Names of all tables of a ledger, with the copies of rows in snapshots. */
export const ledgerTableNames: readonly string[] = [
  ...sharedTableNames,
  ...accountTableNames,
  ...accountTableNames.map((table) => `snapshot_${table}`)
]

/** Rows that one step handles. */
const stepSize = 200

/** Steps of work on many rows. */
export type Steps = AsyncGenerator<undefined, void>

/** Deletes the rows of an account, except those of the kept parts. */
export async function * deleteRows (
  connection: Connection,
  account: number,
  keep: readonly LedgerPart[] = []
): Steps {
  if (keep.includes('callbacks') && !keep.includes('payments')) {
    yield * detachCallbacks(connection, account)
  }
  const tables = accountTables.filter(({ part }) => !keep.includes(part))
  const erasures = tables
    .filter(({ by }) => by === byPayment)
    .map((row) => connection.prepare(`DELETE FROM ${row.table} WHERE ${condition(row)}`))
  for await (const range of paymentRanges(connection, account)) {
    for (const erasure of erasures) {
      erasure.run(account, ...range)
      yield
    }
  }
  for (const row of tables.filter(({ by }) => by !== byPayment)) {
    const key = (await listKey(connection, row.table)).join(', ')
    const erase = connection.prepare(`
      DELETE FROM ${row.table} WHERE (${key}) IN (
        SELECT ${key} FROM ${row.table} WHERE ${condition(row)} LIMIT ${stepSize})`)
    while ((await erase.change(account)) === stepSize) yield
  }
}

/** Copies the rows of an account to the tables of snapshots. */
export async function * copyRows (
  connection: Connection,
  account: number,
  snapshot: number
): Steps {
  const prepareCopy = async (
    { table }: AccountTable,
    where: string
  ): Promise<Statement<unknown[]>> => {
    const fields = (await connection.dialect.listColumns(connection, table)).join(', ')
    return connection.prepare(
      `INSERT INTO snapshot_${table} (snapshot, ${fields}) SELECT ?, ${fields} FROM ${table} ` +
        `WHERE ${where}`
    )
  }
  const copies = await Promise.all(
    accountTables
      .filter(({ by }) => by === byPayment)
      .map((row) => prepareCopy(row, condition(row)))
  )
  for await (const range of paymentRanges(connection, account)) {
    for (const copy of copies) {
      copy.run(snapshot, account, ...range)
      yield
    }
  }
  for (const row of accountTables.filter(({ by }) => by !== byPayment)) {
    const key = (await listKey(connection, row.table)).join(', ')
    const marks = key.replace(/[^,]+/g, '?')
    const nextKey = connection
      .prepare<unknown[], unknown[]>(
        `SELECT ${key} FROM ${row.table} WHERE ${condition(row)} AND (${key}) > (${marks}) ` +
          `ORDER BY ${key} LIMIT 1 OFFSET ${stepSize - 1}`
      )
      .raw()
    const after = `${condition(row)} AND (${key}) > (${marks})`
    // A file has the rows in this order.
    const copy = await prepareCopy(row, `${after} AND (${key}) <= (${marks}) ORDER BY ${key}`)
    let last: unknown[] = await firstKeyOf(connection, row.table, account)
    for (let end = await nextKey.get(account, ...last); end !== undefined;) {
      copy.run(snapshot, account, ...last, ...end)
      yield
      last = end
      end = await nextKey.get(account, ...last)
    }
    const rest = await prepareCopy(row, `${after} ORDER BY ${key}`)
    rest.run(snapshot, account, ...last)
    yield
  }
}

/** Copies the rows of a snapshot back to the tables of accounts, which hold none of them. */
export async function * restoreRows (connection: Connection, snapshot: number): Steps {
  for (const table of accountTableNames.toReversed()) {
    const renumbered = accountTables.find((row) => row.table === table)?.renumbered
    const fields = (await connection.dialect.listColumns(connection, table))
      .filter((field) => field !== renumbered)
      .join(', ')
    const order = renumbered ?? 'rowid'
    const next = connection
      .prepare<[number, number], number>(
        `SELECT ${order} FROM snapshot_${table} WHERE snapshot = ? AND ${order} > ? ` +
          `ORDER BY ${order} LIMIT 1 OFFSET ${stepSize - 1}`
      )
      .pluck()
    const insert = connection.prepare(
      `INSERT INTO ${table} (${fields}) SELECT ${fields} FROM snapshot_${table} ` +
        `WHERE snapshot = ? AND ${order} > ? AND ${order} <= ? ORDER BY ${order}`
    )
    let last = -1
    let end = await next.get(snapshot, last)
    while (end !== undefined) {
      insert.run(snapshot, last, end)
      yield
      last = end
      end = await next.get(snapshot, last)
    }
    insert.run(snapshot, last, Number.MAX_SAFE_INTEGER)
    yield
  }
}

/**
 * Makes the pending callbacks of an account due that are not in the due queue: they were on their
 * way when the snapshot was taken.
 */
export async function * requeueCallbacks (connection: Connection, account: number): Steps {
  const next = connection
    .prepare<[number, number], number>(
      `SELECT seq FROM callbacks ${connection.dialect.indexedBy('callbacks_of_account')} ` +
        `WHERE account = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ${stepSize - 1}`
    )
    .pluck()
  const requeue = connection.prepare(
    'INSERT INTO due_queue (account, queue, due, subject) ' +
      'SELECT account, queue, due, seq FROM callbacks ' +
      "WHERE account = ? AND seq > ? AND seq <= ? AND state = 'PENDING' ON CONFLICT DO NOTHING"
  )
  let last = 0
  let end = await next.get(account, last)
  while (end !== undefined) {
    requeue.run(account, last, end)
    yield
    last = end
    end = await next.get(account, last)
  }
  requeue.run(account, last, Number.MAX_SAFE_INTEGER)
}

/** Deletes the rows of a snapshot. */
export async function * deleteCopy (connection: Connection, snapshot: number): Steps {
  for (const table of accountTableNames) {
    const erase = connection.prepare(`
      DELETE FROM snapshot_${table} WHERE rowid IN (
        SELECT rowid FROM snapshot_${table} WHERE snapshot = ? LIMIT ${stepSize})`)
    while ((await erase.change(snapshot)) === stepSize) yield
  }
}

/** Keeps kind and identifier of payments that are deleted in their callbacks. */
async function * detachCallbacks (connection: Connection, account: number): Steps {
  const detach = connection.prepare(`
    UPDATE callbacks ${connection.dialect.indexedBy('callbacks_of_payment')} SET
      gone_kind = (SELECT kind FROM payments WHERE payments.seq = payment),
      gone_id = (SELECT id FROM payments WHERE payments.seq = payment),
      payment = NULL
    WHERE account = ? AND payment IN (
      SELECT seq FROM payments WHERE account = ? AND seq > ? AND seq <= ?)`)
  for await (const range of paymentRanges(connection, account)) {
    detach.run(account, account, ...range)
    yield
  }
}

/** Splits the payments of an account into ranges of numbers: after the first, up to the second. */
async function * paymentRanges (
  connection: Connection,
  account: number
): AsyncGenerator<[number, number]> {
  const next = connection
    .prepare<[number, number], number>(
      `SELECT seq FROM payments ${connection.dialect.indexedBy('payments_of_account')} ` +
        `WHERE account = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ${stepSize - 1}`
    )
    .pluck()
  let last = 0
  let end = await next.get(account, last)
  while (end !== undefined) {
    yield [last, end]
    last = end
    end = await next.get(account, last)
  }
  yield [last, Number.MAX_SAFE_INTEGER]
}

/** Returns the condition for the rows of an account; a range of payments follows the account. */
function condition ({ by, and }: AccountTable): string {
  const range = by === byPayment ? ' AND seq > ? AND seq <= ?' : ''
  const own =
    by === undefined
      ? 'account = ?'
      : `${by.column} IN (SELECT ${by.key} FROM ${by.table} WHERE account = ?${range})`
  return and === undefined ? own : `${own} AND ${and}`
}

async function listKey (connection: Connection, table: string): Promise<string[]> {
  return (await connection.dialect.listKeyColumns(connection, table)).map(({ name }) => name)
}

/** Returns a key before all keys of an account in a table. */
async function firstKeyOf (
  connection: Connection,
  table: string,
  account: number
): Promise<unknown[]> {
  const columns = await connection.dialect.listKeyColumns(connection, table)
  return columns.map(({ name, lowest }) => (name === 'account' ? account : lowest))
}
