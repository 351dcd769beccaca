import { inputsOfOthers } from '../services/server-memory.ts'
import type {
  ChangeName,
  MemoryCallName,
  MemoryCalls,
  MemoryInput,
  MemoryResult,
  ServerMemory
} from '../services/server-memory.ts'
import type { Stamps } from '../services/stamps.ts'
import { merges } from './merges.ts'
import type { Peers } from './peers.ts'

/** Returns the memory of all servers that share the ledger. */
export function createSharedMemory (
  calls: MemoryCalls,
  peers: Peers,
  stamps: Stamps
): ServerMemory {
  return {
    async collect<N extends MemoryCallName>(
      name: N,
      input: MemoryInput<N>
    ): Promise<MemoryResult<N>> {
      const others = await peers.askAll<MemoryResult<N>>(name, input)
      // Last, so that a request that was answered meanwhile is in no part or in its own.
      const own = { server: peers.number, value: calls[name](input), aheadMs: 0 }
      return merges[name]([own, ...others])
    },
    async change<N extends ChangeName>(name: N, input: MemoryInput<N>) {
      const stamped = { ...input, stamp: stamps.create() }
      calls[name](stamped)
      await peers.askAll(name, inputsOfOthers[name](stamped))
    },
    async takeFromOthers<N extends MemoryCallName>(name: N, input: MemoryInput<N>) {
      for (const server of await peers.list()) {
        const answer = await peers.ask<MemoryResult<N>>(server, name, input)
        if (answer?.value !== undefined) return answer.value
      }
      return undefined
    }
  }
}

/** Makes a call of another server. Its input is JSON. */
export function answerMemoryCall (calls: MemoryCalls, name: string, input: string): unknown {
  if (!isCallName(name)) throw new Error(`there is no call ${name}`)
  return calls[name](JSON.parse(input))
}

function isCallName (name: string): name is MemoryCallName {
  return Object.hasOwn(merges, name)
}
