import { kindOfCode } from '../src/domain/kinds.ts'
import { callbackOutcomes } from '../src/domain/coverage.ts'
import { stateAt, type AnyPayment } from '../src/domain/payment.ts'
import type { CallbackOutcomes, LedgerStats, StatusCount } from '../src/domain/ledger-stats.ts'
import { isFinal, statuses, type Status } from '../src/domain/status.ts'
import type { Database } from './database.ts'

/** Payments that are counted in one turn of the event loop, so that requests do not wait. */
const pageSize = 2000

interface Row {
  seq: number
  account: number
  kind: number
  created: number
  at: number | null
  status: Status | null
  step: number | null
  /** Null for a final payment, which has no future. */
  plan: string | null
}

/** Counts of the payments and callbacks of all accounts. */
export class SqliteLedgerStats implements LedgerStats {
  readonly #database: Database
  readonly #page
  readonly #pending

  constructor (database: Database) {
    const { connection } = database
    const final = statuses
      .filter(isFinal)
      .map((status) => `'${status}'`)
      .join(', ')
    this.#database = database
    this.#page = connection.prepare<[number, number], Row>(`
      SELECT seq, account, kind, created, at, status, step,
        CASE WHEN status IN (${final}) THEN NULL ELSE plan END AS plan
      FROM payments LEFT JOIN moves
        ON payment = seq AND n = (SELECT max(n) FROM moves WHERE payment = seq)
      WHERE seq > ? ORDER BY seq LIMIT ?`)
    this.#pending = connection.prepare<[], { count: number }>(
      "SELECT count(*) AS count FROM callbacks WHERE state = 'PENDING'"
    )
  }

  async payments (now: (account: number) => number): Promise<StatusCount[]> {
    const counts = new Map<string, StatusCount>()
    for (let after = 0, full = true; full;) {
      const rows = await this.#database.transact(() => this.#page.all(after, pageSize))
      for (const row of rows) countRow(counts, row, now)
      full = rows.length === pageSize
      after = rows.at(-1)?.seq ?? after
    }
    return [...counts.values()]
  }

  pending (): Promise<number> {
    return this.#database.transact(() => this.#pending.get()?.count ?? 0)
  }
}

/** Outcomes of the callbacks of an account. */
export class SqliteCallbackOutcomes {
  readonly #database: Database
  readonly #callbackOutcomes

  constructor (database: Database) {
    const some = (condition: string): string =>
      `EXISTS (SELECT 1 FROM callbacks WHERE account = $account AND ${condition})`
    this.#database = database
    this.#callbackOutcomes = database.connection.prepare<
      { account: number },
      Record<'acknowledged' | 'tried again' | 'exhausted', number>
    >(`
      SELECT ${some("state = 'ACKNOWLEDGED'")} AS acknowledged,
        ${some('attempts > 1')} AS "tried again",
        ${some("state = 'EXHAUSTED'")} AS exhausted`)
  }

  listOutcomes (account: number): ReturnType<CallbackOutcomes> {
    return this.#database.transact(() => {
      const row = this.#callbackOutcomes.get({ account })
      return callbackOutcomes.filter((outcome) => row?.[outcome] === 1)
    })
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
    const status = readStatus(row, now)
    const key = `${kind} ${status}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { kind, status, count: 1 })
    else known.count++
  } catch {
    // The invariants call reports such a payment.
  }
}

/** Returns the status of a payment, from its last move, its plan and the clock. */
function readStatus (
  { account, kind, created, at, status, step, plan }: Row,
  now: (account: number) => number
): Status {
  if (plan === null) return status as Status
  const moves =
    status === null || at === null
      ? []
      : [{ at, to: status, cause: '', ...(step !== null && { step }) }]
  const payment = { account, kind: kindOfCode(kind), created, plan: JSON.parse(plan), moves }
  return stateAt(payment as unknown as AnyPayment, now(account)).to
}
