import { randomUUID } from 'node:crypto'
import type { KindName } from '../domain/kinds.ts'
import { readContent, type CallbackContent } from './callback-content.ts'

/**
 * Listeners: programs that fetch callbacks over a connection of their own, and report what their
 * handler answered. The mock and the relay have the same ones.
 */

/** What a listener asks for. Each condition must be met; a list is met by one of its values. */
export interface Listening {
  /** URL of the handler. Its path replaces that of the callback, unless it is the root. */
  url: string
  /** Host header that the handler expects; that of the callback without it. */
  host?: string
  kinds?: readonly KindName[]
  ids?: readonly string[]
  metadata?: Readonly<Record<string, string>>
}

/** Request that a listener makes for somebody else. */
export interface HandedRequest {
  method: string
  /** Path with the query. */
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** What a handler has answered, or why it has not. */
export type HandlerResult =
  | { status: number; headers?: Record<string, string | string[]>; body?: string }
  | { error: string }

/** Callback that was handed to a listener. */
interface Handed extends HandedRequest {
  n: number
  settle: (result: HandlerResult) => void
}

/** Message to a listener. */
export interface HandedMessage extends Omit<HandedRequest, 'body'> {
  n: number
  /** Base64 of the bytes. */
  body: string
}

/** Passes a message to a listener. */
type Pass = (message: HandedMessage) => void

/** Time in which a listener must come back after its connection has ended. */
const absenceMs = 10_000
/** Most listeners of an account, and most callbacks that a listener has at once. */
export const mostListeners = 100
const mostHanded = 256
/** Place of callbacks of an account that has no callback URL: only a listener gets them. */
const placeHost = 'listener.invalid'

export interface Listener {
  id: string
  owner: number
  wish: Listening
  /** Number of its callbacks so far. */
  handed: number
  isConnected: boolean
}

interface Entry extends Listener {
  open: Map<number, Handed>
  pass: Pass | undefined
  end: (() => void) | undefined
  absence: NodeJS.Timeout | undefined
}

/** Listeners of all owners: accounts of the mock, or teams of a relay. */
export class Listeners {
  readonly #entries = new Map<string, Entry>()

  /** Adds a listener. Returns undefined if its owner has too many. */
  add (owner: number, wish: Listening): Listener | undefined {
    if (this.list(owner).length >= mostListeners) return undefined
    const entry: Entry = {
      id: randomUUID(),
      owner,
      wish,
      handed: 0,
      isConnected: false,
      open: new Map(),
      pass: undefined,
      end: undefined,
      absence: undefined
    }
    this.#entries.set(entry.id, entry)
    this.#awaitReturn(entry)
    return entry
  }

