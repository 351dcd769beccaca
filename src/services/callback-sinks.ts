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

/** Callback whose body is written in base64. */
export type WrittenCallback = Omit<ReceivedCallback, 'body'> & { body: string }

/** Content of a sink. */
export interface SinkPart {
  /** Oldest first. */
  received: WrittenCallback[]
  /** Number of all callbacks so far. */
  count: number
  orders: SinkOrders
}

/** Most callbacks that a sink keeps: the last ones. */
const keptCallbacks = 1000
/** Most sinks of all accounts: those that were used last. */
const keptSinks = 1000
/** Most bytes that the callbacks of an account take, and those of all accounts. */
export const maxBytesOfAccount = 8 * 1024 * 1024
const maxBytesOfAll = 64 * 1024 * 1024
/** Memory of a callback besides its texts, roughly. */
const overheadBytes = 512

interface Sink {
  account: number
  received: ReceivedCallback[]
  count: number
  orders: SinkOrders
}

const usualAnswer: SinkAnswer = { status: 200, delayMs: 0 }

/**
 * Receivers of callbacks inside the mock, for tests without a receiver. They are kept in memory,
 * separately for each account.
 */
export class CallbackSinks {
  readonly #keys: Keys
  readonly #systemClock: SystemClock
  /** The sink that was used last is the last one. */
  readonly #sinks = new Map<string, Sink>()
  readonly #bytes = new Map<number, number>()
  #allBytes = 0

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
    const owner = readSinkOwner(this.#keys, mark) ?? account
    const arrival = { ...rest, headers, body: copyBody(rest.body) }
    const sink = this.#open(owner, name)
    const answer = sink.orders.answers.shift() ?? sink.orders.then
    const received = {
      ...arrival,
      n: ++sink.count,
      at: this.#systemClock.now(),
      status: answer.status,
      signature: this.#judge(arrival)
    }
    sink.received.push(received)
    this.#countBytes(sink.account, sizeOf(received))
    if (sink.received.length > keptCallbacks) this.#dropOldest(sink)
    this.#limitBytes(sink.account)
    return answer
  }

  /** Returns the callbacks of a sink, oldest first, and its answers to come. */
  readPart (account: number, name: string): SinkPart {
    const { received, count, orders } = this.#sinks.get(keyOf(account, name)) ?? createSink(account)
    const write = (callback: ReceivedCallback): WrittenCallback => ({
      ...callback,
      body: callback.body.toString('base64')
    })
    return { received: received.map(write), count, orders }
  }

  setOrders (account: number, name: string, { answers, then }: SinkOrders): void {
    this.#open(account, name).orders = { answers: [...answers], then }
  }

  /** Deletes the callbacks and the orders of a sink. */
  emptySink (account: number, name: string): void {
    this.#delete(keyOf(account, name))
  }

  /** Empties all sinks of an account. */
  clear (account: number): void {
    const prefix = keyOf(account, '')
    for (const key of [...this.#sinks.keys()]) if (key.startsWith(prefix)) this.#delete(key)
  }

  /** Returns the sink of a name, and marks it as the last one used. */
  #open (account: number, name: string): Sink {
    const key = keyOf(account, name)
    const sink = this.#sinks.get(key) ?? createSink(account)
    this.#sinks.delete(key)
    this.#sinks.set(key, sink)
    const [oldest] = this.#sinks.keys()
    if (this.#sinks.size > keptSinks) this.#delete(oldest)
    return sink
  }

  #delete (key: string): void {
    const sink = this.#sinks.get(key)
    if (sink === undefined) return
    for (const received of sink.received) this.#countBytes(sink.account, -sizeOf(received))
    this.#sinks.delete(key)
  }

  /** Drops the oldest callbacks of the sinks that were not used for longest. */
  #limitBytes (account: number): void {
    for (const sink of this.#sinks.values()) {
      while (this.#isTooMuch(account, sink) && sink.received.length > 0) this.#dropOldest(sink)
    }
  }

  #isTooMuch (account: number, sink: Sink): boolean {
    if (this.#allBytes > maxBytesOfAll) return true
    return sink.account === account && (this.#bytes.get(account) ?? 0) > maxBytesOfAccount
  }

  #dropOldest (sink: Sink): void {
    const oldest = sink.received.shift()
    if (oldest !== undefined) this.#countBytes(sink.account, -sizeOf(oldest))
  }

  #countBytes (account: number, bytes: number): void {
    this.#allBytes += bytes
    const left = (this.#bytes.get(account) ?? 0) + bytes
    if (left === 0) this.#bytes.delete(account)
    else this.#bytes.set(account, left)
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

function createSink (account: number): Sink {
  return { account, received: [], count: 0, orders: { answers: [], then: usualAnswer } }
}

/** Copies a body into memory of its own: a small buffer usually keeps a whole block of 64 KiB. */
function copyBody (body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
}

/** Estimates the memory of a callback. */
function sizeOf ({ target, headers, body, signature }: ReceivedCallback): number {
  const texts = Object.entries(headers).flat(2).join('').length
  return overheadBytes + target.length + texts + body.length + signature.because.length
}

function keyOf (account: number, name: string): string {
  return `${account} ${name}`
}
