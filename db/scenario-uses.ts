import type { ScenarioUse } from '../src/domain/scenario.ts'
import type { ScenarioUses } from '../src/ports/stores.ts'
import type { Database } from './database.ts'

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
  /** Uses of accounts as they are stored, and as the current transaction changes them. */
  readonly #known = new Map<number, Map<string, number>>()
  #replacedRows = 0

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#add = connection.prepare(
      'INSERT INTO uses (ledger, scenario, count) VALUES (?, ?, 1) ' +
        'ON CONFLICT (ledger, scenario) DO UPDATE SET count = uses.count + 1'
    )
    this.#begin = connection.prepare(
      'INSERT INTO uses (ledger, scenario, count) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    )
    this.#list = connection.prepare<[number], { scenario: string; count: number }>(
      'SELECT scenario, count FROM uses WHERE ledger = ?'
    )
    this.#forget = connection.prepare(
      'DELETE FROM uses WHERE ledger = ? AND ' +
        '(scenario IN (?, ?, ?, ?, ?) OR substr(scenario, 1, ?) = ?)'
    )
  }

  listUses (account: number): Promise<Map<string, number>> {
    return this.#database.read(account, () => this.#readCounts(account))
  }

  /** Reads the counts that `readUses` returns. Called inside a transaction, before a decision. */
  async load (account: number): Promise<void> {
    const { replacedRows } = this.#database
    if (this.#replacedRows !== replacedRows) this.#known.clear()
    this.#replacedRows = replacedRows
    if (!this.#known.has(account)) this.#known.set(account, await this.#readCounts(account))
  }

  /** Returns the number of uses. Called inside a transaction, after `load`. */
  readUses (account: number, scenario: string): number {
    const counts = this.#known.get(account)
    if (counts === undefined) throw new Error(`the uses of account ${account} were not read`)
    return counts.get(scenario) ?? 0
  }

  /** Counts one use, or keeps the time of the first one. Called inside a transaction. */
  addUse (account: number, use: ScenarioUse): void {
    const counts = this.#known.get(account)
    const ledger = this.#database.ledgerOf(account)
    if (typeof use === 'string') {
      this.#add.run(ledger, use)
      counts?.set(use, (counts.get(use) ?? 0) + 1)
    } else {
      this.#begin.run(ledger, use.counter, use.since)
      if (counts?.has(use.counter) === false) counts.set(use.counter, use.since)
    }
  }

  /** Starts all counts of a scenario at 0 again. Called inside a transaction. */
  forgetUses (account: number, scenario: string): void {
    const counters = ['', '?', '~', '%', '@'].map((ending) => scenario + ending)
    const start = `${scenario}#`
    this.#forget.run(this.#database.ledgerOf(account), ...counters, [...start].length, start)
    this.#known.delete(account)
  }

  async #readCounts (account: number): Promise<Map<string, number>> {
    const rows = await this.#list.all(this.#database.ledgerOf(account))
    return new Map(rows.map(({ scenario, count }) => [scenario, count]))
  }
}
