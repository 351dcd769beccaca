import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { SystemClock } from '../../src/lib/clock.ts'
import { systemTimeOf } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { ChangeListeners, ChangeTopic } from '../../src/monitoring/change-listeners.ts'

/** Content of a page at one moment, as in its JSON version, or only what changes with it. */
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

/** Looks at a page. */
export type Look = () => Promise<PageSnapshot>

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
  const { mode, base, since, speed } = clock
  return hash('sha256', JSON.stringify([body, mode, base, since, speed]), 'hex').slice(0, 16)
}

/** Writes an event of a feed. */
function writeMessage (event: string, data: object, id?: string): string {
  const position = id === undefined ? '' : `id: ${id}\n`
  return `${position}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Stream of server-sent events to one client, until either side ends it. */
class EventStream {
  readonly #raw: ServerResponse
  readonly #socket: Socket
  readonly #heartbeat: NodeJS.Timeout
  readonly #end = (): void => this.end()
  #isOpen = true
  #ends: Array<() => void> = []

  constructor ({ raw, request }: FastifyReply) {
    this.#raw = raw
    this.#socket = request.raw.socket
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no'
    })
    raw.write(`retry: ${retryMs}\n\n`)
    this.#heartbeat = setInterval(() => {
      if (this.takesMore) raw.write(': still here\n\n')
    }, heartbeatMs)
    raw.on('close', this.#end).on('error', this.#end)
    // A client that ends its side of the connection does not want the stream either.
    this.#socket.on('end', this.#end)
    request.routeOptions.config.count?.(200)
  }

  get isOpen (): boolean {
    return this.#isOpen
  }

  /** False while the client leaves too much unread. Nothing more is kept for it then. */
  get takesMore (): boolean {
    return this.#raw.writableLength <= mostUnread
  }

  write (text: string): void {
    this.#raw.write(text)
  }

  /** Calls a function each time the client has read everything. */
  onRead (listener: () => void): void {
    this.#raw.on('drain', listener)
  }

  onEnd (listener: () => void): void {
    this.#ends.push(listener)
  }

  end (): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearInterval(this.#heartbeat)
    this.#socket.off('end', this.#end)
    for (const listener of this.#ends) listener()
    this.#raw.end()
  }
}

/**
 * Streams of server-sent events: the content of a page, now and after each change, until it is
 * final.
 */
export class EventStreams {
  readonly #changeListeners: ChangeListeners
  readonly #systemClock: SystemClock
  readonly #streams = new Set<EventStream>()
  #closed = false

  constructor (changeListeners: ChangeListeners, systemClock: SystemClock) {
    this.#changeListeners = changeListeners
    this.#systemClock = systemClock
  }

  /** Answers with a stream of what `look` returns. */
  async send (
    reply: FastifyReply,
    look: Look,
    pace: StreamPace = {}
  ): Promise<FastifyReply> {
    const first = await look()
    const stream = this.#open(reply, 'ask for the page itself from time to time')
    if (stream !== undefined) this.#follow(stream, first, look, pace)
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
    let missed = 0
    const early: string[] = []
    let taker: Pick<EventStream, 'takesMore' | 'write'> = {
      takesMore: true,
      write: (text) => early.push(text)
    }
    const { id, stop } = await listen((event, data, id) => {
      if (!taker.takesMore) missed++
      else {
        if (missed > 0) taker.write(writeMessage('missed', { count: missed }))
        missed = 0
        taker.write(writeMessage(event, data, id))
      }
    })
    const stream = this.#open(reply, 'close another stream first')
    if (stream === undefined) {
      stop()
      return reply
    }
    stream.onEnd(stop)
    stream.write(`id: ${id}\n\n${early.join('')}`)
    taker = stream
    return reply
  }

  /** Begins a stream. Returns undefined if it was refused, or if the client has left. */
  #open (reply: FastifyReply, hint: string): EventStream | undefined {
    const { request } = reply
    const { socket } = request.raw
    if (socket.destroyed || socket.readableEnded) {
      // A client that has already disconnected emits no close event.
      socket.destroy()
      reply.hijack()
      return undefined
    }
    if (this.#closed || this.#streams.size >= maxStreams) {
      const message = this.#closed
        ? 'the server is being stopped'
        : 'too many pages are followed at the moment'
      reply
        .code(503)
        .header('retry-after', '2')
        .send({ error: { code: 'UNAVAILABLE', message, hint } })
      return undefined
    }
    reply.hijack()
    const stream = new EventStream(reply)
    this.#streams.add(stream)
    stream.onEnd(() => this.#streams.delete(stream))
    if (request.method !== 'HEAD') return stream
    stream.end()
    return undefined
  }

  /** Ends all streams for good, so that a server that stops does not wait for them. */
  close (): void {
    this.#closed = true
    this.endAll()
  }

  /** Ends all streams. Their clients connect again. */
  endAll (): void {
    for (const stream of [...this.#streams]) stream.end()
  }

  #follow (
    stream: EventStream,
    first: PageSnapshot,
    look: Look,
    { paceMs = 40, everyMs }: StreamPace
  ): void {
    let mark = ''
    let topicList = ''
    let unlisten = (): void => {}
    let isStale = false
    let pace: NodeJS.Timeout | undefined
    let change: NodeJS.Timeout | undefined
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
        stream.write(`id: ${(mark = now)}\nevent: state\ndata: ${JSON.stringify(body)}\n\n`)
      }
      if (final) {
        stream.write('event: end\ndata: {}\n\n')
        return stream.end()
      }
      listen(snapshot)
      clearTimeout(change)
      const clock = account.clock
      const sleepMs =
        next === undefined ? Infinity : systemTimeOf(clock, next) - this.#systemClock.now()
      if (sleepMs < longestSleepMs) change = setTimeout(lookAgain, Math.max(sleepMs, 0) + 1)
    }
    const lookAgain = (): void => {
      isStale = true
      if (!stream.takesMore) return
      pace ??= setTimeout(() => {
        isStale = false
        look()
          .then((snapshot) => {
            pace = undefined
            if (!stream.isOpen) return
            show(snapshot)
            if (isStale) lookAgain()
          })
          .catch(() => stream.end())
      }, paceMs)
    }
    const regular = everyMs === undefined ? undefined : setInterval(lookAgain, everyMs)
    stream.onRead(() => isStale && lookAgain())
    stream.onEnd(() => {
      unlisten()
      clearTimeout(pace)
      clearTimeout(change)
      clearInterval(regular)
    })
    show(first)
  }
}
