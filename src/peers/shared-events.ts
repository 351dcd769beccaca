import { setTimeout as sleep } from 'node:timers/promises'
import type {
  EventPositions,
  EventSource,
  KeptEvents,
  OwnEvents,
  ServerEvent
} from '../monitoring/event-source.ts'
import type { OtherServer } from '../domain/server-list.ts'
import { PeerFeed } from './peer-feed.ts'
import type { Peers } from './peers.ts'

/** Wait before a server that has not answered is asked for its events again. */
const askAgainMs = 500

/** Kept events as they are sent to another server. */
type WrittenEvents = Omit<KeptEvents, 'positions'> & {
  positions: Array<[server: number, number: number]>
}

/** Server that is asked for events until it answers. */
interface AskedServer {
  /** Number of the last event that is known. */
  last: number
  /** Events that came meanwhile. */
  early: ServerEvent[]
}

/** Events of this server and of all others. The others send theirs while somebody listens. */
export class SharedEvents implements EventSource {
  readonly #own: OwnEvents
  readonly #peers: Peers
  readonly #feed: PeerFeed
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  /** Number of the last event of each other server. */
  readonly #last = new Map<number, number>()
  readonly #asked = new Map<number, AskedServer>()

  constructor (own: OwnEvents, peers: Peers) {
    this.#own = own
    this.#peers = peers
    this.#feed = new PeerFeed(peers, 'events', {
      receive: (line) => this.#receive(JSON.parse(line)),
      begin: (server) => this.#catchUp(server)
    })
  }

  async listen (listener: (event: ServerEvent) => void): Promise<() => void> {
    this.#listeners.add(listener)
    const stop = await this.#own.listen(listener)
    await this.#feed.open()
    return () => {
      stop()
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#feed.close()
      this.#last.clear()
    }
  }

  #receive (event: ServerEvent): void {
    const asked = this.#asked.get(event.server)
    if (asked !== undefined) {
      asked.early.push(event)
      return
    }
    this.#last.set(event.server, event.number)
    for (const listener of this.#listeners) listener(event)
  }

  /** Reads what a server has done while the connection to it was lost. */
  async #catchUp (server: OtherServer): Promise<void> {
    const last = this.#last.get(server.number)
    if (last === undefined) return
    for (const event of (await this.#readAfter(server, last)) ?? []) this.#receive(event)
  }

  async readKept (after: EventPositions | undefined): Promise<KeptEvents> {
    const answers = await this.#peers.askAll<WrittenEvents>('readEvents', {
      after: after && [...after]
    })
    const answered = new Set(answers.map(({ server }) => server))
    const parts: KeptEvents[] = [
      { positions: await this.#keepPositions(after, answered), events: [], missed: 0 },
      await this.#own.readKept(after),
      ...answers.map(({ value }) => ({ ...value, positions: new Map(value.positions) }))
    ]
    return {
      positions: new Map(parts.flatMap(({ positions }) => [...positions])),
      events: parts
        .flatMap(({ events }) => events)
        .sort((one, other) => (one.event.time < other.event.time ? -1 : 1)),
      missed: parts.reduce((sum, { missed }) => sum + missed, 0)
    }
  }

  /**
   * Returns the given positions of servers that do not answer now. Their events come as soon as
   * they answer.
   */
  async #keepPositions (
    after: EventPositions | undefined,
    answered: ReadonlySet<number>
  ): Promise<EventPositions> {
    const silent = new Map<number, number>()
    if (after === undefined) return silent
    for (const server of await this.#peers.list()) {
      if (answered.has(server.number)) continue
      // A server without a position has joined since.
      const last = after.get(server.number) ?? 0
      silent.set(server.number, last)
      this.#askAgain(server, last).catch(() => {})
    }
    return silent
  }

  /** Asks a server for its events until it answers. Its new ones come after them. */
  async #askAgain (server: OtherServer, last: number): Promise<void> {
    const known = this.#asked.get(server.number)
    if (known !== undefined) {
      known.last = Math.min(known.last, last)
      return
    }
    const asked: AskedServer = { last, early: [] }
    this.#asked.set(server.number, asked)
    let missed: ServerEvent[] | undefined
    while (missed === undefined && this.#listeners.size > 0) {
      await sleep(askAgainMs, undefined, { ref: false })
      const servers = await this.#peers.list()
      if (!servers.some(({ number }) => number === server.number)) break
      const after = asked.last
      const events = await this.#readAfter(server, after)
      if (after === asked.last) missed = events
    }
    this.#asked.delete(server.number)
    for (const event of [...(missed ?? []), ...asked.early]) this.#receive(event)
  }

  /** Reads the events of a server after a number. Returns undefined if it does not answer. */
  async #readAfter (server: OtherServer, last: number): Promise<ServerEvent[] | undefined> {
    const after = [[server.number, last]]
    const answer = await this.#peers.ask<WrittenEvents>(server, 'readEvents', { after })
    return answer?.value.events
  }
}

/** Answers another server that asks for kept events. The input is JSON. */
export async function answerKeptEvents (own: OwnEvents, input: string): Promise<WrittenEvents> {
  const { after }: { after?: Array<[number, number]> } = JSON.parse(input)
  const kept = await own.readKept(after && new Map(after))
  return { ...kept, positions: [...kept.positions] }
}
