import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SystemClock } from '../lib/clock.ts'
import { explainSignature } from '../security/explanation.ts'
import { verifyingKeys, type Keys } from '../security/keys.ts'

/** What a sink answers one callback with: a status, after a while. */
export interface SinkAnswer {
  status: number
  delayMs: number
}

/** What a sink was told to do. */
export interface SinkOrders {
  /** One for each of the next callbacks. */
  answers: SinkAnswer[]
  /** And what comes when these are used up. */
  then: SinkAnswer
}

/** A request as it came in. */
export interface SinkRequest {
  method: string
  target: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A callback that a sink has received, and what was made of it. */
export interface ReceivedCallback extends SinkRequest {
  n: number
  at: number
  status: number
  signature: { valid: boolean; because: string }
}

/**
 * A sink keeps so many callbacks, and so many sinks are kept, of all accounts: those that were used
 * last.
 */
const keptCallbacks = 1000
const keptSinks = 1000

interface Sink {
  received: ReceivedCallback[]
  count: number
  orders: SinkOrders
}

const content: SinkOrders = { answers: [], then: { status: 200, delayMs: 0 } }

/**
 * Callbacks to a sink say in this header whose they are: the address of a sink is the same for
 * every account.
 */
export const sinkOwnerHeader = 'x-momock-account'

/** What only this server can say of an account. */
function sinkOwnerMark (keys: Keys, account: number): string {
  return `${account}.${hash('sha256', `sink ${account} ${keys.secret}`)}`
}

/** The header that a callback needs on its way to a sink; nothing, if it goes elsewhere. */
export function sinkHeaders (keys: Keys, account: number, url: string): Record<string, string> {
  return url.includes('/__admin/sink/') ? { [sinkOwnerHeader]: sinkOwnerMark(keys, account) } : {}
}

/**
 * Receivers of callbacks inside the mock, for who has none. They live in memory, and each account
 * has its own.
 */
export class CallbackSinks {
  readonly #keys: Keys
  readonly #systemClock: SystemClock
  readonly #sinks = new Map<string, Sink>()

  constructor (keys: Keys, systemClock: SystemClock) {
    this.#keys = keys
    this.#systemClock = systemClock
  }

  /**
   * Takes a callback in; says how to answer it. It is the account's that sent it, or else that of
   * who brings it.
   */
  receiveCallback (
    account: number,
    name: string,
    { headers: { [sinkOwnerHeader]: mark, ...headers }, ...rest }: SinkRequest
  ): SinkAnswer {
    const sink = this.#open(this.#owner(mark) ?? account, name)
    const arrival = { ...rest, headers }
    const answer = sink.orders.answers.shift() ?? sink.orders.then
    sink.received.push({
      ...arrival,
      n: ++sink.count,
      at: this.#systemClock.now(),
      status: answer.status,
      signature: this.#judge(arrival)
    })
    if (sink.received.length > keptCallbacks) sink.received.shift()
    return answer
  }

  /** What a sink has received, oldest first, and what it will answer. */
  showSink (account: number, name: string): Readonly<Sink> {
    return this.#sinks.get(keyOf(account, name)) ?? { received: [], count: 0, orders: content }
  }

  setOrders (account: number, name: string, { answers, then }: SinkOrders): void {
    this.#open(account, name).orders = { answers: [...answers], then }
  }

  forgetSink (account: number, name: string): void {
    this.#sinks.delete(keyOf(account, name))
  }

  /** Forgets every sink of an account. */
  clear (account: number): void {
    for (const key of this.#sinks.keys()) {
      if (key.startsWith(keyOf(account, ''))) this.#sinks.delete(key)
    }
  }

  /** The sink of that name, which is now the last used one. */
  #open (account: number, name: string): Sink {
    const key = keyOf(account, name)
    const sink = this.#sinks.get(key) ?? {
      received: [],
      count: 0,
      orders: { answers: [], then: content.then }
    }
    this.#sinks.delete(key)
    this.#sinks.set(key, sink)
    const [oldest] = this.#sinks.keys()
    if (this.#sinks.size > keptSinks) this.#sinks.delete(oldest)
    return sink
  }

  /** The account that a mark of ours names. */
  #owner (mark: string | string[] | undefined): number | undefined {
    const account = Number.parseInt(String(mark))
    return mark === sinkOwnerMark(this.#keys, account) ? account : undefined
  }

  /** What a merchant who verifies would find. */
  #judge ({ method, target, headers, body }: SinkRequest): ReceivedCallback['signature'] {
    if (headers.signature === undefined && headers['signature-input'] === undefined) {
      return { valid: false, because: 'it is not signed: there is no Signature header' }
    }
    const message = { method, scheme: 'http' as const, authority: headers.host, target, headers }
    const { valid, problems, hints, parameters, algorithm } = explainSignature(message, body, {
      keys: verifyingKeys(this.#keys.published),
      now: this.#systemClock.now(),
      encoding: 'both'
    })
    return {
      valid,
      because: valid
        ? `the digest fits the body, and the ${algorithm ?? ''} signature fits the key ` +
          `${String(parameters.keyid)}`
        : [...problems, ...hints].join('; ')
    }
  }
}

function keyOf (account: number, name: string): string {
  return `${account} ${name}`
}
