import { kindOfCode } from '../src/domain/kinds.ts'
import { callbackOutcomes } from '../src/domain/coverage.ts'
import { stateAt, type AnyPayment } from '../src/domain/payment.ts'
import type { Status } from '../src/domain/status.ts'
import { isFinal, statuses } from '../src/domain/status.ts'
import type { CallbackOutcomes, LedgerStats, StatusCount } from '../src/domain/ledger-stats.ts'
import type { Database } from './database.ts'

/**
 * So many payments are counted in one turn: a server that is asked for its numbers goes on
 * answering.
 */
const pageSize = 2000

interface Row {
  seq: number
  account: number
  kind: number
  created: number
  at: number | null
  status: Status | null
  step: number | null
  /** Only of what is not final: the rest has no future. */
  plan: string | null
}

/** Counts what the ledger holds, of all accounts. */
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
      SELECT seq, account, kind, created, at, status, step, CASE WHEN status IN (${final}) THEN NULL ELSE plan END AS plan
      FROM payments LEFT JOIN moves ON payment = seq AND n = (SELECT max(n) FROM moves WHERE payment = seq)
      WHERE seq > ? ORDER BY seq LIMIT ?`)
    this.#pending = connection.prepare<[], { count: number }>(
      "SELECT count(*) AS count FROM callbacks WHERE state = 'PENDING'"
    )
  }

  async payments (now: (account: number) => number): Promise<StatusCount[]> {
    const counts = new Map<string, StatusCount>()
    for (
      let after = 0, rows: Row[] = [];
      after === 0 || rows.length === pageSize;
      after = rows.at(-1)?.seq ?? -1
    ) {
      rows = await this.#database.transact(() => this.#page.all(after, pageSize))
      for (const row of rows) {
        const kind = kindOfCode(row.kind).name
        const status = statusOf(row, now)
        const key = `${kind} ${status}`
        const headcount = counts.get(key)
        if (headcount === undefined) counts.set(key, { kind, status, count: 1 })
        else headcount.count++
      }
    }
    return [...counts.values()]
  }

  pending (): Promise<number> {
    return this.#database.transact(() => this.#pending.get()?.count ?? 0)
  }
}

/** What has become of the callbacks of an account. */
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
      SELECT ${some("state = 'ACKNOWLEDGED'")} AS acknowledged, ${some('attempts > 1')} AS "tried again", ${some("state = 'EXHAUSTED'")} AS exhausted`)
  }

  listOutcomes (account: number): ReturnType<CallbackOutcomes> {
    return this.#database.transact(() => {
      const row = this.#callbackOutcomes.get({ account })
      return callbackOutcomes.filter((outcome) => row?.[outcome] === 1)
    })
  }
}

/** The state of a payment follows from what was recorded last, its plan and the clock. */
function statusOf (
  { account, kind, created, at, status, step, plan }: Row,
  now: (account: number) => number
): Status {
  if (plan === null) return status as Status
  const moves =
    status === null || at === null
      ? []
      : [{ at, to: status, cause: '', ...(step !== null && { step }) }]
  return stateAt(
    {
      account,
      kind: kindOfCode(kind),
      created,
      plan: JSON.parse(plan),
      moves
    } as unknown as AnyPayment,
    now(account)
  ).to
}
