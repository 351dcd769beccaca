import type { MockEvent } from '../domain/mock-event.ts'
import type { EventFeed } from './event-feed.ts'

/** Event of a server. */
export interface ServerEvent {
  server: number
  /** Number of the event on its server. */
  number: number
  account: number
  event: MockEvent
}

/** Number of the last event of each server. */
export type EventPositions = ReadonlyMap<number, number>

/** What a server, or all of them, have kept. */
export interface KeptEvents {
  positions: EventPositions
  /** Events after the wanted positions, oldest first. */
  events: ServerEvent[]
  /** Number of events after the wanted positions that are not kept any more. */
  missed: number
}

/** Events of all servers that share the ledger. */
export interface EventSource {
  /** Calls a listener with each event. Resolves when all servers take part. */
  listen: (listener: (event: ServerEvent) => void) => Promise<() => void>
  /** Returns the kept events after these positions; none without positions. */
  readKept: (after: EventPositions | undefined) => Promise<KeptEvents>
}

/** Events of this server. */
export class OwnEvents implements EventSource {
  readonly server: number
  readonly #openFeed: () => Promise<EventFeed>

  constructor (openFeed: () => Promise<EventFeed>, server: number) {
    this.#openFeed = openFeed
    this.server = server
  }

  async listen (listener: (event: ServerEvent) => void): Promise<() => void> {
    const { server } = this
    const feed = await this.#openFeed()
    return feed.listen((event, account, number) => listener({ server, number, account, event }))
  }

  async readKept (after: EventPositions | undefined): Promise<KeptEvents> {
    const { server } = this
    const feed = await this.#openFeed()
    const positions = new Map([[server, feed.count]])
    if (after === undefined) return { positions, events: [], missed: 0 }
    const position = after.get(server) ?? 0
    // A server that has started again counts from the beginning.
    const kept = feed.listKept(position > feed.count ? 0 : position)
    // Some seconds after the last reader has gone, nothing is kept.
    const [{ number: first } = { number: feed.count + 1 }] = kept
    return {
      positions,
      events: kept.map((one) => ({ server, ...one })),
      missed: position > feed.count ? 0 : first - position - 1
    }
  }
}

/** Events that somebody follows. */
export interface EventFollower {
  /** Position where it begins. */
  id: string
  stop: () => void
}

/**
 * Follows the events of all servers, each once, from now on or from an earlier position on. The id
 * of an event is a position after it. It counts on every server.
 */
export async function followEvents (
  source: EventSource,
  since: string | undefined,
  send: (event: ServerEvent, id: string) => void,
  miss: (count: number) => void
): Promise<EventFollower> {
  const early: ServerEvent[] = []
  let take = (event: ServerEvent): void => {
    early.push(event)
  }
  const stop = await source.listen((event) => take(event))
  const after = since === undefined ? undefined : readPositions(since)
  const { positions, events, missed } = await source.readKept(after)
  const sent = new Map(positions)
  if (after !== undefined) {
    for (const [server, last] of positions) {
      const number = after.get(server) ?? 0
      sent.set(server, number > last ? 0 : number)
    }
  }
  const id = writePositions(sent)
  take = (event) => {
    if (event.number <= (sent.get(event.server) ?? 0)) return
    sent.set(event.server, event.number)
    send(event, writePositions(sent))
  }
  if (missed > 0) miss(missed)
  for (const event of [...events, ...early]) take(event)
  return { id, stop }
}

/** Reads positions such as `1.17,2.5`: number 17 of server 1. Others count as no position. */
function readPositions (text: string): EventPositions | undefined {
  if (!/^\d+\.\d+(,\d+\.\d+)*$/.test(text)) return undefined
  return new Map(
    text.split(',').map((part) => {
      const [server, number] = part.split('.')
      return [Number(server), Number(number)]
    })
  )
}

function writePositions (positions: EventPositions): string {
  return Array.from(positions, ([server, number]) => `${server}.${number}`).join(',')
}
