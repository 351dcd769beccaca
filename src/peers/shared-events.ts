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

/** Kept events as they are sent to another server. */
type WrittenEvents = Omit<KeptEvents, 'positions'> & {
  positions: Array<[server: number, number: number]>
}

/** Events of this server and of all others. The others send theirs while somebody listens. */
export class SharedEvents implements EventSource {
  readonly #own: OwnEvents
  readonly #peers: Peers
  readonly #feed: PeerFeed
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  /** Number of the last event of each other server. */
  readonly #last = new Map<number, number>()

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
    this.#last.set(event.server, event.number)
    for (const listener of this.#listeners) listener(event)
  }

  /** Reads what a server has done while the connection to it was lost. */
  async #catchUp (server: OtherServer): Promise<void> {
    const last = this.#last.get(server.number)
    if (last === undefined) return
    const after = [[server.number, last]]
    const answer = await this.#peers.ask<WrittenEvents>(server, 'readEvents', { after })
    for (const event of answer?.value.events ?? []) this.#receive(event)
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
   * there is a connection again.
   */
  async #keepPositions (
    after: EventPositions = new Map(),
    answered: ReadonlySet<number>
  ): Promise<EventPositions> {
    const silent = new Map<number, number>()
    for (const { number } of await this.#peers.list()) {
      const last = after.get(number)
      if (last === undefined || answered.has(number)) continue
      silent.set(number, last)
      this.#last.set(number, Math.min(last, this.#last.get(number) ?? last))
    }
    return silent
  }
}

/** Answers another server that asks for kept events. The input is JSON. */
export async function answerKeptEvents (own: OwnEvents, input: string): Promise<WrittenEvents> {
  const { after }: { after?: Array<[number, number]> } = JSON.parse(input)
  const kept = await own.readKept(after && new Map(after))
  return { ...kept, positions: [...kept.positions] }
}
