import { loadLazily } from '../src/lib/lazy.ts'
import type { Scenario } from '../src/domain/scenario.ts'
import { loadScenarios, scenarioFiles } from './scenario-files.ts'

/**
 * The scenarios there are: the user's, which are checked before the server starts, and those that
 * come with the package. The latter are known to be good, so they are read with the first payment:
 * a start should not wait for them.
 */
export class ScenarioLibrary {
  /** In the order in which they are tried; whole once `ready` has nothing to wait for. */
  readonly scenarios: Scenario[]
  /** How many there are, read or not. */
  readonly count: number
  /** Notes about the user's files. */
  readonly notes: readonly string[]
  #folder: string | undefined
  readonly #read = loadLazily(() => this.#readShipped())

  constructor (
    own: readonly Scenario[],
    shipped: string | undefined,
    notes: readonly string[] = []
  ) {
    this.scenarios = [...own]
    this.notes = notes
    this.#folder = shipped
    this.count = own.length + (shipped === undefined ? 0 : scenarioFiles(shipped).length)
  }

  /** What has to be waited for before a scenario is chosen; nothing, as a rule. */
  ready (): Promise<void> | undefined {
    return this.#folder === undefined ? undefined : this.#read()
  }

  async #readShipped (): Promise<void> {
    const { scenarios, problems } = await loadScenarios(
      this.#folder === undefined ? [] : [this.#folder]
    )
    if (problems.length > 0) {
      throw new Error(`the scenarios of the package cannot be used:\n${problems.join('\n')}`)
    }
    this.scenarios.push(...scenarios)
    this.#folder = undefined
  }
}
