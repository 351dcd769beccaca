import type { ChangeLog, KeptChange } from '../services/change-log.ts'
import { inputsOfOthers } from '../services/server-memory.ts'
import type {
  ChangeName,
  MemoryCallName,
  MemoryCalls,
  MemoryInput,
  MemoryResult,
  ServerMemory
} from '../services/server-memory.ts'
import { isLater, type Stamps } from '../services/stamps.ts'
import { merges } from './merges.ts'
import { MissedChanges } from './missed-changes.ts'
import type { Peers } from './peers.ts'

/** Memory of this server, and the changes of all servers. */
export interface OwnMemory {
  calls: MemoryCalls
  changes: ChangeLog
}

/** Returns the memory of all servers that share the ledger. */
export function createSharedMemory (
  own: OwnMemory,
  peers: Peers,
  stamps: Stamps
): ServerMemory {
  const { calls } = own
  const missed = new MissedChanges(peers, own.changes)
  return {
    async collect<N extends MemoryCallName>(
      name: N,
      input: MemoryInput<N>
    ): Promise<MemoryResult<N>> {
      const others = await peers.askAll<MemoryResult<N>>(name, input)
      // Last, so that a request that was answered meanwhile is in no part or in its own.
      const part = { server: peers.number, value: calls[name](input), aheadMs: 0 }
      return merges[name]([part, ...others])
    },
    async change<N extends ChangeName>(name: N, input: MemoryInput<N>) {
      const stamped = { ...input, stamp: stamps.create() }
      makeChange(own, name, stamped)
      missed.note(await peers.tellAll(name, inputsOfOthers[name](stamped)))
    },
    async takeFromOthers<N extends MemoryCallName>(name: N, input: MemoryInput<N>) {
      const silent = new Set<number>()
      const take = async (): Promise<MemoryResult<N> | undefined> => {
        for (const server of await peers.list()) {
          if (silent.has(server.number)) continue
          const answer = await peers.ask<MemoryResult<N>>(server, name, input)
          if (answer?.value !== undefined) return answer.value
          if (answer === undefined) silent.add(server.number)
        }
        return undefined
      }
      let value = await take()
      // A server that stops may have given it to one that was asked before, or to this one.
      if (value === undefined && silent.size > 0) value = await take()
      return { value: value ?? calls[name](input), isSure: silent.size === 0 }
    }
  }
}

/** Makes a call of another server. Its input is JSON. */
export function answerMemoryCall (own: OwnMemory, name: string, input: string): unknown {
  const parsed = JSON.parse(input)
  if (name === 'listChanges') return own.changes.list()
  if (name === 'makeChanges') return makeChanges(own, parsed.changes)
  if (!isCallName(name)) throw new Error(`there is no call ${name}`)
  return isChangeName(name) ? makeChange(own, name, parsed) : own.calls[name](parsed)
}

/** Makes changes of other servers that this one may have missed. */
export function makeChanges (own: OwnMemory, changes: readonly KeptChange[]): void {
  const inOrder = changes.toSorted((one, other) => (isLater(one.stamp, other.stamp) ? 1 : -1))
  for (const { name, input } of inOrder) makeChange(own, name, JSON.parse(input))
}

/** Makes a change, unless it was made before. */
function makeChange<N extends ChangeName> (own: OwnMemory, name: N, input: MemoryInput<N>): void {
  if (own.changes.add(name, input)) own.calls[name](input)
}

function isCallName (name: string): name is MemoryCallName {
  return Object.hasOwn(merges, name)
}

function isChangeName (name: MemoryCallName): name is ChangeName {
  return Object.hasOwn(inputsOfOthers, name)
}