  /** Returns the listeners of an owner, oldest first. */
  list (owner: number): Listener[] {
    return [...this.#entries.values()].filter((entry) => entry.owner === owner)
  }

  /** Tells whether an owner has a listener. It is the only cost of callbacks without any. */
  has (owner: number): boolean {
    return this.#entries.size > 0 && this.list(owner).length > 0
  }

  /**
   * Finds the listener of a callback: of those whose conditions it meets, the one with most
   * conditions, and of these the one that came last.
   */
  find (owner: number, body: string): Listener | undefined {
    if (!this.has(owner)) return undefined
    const content = readContent(body)
    const fitting = this.list(owner).filter(({ wish }) => isMet(wish, content))
    return fitting.reduce<Listener | undefined>(
      (best, one) =>
        best !== undefined && countConditions(best.wish) > countConditions(one.wish) ? best : one,
      undefined
    )
  }

  /** Returns the place of a callback without a URL, if there is a listener for it. */
  placeFor (owner: number, path: string, body: string): string | undefined {
    return this.find(owner, body) === undefined
      ? undefined
      : `http://${placeHost}/callbacks/${path}`
  }

  /**
   * Follows the callbacks of a listener: those after a number that are open, and all later ones.
   * Returns undefined if there is no such listener.
   */
  follow (
    owner: number,
    id: string,
    after: number,
    pass: Pass,
    end: () => void
  ): Following | undefined {
    const entry = this.#find(owner, id)
    if (entry === undefined) return undefined
    // Another connection of the same listener takes its place.
    entry.end?.()
    clearTimeout(entry.absence)
    Object.assign(entry, { pass, end, isConnected: true })
    for (const handed of entry.open.values()) if (handed.n > after) pass(writeMessage(handed))
    return {
      id: String(entry.handed),
      stop: () => {
        if (entry.pass !== pass) return
        Object.assign(entry, { pass: undefined, end: undefined, isConnected: false })
        if (this.#entries.has(entry.id)) this.#awaitReturn(entry)
      }
    }
  }

  /** Hands a callback to a listener. Throws 'late' if no answer is reported in time. */
  hand (
    { id, owner }: Listener,
    request: HandedRequest,
    timeoutMs: number,
    stop?: AbortSignal
  ): Promise<HandlerResult> {
    const entry = this.#find(owner, id)
    if (entry === undefined) return Promise.resolve({ error: 'the listener has left' })
    if (entry.open.size >= mostHanded) {
      return Promise.resolve({ error: `the listener has ${mostHanded} callbacks already` })
    }
    const n = ++entry.handed
    const { promise, resolve, reject } = Promise.withResolvers<HandlerResult>()
    const handed = { ...request, n, settle: resolve }
    const timer = setTimeout(() => reject('late' as unknown as Error), timeoutMs)
    const abort = (): void => reject(stop?.reason as Error)
    stop?.addEventListener('abort', abort)
    entry.open.set(n, handed)
    entry.pass?.(writeMessage(handed))
    return promise.finally(() => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', abort)
      entry.open.delete(n)
    })
  }

  /** Takes the answer to a callback. Returns false if nobody waits for it any more. */
  answer (owner: number, id: string, n: number, result: HandlerResult): boolean | undefined {
    const entry = this.#find(owner, id)
    if (entry === undefined) return undefined
    const handed = entry.open.get(n)
    handed?.settle(result)
    return handed !== undefined
  }

  /** Removes a listener. Returns false if there is none. */
  remove (owner: number, id: string): boolean {
    const entry = this.#find(owner, id)
    if (entry === undefined) return false
    this.#entries.delete(id)
    clearTimeout(entry.absence)
    for (const { settle } of entry.open.values()) settle({ error: 'the listener has left' })
    entry.end?.()
    return true
  }

  /** Removes the listeners of an owner that is gone; a reset keeps them. */
  clear (owner: number, isGone = false): void {
    if (isGone) for (const { id } of this.list(owner)) this.remove(owner, id)
  }

  close (): void {
    for (const { owner, id } of [...this.#entries.values()]) this.remove(owner, id)
  }

  #awaitReturn (entry: Entry): void {
    entry.absence = setTimeout(() => this.remove(entry.owner, entry.id), absenceMs).unref()
  }

  #find (owner: number, id: string): Entry | undefined {
    const entry = this.#entries.get(id)
    return entry?.owner === owner ? entry : undefined
  }
}

/** Begin of a stream of callbacks, and the function that ends it. */
export interface Following {
  id: string
  stop: () => void
}

/** Tells whether a URL is the place of callbacks that only listeners get. */
export function isListenersOnly (url: string): boolean {
  return url.startsWith(`http://${placeHost}/`)
}

/** Returns where a listener wants a callback. */
export function aimAt (
  { wish }: Listener,
  { host, pathname, search }: URL
): Pick<URL, 'host' | 'pathname' | 'search'> {
  const own = new URL(wish.url)
  const given = host === placeHost ? own.host : host
  const path = own.pathname === '/' ? { pathname, search } : own
  return { host: wish.host ?? given, pathname: path.pathname, search: path.search }
}

function isMet ({ kinds, ids, metadata = {} }: Listening, content: CallbackContent): boolean {
  if (kinds !== undefined && !kinds.some((kind) => kind === content.kind)) return false
  if (ids !== undefined && !ids.some((id) => id === content.id)) return false
  return Object.entries(metadata).every(([name, value]) => content.metadata.get(name) === value)
}

function countConditions ({ kinds, ids, metadata = {} }: Listening): number {
  return [kinds, ids].filter((list) => list !== undefined).length + Object.keys(metadata).length
}

function writeMessage ({ n, method, path, headers, body }: Handed): HandedMessage {
  return { n, method, path, headers, body: body.toString('base64') }
}
