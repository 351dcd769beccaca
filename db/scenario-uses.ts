import type { ScenarioUse } from '../src/domain/scenario.ts'
import type { ScenarioUses } from '../src/domain/stores.ts'
import type { Database } from './database.ts'

/** Uses of an account as they are stored, and as the current transaction changes them. */
interface KnownUses {
  counts: Map<string, number>
  /** Transaction they were read in, where other servers may change them later. */
  transaction: number | undefined
}

/**
 * Uses of counted scenarios, stored with the payments they were used for. Decisions about payments
 * read nothing themselves, so the counts of an account are read before, and kept until they may
 * have changed.
 */
export class SqlScenarioUses implements ScenarioUses {
  readonly #database: Database
  readonly #add
  readonly #begin
  readonly #list
  readonly #forget
  readonly #known = new Map<number, KnownUses>()
  #replacedRows = 0

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#add = connection.prepare(
      'INSERT INTO uses (account, scenario, count) VALUES (?, ?, 1) ' +
        'ON CONFLICT (account, scenario) DO UPDATE SET count = uses.count + 1'
    )
    this.#begin = connection.prepare(
      'INSERT INTO uses (account, scenario, count) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    )
    this.#list = connection.prepare<[number], { scenario: string; count: number }>(
      'SELECT scenario, count FROM uses WHERE account = ?'
    )
    this.#forget = connection.prepare(
      'DELETE FROM uses WHERE account = ? AND ' +
        '(scenario IN (?, ?, ?, ?, ?) OR substr(scenario, 1, ?) = ?)'
    )
  }

  listUses (account: number): Promise<Map<string, number>> {
    return this.#database.read(account, () => this.#readCounts(account))
  }

  /** Reads the counts that `readUses` returns. Called inside a transaction, before a decision. */
  async load (account: number): Promise<void> {
    const { sharing, replacedRows, connection } = this.#database
    // Without a claim, other servers may change the counts. Most decisions need none.
    if (sharing?.hasClaimed(account) === false) return
    const transaction = sharing === undefined ? undefined : connection.transactionNumber
    if (this.#replacedRows !== replacedRows) this.#known.clear()
    this.#replacedRows = replacedRows
    const known = this.#known.get(account)
    if (known !== undefined && known.transaction === transaction) return
    this.#known.set(account, { counts: await this.#readCounts(account), transaction })
  }

  /** Returns the number of uses. Called inside a transaction, after `load`. */
  readUses (account: number, scenario: string): number {
    this.#database.sharing?.claimAccount(account)
    const known = this.#known.get(account)
    if (known === undefined) throw new Error(`the uses of account ${account} were not read`)
    return known.counts.get(scenario) ?? 0
  }

  /** Counts one use, or keeps the time of the first one. Called inside a transaction. */
  addUse (account: number, use: ScenarioUse): void {
    const counts = this.#known.get(account)?.counts
    if (typeof use === 'string') {
      this.#add.run(account, use)
      counts?.set(use, (counts.get(use) ?? 0) + 1)
    } else {
      this.#begin.run(account, use.counter, use.since)
      if (counts?.has(use.counter) === false) counts.set(use.counter, use.since)
    }
  }

  /** Starts all counts of a scenario at 0 again. Called inside a transaction. */
  forgetUses (account: number, scenario: string): void {
    const counters = ['', '?', '~', '%', '@'].map((ending) => scenario + ending)
    const start = `${scenario}#`
    this.#forget.run(account, ...counters, [...start].length, start)
    this.#known.delete(account)
  }

  async #readCounts (account: number): Promise<Map<string, number>> {
    const rows = await this.#list.all(account)
    return new Map(rows.map(({ scenario, count }) => [scenario, count]))
  }
}
