import { kindOfCode } from '../src/domain/kinds.ts'
import { callbackOutcomes } from '../src/ports/ledger-stats.ts'
import type {
  AccountTime,
  CallbackOutcomes,
  LedgerStats,
  StatusCount
} from '../src/ports/ledger-stats.ts'
import type { Database } from './database.ts'
import { joinLastMove, readStatus, statusColumns, type StatusRow } from './payment-status.ts'

/** Rows that are counted in one turn of the event loop, so that requests do not wait. */
const pageSize = 2000

interface Row extends StatusRow {
  seq: number
}

/** Outcomes of a page of callbacks: 1 for each that occurred, null on an empty page. */
interface OutcomeRow extends Record<(typeof callbackOutcomes)[number], number | null> {
  last: number | null
  size: number
}

/** Counts of the payments and callbacks of all accounts. */
export class SqlLedgerStats implements LedgerStats {
  readonly #database: Database
  readonly #page
  readonly #pending
  readonly #setAside

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#page = connection.prepare<[number, number, number], Row>(`
      SELECT seq, ${statusColumns} FROM payments ${joinLastMove}
      WHERE payments.ledger = ? AND seq > ? ORDER BY seq LIMIT ?`)
    this.#pending = connection.prepare<[], { account: number; count: number }>(
      `SELECT accounts.id AS account, count(*) AS count FROM callbacks
      JOIN accounts ON accounts.ledger = callbacks.ledger
      WHERE callbacks.state = 'PENDING' GROUP BY accounts.id`
    )
    this.#setAside = connection.prepare<[], { account: number; count: number }>(
      `SELECT accounts.id AS account, count(*) AS count FROM set_aside
      JOIN accounts ON accounts.ledger = set_aside.ledger GROUP BY accounts.id`
    )
  }

  async payments (now: AccountTime): Promise<StatusCount[]> {
    const counts = new Map<string, StatusCount>()
    for (const [account, ledger] of this.#database.listLedgers()) {
      for (let after = 0, full = now(account) !== undefined; full;) {
        const rows = await this.#database.read(undefined, () =>
          this.#page.all(ledger, after, pageSize)
        )
        for (const row of rows) countRow(counts, row, now(account))
        full = rows.length === pageSize
        after = rows.at(-1)?.seq ?? after
      }
    }
    return [...counts.values()]
  }

  async pending (now: AccountTime): Promise<number> {
    const rows = await this.#database.read(undefined, () => this.#pending.all())
    return sumCounts(rows, now)
  }

  async setAside (now: AccountTime): Promise<number> {
    const rows = await this.#database.read(undefined, () => this.#setAside.all())
    return sumCounts(rows, now)
  }
}

/** Adds the counts of the accounts that this server has. */
function sumCounts (
  rows: ReadonlyArray<{ account: number; count: number }>,
  now: AccountTime
): number {
  const here = rows.filter(({ account }) => now(account) !== undefined)
  return here.reduce((sum, { count }) => sum + count, 0)
}

/** Outcomes of the callbacks of an account. */
export class SqlCallbackOutcomes {
  readonly #database: Database
  readonly #page

  constructor (database: Database) {
    this.#database = database
    const { connection } = database
    const { dialect } = connection
    this.#page = connection.prepare<[number, number], OutcomeRow>(`
      SELECT max(seq) AS last, count(*) AS size,
        max(CASE WHEN state = 'ACKNOWLEDGED' THEN 1 ELSE 0 END) AS acknowledged,
        max(CASE WHEN attempts > 1 THEN 1 ELSE 0 END) AS "tried again",
        max(CASE WHEN state = 'EXHAUSTED' THEN 1 ELSE 0 END) AS exhausted
      FROM (
        SELECT seq, state, attempts FROM callbacks ${dialect.indexedBy('callbacks_of_ledger')}
        WHERE ledger = ? AND seq > ? ORDER BY seq LIMIT ${pageSize}) AS page`)
  }

  /**
   * Returns the outcomes that occurred, of a limited number of callbacks. It reads page by page, at
   * most until all have occurred.
   */
  async listOutcomes (account: number, most: number): ReturnType<CallbackOutcomes> {
    const found = new Set<(typeof callbackOutcomes)[number]>()
    let after = 0
    for (let seen = 0, isFull = true; isFull && seen < most; seen += pageSize) {
      if (found.size === callbackOutcomes.length) break
      const row = await this.#database.read(account, () =>
        this.#page.get(this.#database.ledgerOf(account), after)
      )
      for (const outcome of callbackOutcomes) if (row?.[outcome] === 1) found.add(outcome)
      isFull = row?.size === pageSize
      after = row?.last ?? after
    }
    return callbackOutcomes.filter((outcome) => found.has(outcome))
  }
}

/** Counts a payment by kind and status. One that cannot be read is not counted. */
function countRow (counts: Map<string, StatusCount>, row: Row, time?: number): void {
  try {
    if (time === undefined) return
    const kind = kindOfCode(row.kind).name
    const status = readStatus(row, time)
    const key = `${kind} ${status}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { kind, status, count: 1 })
    else known.count++
  } catch {
    // The invariants call reports such a payment.
  }
}
