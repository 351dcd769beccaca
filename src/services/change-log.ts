import { inputsOfOthers, type ChangeName, type MemoryInput } from './server-memory.ts'
import { isLater, type Stamp } from './stamps.ts'

/** Change as other servers get it. */
export interface KeptChange {
  name: ChangeName
  /** Its input as JSON. */
  input: string
  stamp: Stamp
}

/** Most changes that are kept: the last ones. */
const keptChanges = 10_000

/**
 * Last change of each thing in the memory of the servers, for servers that have missed it: they
 * start later, or they did not answer. Each change is made once, however often it arrives.
 */
export class ChangeLog {
  readonly #kept = new Map<string, KeptChange>()

  /** Keeps a change. Returns false if it was made before, or a later one of the same thing. */
  add<N extends ChangeName>(name: N, input: MemoryInput<N>): boolean {
    const { account, stamp } = input
    if (stamp === undefined) return true
    const part = 'name' in input ? input.name : 'memory' in input && input.memory
    const key = JSON.stringify([name, account, part])
    const kept = this.#kept.get(key)
    if (kept !== undefined && !isLater(stamp, kept.stamp)) return false
    this.#kept.delete(key)
    this.#kept.set(key, { name, input: JSON.stringify(inputsOfOthers[name](input)), stamp })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > keptChanges) this.#kept.delete(oldest)
    return true
  }

  /** Lists the changes. */
  list (): KeptChange[] {
    return [...this.#kept.values()]
  }
}
