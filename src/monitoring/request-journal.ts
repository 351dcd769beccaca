import type { Kind } from '../domain/kinds.ts'
import type { Fault } from '../domain/response-behaviour.ts'
import type { Version } from '../domain/api-version.ts'
import type { Explanation } from '../security/explanation.ts'

/**
 * Journal of the requests of each account with their responses. It is kept in memory and ends with
 * the process, because a write per request would cost more than the request. Entries hold texts,
 * which are parsed when somebody reads them; all headers are one text, because an object for each
 * header costs the garbage collector more than the rest of the journal.
 */

/** Most characters of a body, and of a response, that are kept. */
export const longestText = 64 * 1024
/** Most characters that are kept for one account. */
const mostOfAccount = 8 * 1024 * 1024
/** Most characters that are kept for all accounts. */
const mostOfAll = 64 * 1024 * 1024
/** Memory of an entry besides its texts, in characters. */
const overhead = 256
/** Separator of headers, which no header can contain. */
const separator = '\n'

/** Operation of the API that a request called. */
export interface CalledOperation {
  version: Version
  /** Its operationId in the OpenAPI document. */
  operation: string
  kind?: Kind
  /** True if requests of this operation can be signed. */
  signed?: boolean
  /** Accounts that have called it with success, for the coverage. */
  readonly callers: Set<number>
}

/** Texts of a request and its response. */
interface Texts {
  url: string
  /** Names and values, joined by `joinHeaders`. */
  headers: string
  body: string
  answer: string
}

/** Request and response as they were sent. */
export interface JournalExchange extends Texts {
  /** Number in the journal of its account. The journal sets it. */
  id: number
  /** Time of the request on the account's clock. */
  at: number
  /** System time of the request. */
  received: number
  durationMs: number
  method: string
  status: number
  /** Absent for a request without an operation. */
  called?: CalledOperation
  /** True if an operation and an account were found. */
  matched: boolean
  /** Result of the verification of its signature. */
  signature?: Explanation
  /** Fault that a scenario put into the response. */
  fault?: Fault
}

/** Requests of an account. */
export interface JournalPart {
  /** Newest first. */
  exchanges: JournalExchange[]
  /** Number of all entries so far, which is the number of the last one. */
  count: number
  /** Number of entries that were dropped since the journal was cleared. */
  dropped: number
  /** Most entries that are kept. */
  capacity: number
}

interface Ring {
  /**
   * Slots, used again from the oldest on. Each keeps its object: V8 creates new ones among the old
   * objects when it has seen that they live long, and there dead ones keep their texts alive. Then
   * the garbage collector stops the server for 5 instead of 2 ms each time.
   */
  slots: JournalExchange[]
  /** Slot of the oldest entry. */
  start: number
  size: number
  length: number
  /** Number of all entries so far, which is the number of the last one. */
  count: number
  /** Number of entries that were dropped since the journal was cleared. */
  dropped: number
}

/** Journal of all accounts. When it is full, the oldest entries are dropped. */
export class Journal {
  /** False for a journal without entries. */
  readonly enabled: boolean
  readonly #capacity: number
  readonly #rings = new Map<number, Ring>()
  readonly #watchers = new Map<() => void, number>()
  #length = 0
  #latest: number | undefined

  /** Creates a journal with this many entries for each account; 0 switches it off. */
  constructor (capacity: number) {
    this.#capacity = capacity
    this.enabled = capacity > 0
  }

