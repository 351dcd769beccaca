import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { stopwatch } from '../../src/lib/clock.ts'
import {
  places,
  type QueryError,
  type QueryResult,
  type NumberedRequest,
  type Outcome,
  type Reply,
  type Request,
  type SessionName
} from './messages.ts'
import { ResultReader } from './packing.ts'
import { readReplyMs } from './timeouts.ts'
import type { WorkerData } from './worker.ts'

/** File of the thread: in the source, or beside the bundled file. */
const workerFile = import.meta.url.endsWith('.ts') ? './worker.ts' : './postgres-worker.js'

/** Error of PostgreSQL or of the connection to it. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  readonly code: string
  /** True if the connection is gone, and with it the transaction. */
  readonly isLost: boolean
  /**
   * True if the work is done again: a row exists that was inserted as if it did not, or the tables
   * were created again.
   */
  isRepeatable = false

  constructor ({ message, code = '', isLost }: QueryError) {
    super(message)
    this.code = code
    this.isLost = isLost
  }
}

/**
 * Synchronous channel to the thread that owns the connection. One batch of statements is under way
 * at a time, and this thread waits for its end, as it waits for the disk with SQLite: the work of a
 * transaction is plain functions with either engine.
 */
export class Channel {
  readonly #worker: Worker
  readonly #replyMs: number
  readonly #port: MessagePort
  /** Memory that the thread changes: see `places`. */
  readonly #state = new Int32Array(new SharedArrayBuffer(4 * Object.keys(places).length))
  /** Called if a request finds the connection lost. */
  onLoss: () => void = () => {}
  readonly #reader = new ResultReader()
  /** Names of statements whose texts the thread knows. */
  readonly #knownNames = new Set<string>()
  #number = 0

  constructor (url: string) {
    this.#replyMs = readReplyMs(url)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    const workerData: WorkerData = { url, port: port2, state: this.#state.buffer }
    this.#worker = new Worker(new URL(workerFile, import.meta.url), {
      workerData,
      transferList: [port2]
    })
    // The thread must not keep the process alive, and neither must the port.
    this.#worker.unref()
    port1.unref()
  }

  /** True while there is a connection, and the server has its lock. */
  get isReady (): boolean {
    return Atomics.load(this.#state, places.ready) === 1
  }

  /** Returns whether the thread knows the session of the second connection. */
  isPairedWith (session: SessionName): boolean {
    return Atomics.load(this.#state, places.pair) === session.number
  }

  /** Gives the connection up. Nothing uses it until there is another. */
  drop (other?: SessionName): void {
    Atomics.store(this.#state, places.ready, 0)
    this.#post({ kind: 'drop', other })
  }

  /** Sends a request and waits for its results. Throws a PostgresError. */
  send (request: Request): QueryResult[] {
    const number = ++this.#number
    this.#post(request, number)
    const outcome = this.#receive(number)
    if (!('error' in outcome)) return outcome.results
    if (outcome.error.isLost) this.onLoss()
    throw new PostgresError(outcome.error)
  }

  /** Sends a request whose results nobody needs. */
  sendOnly (request: Request): void {
    this.#post(request)
  }

  /** Ends the connection and the thread. */
  close (): void {
    this.send({ kind: 'close' })
    this.#port.close()
  }

  #post (request: Request, number?: number): void {
    const message: NumberedRequest = { number, request: this.#shorten(request) }
    this.#port.postMessage(message)
  }

  /** Leaves out texts that the thread knows: they are longer than most parameters. */
  #shorten (request: Request): Request {
    if (request.kind !== 'run') return request
    const queries = request.queries.map((query) => {
      if (this.#knownNames.has(query.name)) return { ...query, text: '' }
      if (query.name !== '') this.#knownNames.add(query.name)
      return query
    })
    return { ...request, queries }
  }

  #receive (number: number): Outcome {
    const end = stopwatch() + this.#replyMs
    for (let left = this.#replyMs; left > 0; left = end - stopwatch()) {
      const count = Atomics.load(this.#state, places.replies)
      const received: { message: Reply } | undefined = receiveMessageOnPort(this.#port)
      if (received === undefined) {
        Atomics.wait(this.#state, places.replies, count, left)
        continue
      }
      const { outcome } = received.message
      if ('packed' in outcome) this.#reader.learn(outcome.packed)
      // A reply to an earlier request came too late.
      if (received.message.number !== number) continue
      return 'error' in outcome ? outcome : { results: this.#reader.read(outcome.packed) }
    }
    this.drop()
    return { error: { message: `no answer after ${this.#replyMs / 1000} s`, isLost: true } }
  }
}
