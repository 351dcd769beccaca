import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { SystemClock } from '../../src/lib/clock.ts'
import { systemTimeOf } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { ChangeListeners, ChangeTopic } from '../../src/monitoring/change-listeners.ts'

/** What a page shows at a moment, as its JSON twin has it. */
export interface PageSnapshot {
  account: Account
  body: object
  /** Payments and phone numbers that the page shows: a change of one of them is looked at. */
  topics: ChangeTopic[]
  /** Nothing will change any more. */
  final: boolean
  /** When, on the account's clock, it will change without anything being written down. */
  next?: number
}

/** At most this many streams are open at once; whoever comes then asks from time to time. */
const maxStreams = 200
/** A stream looks again at most this often, however busy its account is. */
const paceMs = 40
/** A word now and then keeps proxies from closing a quiet stream. */
const heartbeatMs = 15_000
/** Who lost the connection comes back after this long. */
const retryMs = 2000
/** setTimeout takes no more. */
const longestSleepMs = 2 ** 31 - 1

/**
 * A short name for what a page shows, its clock included: another one means that it shows something
 * else.
 */
export function snapshotTag (
  body: object,
  { clock: { mode, base, since, speed } }: Account
): string {
  return hash('sha256', JSON.stringify([body, mode, base, since, speed]), 'hex').slice(0, 16)
}

/**
 * Streams of server-sent events: what a page shows, now and whenever it changes, until nothing can
 * change any more.
 */
export class EventStreams {
  readonly #changeListeners: ChangeListeners
  readonly #systemClock: SystemClock
  readonly #streams = new Set<() => void>()
  #closed = false

  constructor (changeListeners: ChangeListeners, systemClock: SystemClock) {
    this.#changeListeners = changeListeners
    this.#systemClock = systemClock
  }

  /** Answers with a stream of what `look` sees. */
  async send (reply: FastifyReply, look: () => Promise<PageSnapshot>): Promise<FastifyReply> {
    const first = await look()
    const { socket } = reply.request.raw
    if (socket.destroyed || socket.readableEnded) {
      // Who has left meanwhile will not be heard leaving.
      socket.destroy()
      return reply.hijack()
    }
    if (this.#closed || this.#streams.size >= maxStreams) {
      return reply
        .code(503)
        .header('retry-after', '2')
        .send({
          error: {
            code: 'UNAVAILABLE',
            message: this.#closed
              ? 'the server is being stopped'
              : 'too many pages are followed at the moment',
            hint: 'ask for the page itself from time to time'
          }
        })
    }
    reply.hijack()
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no'
    })
    reply.raw.write(`retry: ${retryMs}\n\n`)
    if (reply.request.method === 'HEAD') reply.raw.end()
    else this.#stream(reply.raw, socket, first, look)
    return reply
  }

  /** Ends every stream: a server that stops does not wait for who follows it. */
  close (): void {
    this.#closed = true
    for (const end of [...this.#streams]) end()
  }

  #stream (
    raw: ServerResponse,
    socket: Socket,
    first: PageSnapshot,
    look: () => Promise<PageSnapshot>
  ): void {
    let mark = ''
    let topicList = ''
    let unlisten = (): void => {}
    let isStale = false
    let pace: NodeJS.Timeout | undefined
    let change: NodeJS.Timeout | undefined
    const end = (): void => {
      if (!this.#streams.delete(end)) return
      unlisten()
      clearTimeout(pace)
      clearTimeout(change)
      clearInterval(heartbeat)
      socket.off('end', end)
      raw.end()
    }
    /** Listens to what the page shows now. A change before that may have been missed. */
    const listen = ({ account, topics }: PageSnapshot): void => {
      const list = JSON.stringify(topics)
      if (list === topicList) return
      topicList = list
      unlisten()
      unlisten = this.#changeListeners.listen(account.id, topics, lookAgain)
      lookAgain()
    }
    const show = (snapshot: PageSnapshot): void => {
      const { account, body, final, next } = snapshot
      const now = snapshotTag(body, account)
      if (now !== mark) {
        raw.write(`id: ${(mark = now)}\nevent: state\ndata: ${JSON.stringify(body)}\n\n`)
      }
      if (final) {
        raw.write('event: end\ndata: {}\n\n')
        return end()
      }
      listen(snapshot)
      clearTimeout(change)
      const sleepMs =
        next === undefined ? Infinity : systemTimeOf(account.clock, next) - this.#systemClock.now()
      if (sleepMs < longestSleepMs) change = setTimeout(lookAgain, Math.max(sleepMs, 0) + 1)
    }
    const lookAgain = (): void => {
      isStale = true
      pace ??= setTimeout(() => {
        isStale = false
        look()
          .then((glimpse) => {
            pace = undefined
            if (!this.#streams.has(end)) return
            show(glimpse)
            if (isStale) lookAgain()
          })
          .catch(end)
      }, paceMs)
    }
    const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
    this.#streams.add(end)
    raw.on('close', end)
    raw.on('error', end)
    // Who sends nothing more does not want to follow anything either.
    socket.on('end', end)
    show(first)
  }
}