  record (account: number, exchange: JournalExchange): void {
    if (this.#capacity === 0) return
    const ring = this.#ringOf(account)
    const length = measureEntry(exchange)
    while (
      ring.size === this.#capacity ||
      (ring.size > 0 && ring.length + length > mostOfAccount)
    ) {
      this.#dropOldest(ring)
    }
    while (this.#length + length > mostOfAll && this.#dropIdle()) {
      /* drops entries until the new one fits */
    }
    const slot = (ring.start + ring.size) % this.#capacity
    const entry = (ring.slots[slot] ??= { ...emptyEntry })
    Object.assign(entry, exchange)
    entry.id = ++ring.count
    ring.size++
    ring.length += length
    this.#length += length
    for (const [watcher, watched] of this.#watchers) if (watched === account) watcher()
  }

  /** Calls a watcher after each entry of an account, until the returned function is called. */
  watch (account: number, watcher: () => void): () => void {
    this.#watchers.set(watcher, account)
    return () => this.#watchers.delete(watcher)
  }

  /** Returns everything that the journal has of an account, as copies of the entries. */
  readPart (account: number): JournalPart {
    const { slots, start, size, count, dropped } = this.#rings.get(account) ?? newRing()
    const exchanges = Array.from({ length: size }, (_, n) => ({
      ...slots[(start + size - 1 - n) % this.#capacity]
    }))
    return { exchanges, count, dropped, capacity: this.#capacity }
  }

  /** Number of entries of all accounts. */
  get total (): number {
    return this.#rings.values().reduce((sum, { size }) => sum + size, 0)
  }

  /** Deletes the entries of an account. The numbers go on, unless the account was deleted. */
  clear (account: number, gone = false): void {
    const ring = this.#rings.get(account)
    if (ring === undefined) return
    this.#length -= ring.length
    if (gone) this.#rings.delete(account)
    else this.#rings.set(account, { ...newRing(), count: ring.count })
  }

  /** Returns the ring of an account and moves it to the end: the last used account is last. */
  #ringOf (account: number): Ring {
    let ring = this.#rings.get(account)
    if (ring !== undefined && account === this.#latest) return ring
    ring ??= newRing()
    this.#latest = account
    this.#rings.delete(account)
    this.#rings.set(account, ring)
    return ring
  }

  /** Drops the oldest entry of the account that was idle for longest; false if there is none. */
  #dropIdle (): boolean {
    for (const ring of this.#rings.values()) {
      if (ring.size === 0) continue
      this.#dropOldest(ring)
      return true
    }
    return false
  }

  #dropOldest (ring: Ring): void {
    const length = measureEntry(ring.slots[ring.start])
    // The slot must not keep the texts in memory.
    Object.assign(ring.slots[ring.start], emptyEntry)
    ring.start = (ring.start + 1) % this.#capacity
    ring.size--
    ring.dropped++
    ring.length -= length
    this.#length -= length
  }
}

const emptyEntry: JournalExchange = {
  id: 0,
  at: 0,
  received: 0,
  durationMs: 0,
  method: '',
  status: 0,
  url: '',
  headers: '',
  body: '',
  answer: '',
  called: undefined,
  matched: false,
  signature: undefined,
  fault: undefined
}

function newRing (): Ring {
  return { slots: [], start: 0, size: 0, length: 0, count: 0, dropped: 0 }
}

/** Returns the memory of an entry, at most: its headers may be shared with others. */
function measureEntry ({ url, headers, body, answer }: Texts): number {
  return overhead + url.length + headers.length + body.length + answer.length
}

/** Cuts a text to the length that is kept. */
export function clipText (text: string): string {
  // One character more shows that it was cut. A copy, because a slice keeps the whole text.
  return text.length <= longestText ? text : Buffer.from(text.slice(0, longestText + 1)).toString()
}

/**
 * Joins headers to one text. Equal headers in sequence share one text, because a client nearly
 * always sends the same.
 */
export class HeaderTexts {
  #headers: readonly string[] = []
  #text = ''

  /** Joins headers that are given as names and values in turn. */
  joinHeaders (headers: readonly string[]): string {
    if (!isSame(headers, this.#headers)) {
      ;[this.#headers, this.#text] = [headers, headers.join(separator)]
    }
    return this.#text
  }
}

/** Tells whether two lists are equal. */
function isSame (a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

/** Splits a text into the names and values of its headers. */
export function splitHeaders (text: string): string[] {
  return text === '' ? [] : text.split(separator)
}
