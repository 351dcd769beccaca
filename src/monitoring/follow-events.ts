import { randomUUID } from 'node:crypto'
import type { EventFeed, KeptEvent } from './event-feed.ts'

/** Mark of this process: another one counts its events from 1, too. */
const run = randomUUID().slice(0, 8)

/** Events that somebody follows. */
export interface EventFollower {
  /** Position where it begins. */
  id: string
  stop: () => void
}

/** Follows events, each once, from now on or from an earlier position on. */
export function followEvents (
  feed: EventFeed,
  since: string | undefined,
  send: (event: KeptEvent, id: string) => void,
  miss: (count: number) => void
): EventFollower {
  const position = readPosition(since, feed.count)
  const kept = feed.listKept(position)
  // Some seconds after the last reader has gone, nothing is kept.
  const [{ number: first } = { number: feed.count + 1 }] = kept
  if (first > position + 1 && position > 0) miss(first - position - 1)
  for (const event of kept) send(event, idOf(event.number))
  const stop = feed.listen((event, account, number) =>
    send({ event, account, number }, idOf(number))
  )
  return { id: idOf(position), stop }
}

function idOf (number: number): string {
  return `${run}.${number}`
}

/** Reads a position such as `3f2a8c11.17`. One of another process comes before all events. */
function readPosition (text: string | undefined, last: number): number {
  const [, mark, number] = /^(\w+)\.(\d+)$/.exec(text ?? '') ?? []
  if (mark === undefined) return last
  return mark === run && Number(number) <= last ? Number(number) : 0
}
