import type { Change } from '../monitoring/change-listeners.ts'
import type { EventFeed } from '../monitoring/event-feed.ts'
import { OwnEvents, type EventSource } from '../monitoring/event-source.ts'
import type { Peers } from '../peers/peers.ts'
import { createOwnMemory, type MemoryCalls, type ServerMemory } from '../services/server-memory.ts'
import type { Stamps } from '../services/stamps.ts'
import type { Storage } from './storage.ts'

/** What a server shows of itself and, if several share the ledger, of the others. */
export interface Sharing {
  createMemory: (calls: MemoryCalls, stamps: Stamps) => ServerMemory
  events: EventSource
}

/** Opens what this server shows of all servers. The code for several is loaded if needed. */
export async function openSharing (
  { peers, changeListeners }: Storage,
  openFeed: () => Promise<EventFeed>
): Promise<Sharing> {
  const own = new OwnEvents(openFeed, peers?.number ?? 0)
  if (peers === undefined) return { createMemory: createOwnMemory, events: own }
  const [{ createSharedMemory }, { SharedEvents }, { PeerFeed }] = await Promise.all([
    import('../peers/shared-memory.ts'),
    import('../peers/shared-events.ts'),
    import('../peers/peer-feed.ts')
  ])
  const changes = new PeerFeed(peers, 'changes', {
    receive: (line) => {
      const { changes }: { changes: Change[] } = JSON.parse(line)
      for (const { account, payment } of changes) changeListeners.notifyHere(account, payment)
    },
    begin: async () => changeListeners.wakeAll()
  })
  changeListeners.onUse = (isUsed) => {
    if (isUsed) changes.open().catch(() => {})
    else changes.close()
  }
  return {
    createMemory: (calls, stamps) => createSharedMemory(calls, peers, stamps),
    events: new SharedEvents(own, peers)
  }
}

/** Calls to the memory of this server. They belong to the admin app. */
interface LazyCalls {
  load: () => Promise<MemoryCalls>
  /** Undefined if the admin app is not loaded: then there is nothing in the memory. */
  current: () => Promise<MemoryCalls | undefined>
}

/**
 * Answers the other servers from now on, tells them that this one is there, and gives the answers
 * that were ordered there.
 */
export async function greetPeers (
  peers: Peers,
  { changeListeners }: Storage,
  openFeed: () => Promise<EventFeed>,
  calls: LazyCalls
): Promise<void> {
  const [{ answerMemoryCall }, { adoptOrders, handOverOrders, noOrders }] = await Promise.all([
    import('../peers/shared-memory.ts'),
    import('../peers/shared-orders.ts')
  ])
  const own = new OwnEvents(openFeed, peers.number)
  const feeds: Record<string, (send: (line: object) => void) => Promise<() => void>> = {
    events: (send) => own.listen(send),
    changes: async (send) => changeListeners.forward((changes) => send({ changes }))
  }
  peers.offer({
    answer: async (name, input) => {
      if (name === 'readEvents') {
        const { answerKeptEvents } = await import('../peers/shared-events.ts')
        return await answerKeptEvents(own, input)
      }
      if (name === 'listOrders' && (await calls.current()) === undefined) return noOrders
      return answerMemoryCall(await calls.load(), name, input)
    },
    follow: async (feed, send) => {
      if (!Object.hasOwn(feeds, feed)) throw new Error(`there is no feed ${feed}`)
      return await feeds[feed](send)
    },
    leave: async () => {
      const current = await calls.current()
      if (current !== undefined) await handOverOrders(peers, current)
    }
  })
  await Promise.all([peers.greet(), adoptOrders(peers, calls.load)])
}
