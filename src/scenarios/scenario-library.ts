import { loadLazily } from '../lib/lazy.ts'
import type { Scenario } from '../domain/scenario.ts'
import { listScenarioFiles } from './scenario-folders.ts'

/**
 * Scenarios of the server: those of the user, which are checked before the start, and those of the
 * package. The latter are read with the first payment, so that the start does not wait for them.
 */
export class ScenarioLibrary {
  /** In the order in which they are tried. Incomplete until `isRead`. */
  readonly scenarios: Scenario[]
  /** Number of all scenarios, also of those that were not read yet. */
  count: number
  /** Notes about the user's files. */
  notes: readonly string[]
  /** Problem of the files as they are now: those before are still in use. */
  problem: string | undefined
  /** True once the scenarios of the package were read. */
  isRead: boolean
  readonly #folder: string | undefined
  /** Number of scenarios of the user. They come first. */
  #own: number
  readonly #read = loadLazily(() => this.#readShipped())

  constructor (
    own: readonly Scenario[],
    shipped: string | undefined,
    notes: readonly string[] = []
  ) {
    this.scenarios = [...own]
    this.notes = notes
    this.#own = own.length
    this.#folder = shipped
    this.isRead = shipped === undefined
    this.count = own.length + (shipped === undefined ? 0 : listScenarioFiles(shipped).length)
  }

  /** Takes over the scenarios of the user from another library. */
  replaceOwn (other: ScenarioLibrary): void {
    this.scenarios.splice(0, this.#own, ...other.scenarios.slice(0, other.#own))
    this.#own = other.#own
    this.count = other.count
    this.notes = other.notes
  }

  /** Reads the scenarios of the package, if that was not done before. */
  async readAll (): Promise<void> {
    if (!this.isRead) await this.#read()
  }

  async #readShipped (): Promise<void> {
    if (this.#folder !== undefined) this.scenarios.push(...(await readShippedFolder(this.#folder)))
    this.isRead = true
  }
}

/** Scenarios of the package by folder. All mocks of a process share them: reading takes 40 ms. */
const shippedScenarios = new Map<string, Promise<readonly Scenario[]>>()

function readShippedFolder (folder: string): Promise<readonly Scenario[]> {
  const known = shippedScenarios.get(folder)
  if (known !== undefined) return known
  const reading = readScenarios(folder)
  shippedScenarios.set(folder, reading)
  reading.catch(() => shippedScenarios.delete(folder))
  return reading
}

async function readScenarios (folder: string): Promise<readonly Scenario[]> {
  const { loadScenarios } = await import('./scenario-files.ts')
  const { scenarios, problems } = await loadScenarios([folder])
  if (problems.length === 0) return scenarios
  throw new Error(`the scenarios of the package cannot be used:\n${problems.join('\n')}`)
}
