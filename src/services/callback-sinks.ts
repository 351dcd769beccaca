import type { IncomingHttpHeaders } from 'node:http'
import type { SystemClock } from '../lib/clock.ts'
import { explainSignature } from '../security/explanation.ts'
import { verifyingKeys, type Keys } from '../security/keys.ts'
import { readSinkOwner, sinkOwnerHeader } from '../security/sink-links.ts'

/** Answer of a sink to one callback: a status, after a delay. */
export interface SinkAnswer {
  status: number
  delayMs: number
}

/** Answers that a sink was told to give. */
export interface SinkOrders {
  /** Answers to the next callbacks, one each. */
  answers: SinkAnswer[]
  /** Answer to all callbacks after those. */
  then: SinkAnswer
}

/** Request to a sink. */
export interface SinkRequest {
  method: string
  target: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Callback that a sink has received, with the result of its verification. */
export interface ReceivedCallback extends SinkRequest {
  n: number
  at: number
  status: number
  signature: { valid: boolean; because: string }
}

/** Most callbacks that a sink keeps: the last ones. */
const keptCallbacks = 1000
/** Most sinks of all accounts: those that were used last. */
const keptSinks = 1000

interface Sink {
  received: ReceivedCallback[]
  count: number
  orders: SinkOrders
}

const usualOrders: SinkOrders = { answers: [], then: { status: 200, delayMs: 0 } }

/**
 * Receivers of callbacks inside the mock, for tests without a receiver of their own. They are kept
 * in memory, separately for each account.
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
   * Keeps a callback and returns the answer to it. It belongs to the account that sent it, or else
   * to the account of the request.
   */
  receiveCallback (
    account: number,
    name: string,
    { headers: { [sinkOwnerHeader]: mark, ...headers }, ...rest }: SinkRequest
  ): SinkAnswer {
    const sink = this.#open(readSinkOwner(this.#keys, mark) ?? account, name)
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

  /** Returns the callbacks of a sink, oldest first, and its answers to come. */
  showSink (account: number, name: string): Readonly<Sink> {
    return this.#sinks.get(keyOf(account, name)) ?? { received: [], count: 0, orders: usualOrders }
  }

  setOrders (account: number, name: string, { answers, then }: SinkOrders): void {
    this.#open(account, name).orders = { answers: [...answers], then }
  }

  forgetSink (account: number, name: string): void {
    this.#sinks.delete(keyOf(account, name))
  }

  /** Deletes all sinks of an account. */
  clear (account: number): void {
    for (const key of this.#sinks.keys()) {
      if (key.startsWith(keyOf(account, ''))) this.#sinks.delete(key)
    }
  }

  /** Returns the sink of a name, and marks it as the last one used. */
  #open (account: number, name: string): Sink {
    const key = keyOf(account, name)
    const sink = this.#sinks.get(key) ?? {
      received: [],
      count: 0,
      orders: { answers: [], then: usualOrders.then }
    }
    this.#sinks.delete(key)
    this.#sinks.set(key, sink)
    const [oldest] = this.#sinks.keys()
    if (this.#sinks.size > keptSinks) this.#sinks.delete(oldest)
    return sink
  }

  /** Verifies a callback as a merchant would. */
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
