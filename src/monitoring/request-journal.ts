import { parse, unescape } from 'node:querystring'
import type { Kind, KindName } from '../domain/kinds.ts'
import type { SeenRequest } from '../domain/matching.ts'
import type { Fault } from '../domain/response-behaviour.ts'
import type { Generation } from '../domain/api-version.ts'
import type { Explanation } from '../security/explanation.ts'

/**
 * The journal: the requests of each account and what they were answered. It is a tool for tests, so
 * it is kept in memory and ends with the process: a write per request would cost more than the
 * request. The texts are kept as they came and went, and read when somebody asks. They are few, the
 * headers being one: a thousand requests in their own objects would cost the garbage collector more
 * than all the rest of it.
 */

/** At most this much of a body and of an answer is kept, in characters. */
export const longestText = 64 * 1024
/** At most this much is kept of one account, and of all together, in characters. */
const mostOfAccount = 8 * 1024 * 1024
const mostOfAll = 64 * 1024 * 1024
/** What an entry needs beside its texts. */
const overhead = 256

/** Which operation of the API was called. */
export interface CalledOperation {
  generation: Generation
  /** The operationId of the reference. */
  operation: string
  kind?: Kind
  /** Can it be signed? */
  signed?: boolean
}

/** What was sent and answered, as texts. */
interface Texts {
  url: string
  /** As `Headlines` has them. */
  headers: string
  body: string
  answer: string
}

/** A request and its answer, as they were. */
export interface JournalExchange extends Texts {
  /** Its number in the journal of its account, which gives it. */
  id: number
  /** When it arrived, on the account's clock and on the machine's. */
  at: number
  received: number
  durationMs: number
  method: string
  status: number
  /** Absent where there is no such operation. */
  called?: CalledOperation
  /** Was there an operation, and an account, that it was for? */
  matched: boolean
  /** What was made of its signature. */
  signature?: Explanation
  /** What a scenario did to the answer. */
  fault?: Fault
}

interface Ring {
  /** Places are used again, the oldest first. */
  places: JournalExchange[]
  /** Where the oldest one is. */
  start: number
  size: number
  length: number
  /**
   * How many there have ever been, and how many there was no more room for since it was cleared.
   */
  count: number
  dropped: number
}

/** The exchanges of every account, as many as there is room for; the oldest go first. */
export class Journal {
  readonly #capacity: number
  readonly #rings = new Map<number, Ring>()
  #length = 0
  #latest: number | undefined

  /** It keeps this many for each account; none at all, if that is 0. */
  constructor (capacity: number) {
    this.#capacity = capacity
  }

  get enabled (): boolean {
    return this.#capacity > 0
  }

