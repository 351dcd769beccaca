import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { SystemClock } from '../../src/lib/clock.ts'
import { shownClock, systemTimeOf } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { ChangeListeners, ChangeTopic } from '../../src/monitoring/change-listeners.ts'

/** Content of a page at one moment, as in its JSON version. */
export interface PageSnapshot {
  account: Account
  body: object
  /** Payments and phone numbers that the page shows: a change of one of them is looked at. */
  topics: ChangeTopic[]
  /** True if the content cannot change any more. */
  final: boolean
  /** Time on the account's clock at which the content changes without a write. */
  next?: number
}

/** Limit of open streams. Pages beyond it poll. */
const maxStreams = 200
/** Rhythm of a stream. */
export interface StreamPace {
  /** A stream looks again at most this often, however busy its account is. */
  paceMs?: number
  /** Interval of looks without a change of a topic. */
  everyMs?: number
}

/** Begin of a feed: the position of its first event, and the function that ends it. */
export interface FeedStart {
  id: string
  stop: () => void
}

/** Bytes that a client may leave unread before it misses events. */
const mostUnread = 1024 * 1024
/** Interval of comments that keep proxies from closing a quiet stream. */
const heartbeatMs = 15_000
/** Time after which a client reconnects. */
const retryMs = 2000
/** setTimeout takes no more. */
const longestSleepMs = 2 ** 31 - 1

/** Short tag of the content of a page and its clock. A different tag means different content. */
export function snapshotTag (body: object, { clock }: Account): string {
  const { mode, base, since, speed } = shownClock(clock)
  return hash('sha256', JSON.stringify([body, mode, base, since, speed]), 'hex').slice(0, 16)
}

/** Writes an event of a feed. */
function writeMessage (event: string, data: object, id?: string): string {
  const position = id === undefined ? '' : `id: ${id}\n`
  return `${position}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * Streams of server-sent events: the content of a page, now and after each change, until it is
 * final.
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

  /** Answers with a stream of what `look` returns. */
  async send (
    reply: FastifyReply,
    look: () => Promise<PageSnapshot>,
    pace: StreamPace = {}
  ): Promise<FastifyReply> {
    const first = await look()
    if (this.#open(reply, 'ask for the page itself from time to time')) {
      this.#stream(reply.raw, reply.request.raw.socket, first, look, pace)
    }
    return reply
  }

  /**
   * Answers with a stream of everything that `listen` passes on. A client that reads too slowly
   * misses events, and is told how many.
   */
  async sendFeed (
    reply: FastifyReply,
    listen: (pass: (event: string, data: object, id?: string) => void) => Promise<FeedStart>
  ): Promise<FastifyReply> {
    const { raw } = reply
    const { socket } = reply.request.raw
    let missed = 0
    let early: string[] | undefined = []
    const write = (text: string): unknown => early?.push(text) ?? raw.write(text)
    const { id, stop } = await listen((event, data, id) => {
      if (raw.writableLength > mostUnread) missed++
      else {
        if (missed > 0) write(writeMessage('missed', { count: missed }))
        missed = 0
        write(writeMessage(event, data, id))
      }
    })
    if (!this.#open(reply, 'close another stream first')) {
      stop()
      return reply
    }
    raw.write(`id: ${id}\n\n${early.join('')}`)
    early = undefined
    const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
    const end = (): void => {
      if (!this.#streams.delete(end)) return
      stop()
      clearInterval(heartbeat)
      socket.off('end', end)
      raw.end()
    }
    this.#streams.add(end)
    raw.on('close', end).on('error', end)
    socket.on('end', end)
    return reply
  }

  /** Begins a stream. Returns false if there is none: it was refused, or the client has left. */
  #open (reply: FastifyReply, hint: string): boolean {
    const { raw, request } = reply
    const { socket } = request.raw
    if (socket.destroyed || socket.readableEnded) {
      // A client that has already disconnected emits no close event.
      socket.destroy()
      reply.hijack()
      return false
    }
    if (this.#closed || this.#streams.size >= maxStreams) {
      const message = this.#closed
        ? 'the server is being stopped'
        : 'too many pages are followed at the moment'
      reply
        .code(503)
        .header('retry-after', '2')
        .send({ error: { code: 'UNAVAILABLE', message, hint } })
      return false
    }
    reply.hijack()
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no'
    })
    raw.write(`retry: ${retryMs}\n\n`)
    if (request.method !== 'HEAD') return true
    raw.end()
    return false
  }

  /** Ends all streams, so that a server that stops does not wait for them. */
  close (): void {
    this.#closed = true
    for (const end of [...this.#streams]) end()
  }

  #stream (
    raw: ServerResponse,
    socket: Socket,
    first: PageSnapshot,
    look: () => Promise<PageSnapshot>,
    { paceMs = 40, everyMs }: StreamPace
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
      clearInterval(regular)
      socket.off('end', end)
      raw.end()
    }
    /**
     * Subscribes to the content that the page shows now. An earlier change may have been missed.
     */
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
      const clock = shownClock(account.clock)
      const sleepMs =
        next === undefined ? Infinity : systemTimeOf(clock, next) - this.#systemClock.now()
      if (sleepMs < longestSleepMs) change = setTimeout(lookAgain, Math.max(sleepMs, 0) + 1)
    }
    const lookAgain = (): void => {
      isStale = true
      pace ??= setTimeout(() => {
        isStale = false
        look()
          .then((snapshot) => {
            pace = undefined
            if (!this.#streams.has(end)) return
            show(snapshot)
            if (isStale) lookAgain()
          })
          .catch(end)
      }, paceMs)
    }
    const regular = everyMs === undefined ? undefined : setInterval(lookAgain, everyMs)
    const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
    this.#streams.add(end)
    raw.on('close', end)
    raw.on('error', end)
    // A client that ends its side of the connection does not want the stream either.
    socket.on('end', end)
    show(first)
  }
}
