import type { ScenarioUse } from '../domain/scenario.ts'

/** Uses of scenarios by payments that begin together: they are stored when all have begun. */
export class UnstoredUses {
  readonly #readStored: (scenario: string) => number
  readonly #added = new Map<string, number>()

  constructor (readStored: (scenario: string) => number) {
    this.#readStored = readStored
  }

  /** Returns the number of uses, with those that are not stored yet. */
  count (scenario: string): number {
    return this.#readStored(scenario) + (this.#added.get(scenario) ?? 0)
  }

  add (uses: readonly ScenarioUse[] = []): void {
    for (const use of uses) {
      if (typeof use === 'string') this.#added.set(use, (this.#added.get(use) ?? 0) + 1)
      // A counter with a time keeps its first one, as in the ledger.
      else if (this.count(use.counter) === 0) this.#added.set(use.counter, use.since)
    }
  }
}