  record (account: number, exchange: JournalExchange): void {
    if (this.#capacity === 0) return
    const ring = this.#ringOf(account)
    const length = lengthOf(exchange)
    while (
      ring.size === this.#capacity ||
      (ring.size > 0 && ring.length + length > mostOfAccount)
    ) {
      this.#drop(ring)
    }
    while (this.#length + length > mostOfAll && this.#dropElsewhere()) {
      /* until there is room */
    }
    exchange.id = ++ring.count
    ring.places[(ring.start + ring.size) % this.#capacity] = exchange
    ring.size++
    ring.length += length
    this.#length += length
  }

  /** The exchanges of an account, newest first. */
  * listNewest (account: number): Generator<JournalExchange> {
    const ring = this.#rings.get(account)
    if (ring === undefined) return
    for (let n = ring.size - 1; n >= 0; n--) yield ring.places[(ring.start + n) % this.#capacity]
  }

  /** How many exchanges of an account are kept. */
  size (account: number): number {
    return this.#rings.get(account)?.size ?? 0
  }

  /** How many exchanges are kept, of all accounts. */
  get total (): number {
    return this.#rings.values().reduce((sum, { size }) => sum + size, 0)
  }

  /** How many exchanges of an account there was no more room for. */
  dropped (account: number): number {
    return this.#rings.get(account)?.dropped ?? 0
  }

  /** Forgets the exchanges of an account; the numbers go on, unless it is gone for good. */
  clear (account: number, gone = false): void {
    const ring = this.#rings.get(account)
    if (ring === undefined) return
    this.#length -= ring.length
    if (gone) this.#rings.delete(account)
    else this.#rings.set(account, { ...empty(), count: ring.count })
  }

  /**
   * The account that was used last stands last, so that the first one is the one that misses its
   * oldest entries least.
   */
  #ringOf (account: number): Ring {
    let ring = this.#rings.get(account)
    if (ring !== undefined && account === this.#latest) return ring
    ring ??= empty()
    this.#latest = account
    this.#rings.delete(account)
    this.#rings.set(account, ring)
    return ring
  }

  /**
   * Drops the oldest entry of the account that has been quiet for longest; false, if there is none.
   */
  #dropElsewhere (): boolean {
    for (const ring of this.#rings.values()) {
      if (ring.size === 0) continue
      this.#drop(ring)
      return true
    }
    return false
  }

  #drop (ring: Ring): void {
    const length = lengthOf(ring.places[ring.start])
    // The place keeps nothing alive until it is used again.
    ring.places[ring.start] = nothing
    ring.start = (ring.start + 1) % this.#capacity
    ring.size--
    ring.dropped++
    ring.length -= length
    this.#length -= length
  }
}

const nothing: JournalExchange = {
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
  matched: false
}

function empty (): Ring {
  return { places: [], start: 0, size: 0, length: 0, count: 0, dropped: 0 }
}

/** What an exchange takes at most: it may share its headers with others. */
function lengthOf ({ url, headers, body, answer }: Texts): number {
  return overhead + url.length + headers.length + body.length + answer.length
}

/** As much of a text as is kept. */
export function clipText (text: string): string {
  // One more shows that there was more. A copy: a slice would keep all of it.
  return text.length <= longestText ? text : Buffer.from(text.slice(0, longestText + 1)).toString()
}

/** A text that was kept, as it is shown. */
function shown (text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`
}

/** An exchange as a person or a matcher reads it. */
export interface ReadExchange extends SeenRequest {
  url: string
  answer: unknown
  /** Was only the beginning of the body, or of the answer, kept? */
  truncated: { body: boolean; answer: boolean }
  /** The payments it names. */
  payments: Array<{ kind: KindName; id: string }>
  notes: string[]
}

/** No header can hold it. */
const betweenHeaders = '\n'

/**
 * Makes one text of headers, and the same text again while they stay the same: a client sends
 * hardly ever others.
 */
export class HeaderTexts {
  #headers: readonly string[] = []
  #text = ''

  /** They are names and values in turn, as they came. */
  joinHeaders (headers: readonly string[]): string {
    if (!isSame(headers, this.#headers)) {
      ;[this.#headers, this.#text] = [headers, headers.join(betweenHeaders)]
    }
    return this.#text
  }
}

function isSame (a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

const secrets = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-momock-admin-token',
  'x-api-key'
])
const secretParameters = new Set(['token', 'access_token', 'api_key', 'api-key', 'apikey'])

/** Reads an exchange: texts that are JSON become values, and secrets stay secret. */
export function readExchange ({
  method,
  url: sent,
  headers: lines,
  body,
  answer,
  status,
  called,
  signature
}: JournalExchange): ReadExchange {
  const [path, asked = ''] = cut(sent)
  const query = withoutSecrets(asked)
  const headers = named(lines === '' ? [] : lines.split(betweenHeaders))
  const value = valueOf(shown(body))
  const ignored =
    called?.signed === true &&
    headers.signature !== undefined &&
    signature === undefined &&
    status < 400
  return {
    method,
    url: query === asked ? sent : `${path}?${query}`,
    path,
    query: parse(query),
    headers,
    ...(value !== undefined && { body: value }),
    ...(called !== undefined && { operation: called.operation }),
    status,
    answer: valueOf(shown(answer)),
    truncated: { body: body.length > longestText, answer: answer.length > longestText },
    payments: called?.kind === undefined ? [] : paymentsOf(called.kind, path, value),
    notes: ignored
      ? [
          'the signature was ignored: the account does not have signedRequestsOnly, and then ' +
            'signature headers must not be sent'
        ]
      : []
  }
}

/** Headers by their names in lower case, those that came twice together. */
function named (pairs: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let n = 0; n < pairs.length; n += 2) {
    const name = pairs[n].toLowerCase()
    const text = secrets.has(name) ? hidden(pairs[n + 1]) : pairs[n + 1]
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${text}` : text
  }
  return headers
}

/** The parts of an address before and after the question mark. */
function cut (url: string): [path: string, query?: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

/** A query in which nobody reads what opens a door. */
function withoutSecrets (query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name] = pair.split('=', 1)
      return name !== pair && secretParameters.has(unescape(name).toLowerCase())
        ? `${name}=[hidden]`
        : pair
    })
    .join('&')
}

function valueOf (text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The scheme of a credential may be known. */
function hidden (text: string): string {
  const [, scheme = ''] = /^(\w+ )\S/.exec(text) ?? []
  return `${scheme}[hidden]`
}

const identifier = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

function paymentsOf (kind: Kind, path: string, body: unknown): ReadExchange['payments'] {
  const inPath = identifier.exec(path)?.[0]
  const ids =
    inPath !== undefined
      ? [inPath]
      : [body]
          .flat()
          .map((one) => (one as Record<string, unknown> | null | undefined)?.[kind.idField])
  return ids.filter((id) => typeof id === 'string').map((id) => ({ kind: kind.name, id }))
}
