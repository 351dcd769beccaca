import { kindOfCode } from '../src/domain/kinds.ts'
import { callbackOutcomes } from '../src/domain/coverage.ts'
import type { CallbackOutcomes, LedgerStats, StatusCount } from '../src/domain/ledger-stats.ts'
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

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#page = connection.prepare<[number, number], Row>(`
      SELECT seq, ${statusColumns} FROM payments ${joinLastMove}
      WHERE seq > ? ORDER BY seq LIMIT ?`)
    this.#pending = connection.prepare<[], { count: number }>(
      "SELECT count(*) AS count FROM callbacks WHERE state = 'PENDING'"
    )
  }

  async payments (now: (account: number) => number): Promise<StatusCount[]> {
    const counts = new Map<string, StatusCount>()
    for (let after = 0, full = true; full;) {
      const rows = await this.#database.read(undefined, () => this.#page.all(after, pageSize))
      for (const row of rows) countRow(counts, row, now)
      full = rows.length === pageSize
      after = rows.at(-1)?.seq ?? after
    }
    return [...counts.values()]
  }

  pending (): Promise<number> {
    return this.#database.read(undefined, async () => (await this.#pending.get())?.count ?? 0)
  }
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
        SELECT seq, state, attempts FROM callbacks ${dialect.indexedBy('callbacks_of_account')}
        WHERE account = ? AND seq > ? ORDER BY seq LIMIT ${pageSize}) AS page`)
  }

  /** Returns the outcomes that occurred. It reads page by page until all have occurred. */
  async listOutcomes (account: number): ReturnType<CallbackOutcomes> {
    const found = new Set<(typeof callbackOutcomes)[number]>()
    for (let after = 0, isFull = true; isFull && found.size < callbackOutcomes.length;) {
      const row = await this.#database.read(account, () => this.#page.get(account, after))
      for (const outcome of callbackOutcomes) if (row?.[outcome] === 1) found.add(outcome)
      isFull = row?.size === pageSize
      after = row?.last ?? after
    }
    return callbackOutcomes.filter((outcome) => found.has(outcome))
  }
}

/** Counts a payment by kind and status. One that cannot be read is not counted. */
function countRow (
  counts: Map<string, StatusCount>,
  row: Row,
  now: (account: number) => number
): void {
  try {
    const kind = kindOfCode(row.kind).name
    const status = readStatus(row, now(row.account))
    const key = `${kind} ${status}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { kind, status, count: 1 })
    else known.count++
  } catch {
    // The invariants call reports such a payment.
  }
}
