import type { Change } from '../monitoring/change-listeners.ts'
import type { EventFeed } from '../monitoring/event-feed.ts'
import { OwnEvents, type EventSource } from '../monitoring/event-source.ts'
import type { Peers } from '../peers/peers.ts'
import type { OwnMemory } from '../peers/shared-memory.ts'
import { createOwnMemory, type ServerMemory } from '../services/server-memory.ts'
import type { Stamps } from '../services/stamps.ts'
import type { Storage } from './storage.ts'

/** What a server shows of itself and, if several share the ledger, of the others. */
export interface Sharing {
  createMemory: (own: OwnMemory, stamps: Stamps) => ServerMemory
  events: EventSource
}

/** Opens what this server shows of all servers. The code for several is loaded if needed. */
export async function openSharing (
  { peers, changeListeners }: Storage,
  openFeed: () => Promise<EventFeed>
): Promise<Sharing> {
  const own = new OwnEvents(openFeed, peers?.number ?? 0)
  if (peers === undefined) {
    return { createMemory: ({ calls }) => createOwnMemory(calls), events: own }
  }
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
    createMemory: (own, stamps) => createSharedMemory(own, peers, stamps),
    events: new SharedEvents(own, peers)
  }
}

/** Memory of this server. It belongs to the admin app. */
interface LazyMemory {
  load: () => Promise<OwnMemory>
  /** Undefined if the admin app is not loaded: then there is nothing in the memory. */
  current: () => Promise<OwnMemory | undefined>
}

/**
 * Answers the other servers from now on, tells them that this one is there, and learns the changes
 * that they have made.
 */
export async function greetPeers (
  peers: Peers,
  { changeListeners }: Storage,
  openFeed: () => Promise<EventFeed>,
  memory: LazyMemory
): Promise<void> {
  const [{ answerMemoryCall, makeChanges }, { HandOver }, { readChanges }] = await Promise.all([
    import('../peers/shared-memory.ts'),
    import('../peers/hand-over.ts'),
    import('../peers/missed-changes.ts')
  ])
  const handOver = new HandOver(peers)
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
      if (name === 'listChanges' && (await memory.current()) === undefined) return []
      const parts = await memory.load()
      return await handOver.answer(name, input, () => answerMemoryCall(parts, name, input))
    },
    follow: async (feed, send) => {
      if (!Object.hasOwn(feeds, feed)) throw new Error(`there is no feed ${feed}`)
      return await feeds[feed](send)
    },
    catchUp: async () => {
      const changes = await readChanges(peers)
      if (changes.length > 0) makeChanges(await memory.load(), changes)
    },
    leave: async () => await handOver.run((await memory.current())?.calls)
  })
  await peers.greet()
}
