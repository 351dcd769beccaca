import { hash } from 'node:crypto'

/** Pattern of a UUID. */
export const uuidPattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** Number of failures of each request of an account, by a digest of the request. */
export type ErrorCounts = Record<string, number>

/** Four words of 32 bits. */
type Words = [number, number, number, number]

/** Most failed requests that are counted for an account: 100 kB of memory. */
export const maxErrorCounts = 1000

/**
 * Identifiers that the mock generates. They look random, but the same seed, account and request
 * give the same identifiers, so that a repeated test gets the same bytes.
 */
export class Ids {
  readonly #seed: string
  readonly #secret: string
  readonly #errors = new ErrorCounter()

  /** The secret is used for links that must not be guessed. By default it is the seed. */
  constructor (seed: string, secret = seed) {
    this.#seed = seed
    this.#secret = secret
  }

  get seed (): string {
    return this.#seed
  }

  /** Transaction identifier of a provider, as a UUID. */
  transactionUuid (account: string, kind: string, id: string): string {
    return uuidOfWords(this.#words(account, kind, id))
  }

  /** Transaction identifier of a provider, as 20 letters and digits. */
  transactionCode (account: string, kind: string, id: string): string {
    return this.#words(account, kind, id)
      .map((word) => (word >>> 0).toString(36).padStart(7, '0').slice(-5))
      .join('')
      .toUpperCase()
  }

  #words (account: string, kind: string, id: string): Words {
    return scramble(`${this.#seed}\n${account}\n${kind}\n${id.toLowerCase()}`)
  }

  /**
   * Identifier of an error. It follows from the account, the request and how often the same request
   * failed before, so that requests that arrive together get the same identifiers in any order.
   * Requests without an account have the account ''.
   */
  error (account: string, ...request: string[]): string {
    const key = this.#digest('request', ...request).slice(0, 16)
    const n = this.#errors.add(account, key)
    return uuid(this.#digest('error', account, key, n))
  }

  /** Counts of the failed requests of an account. */
  errorsOf (account: string): ErrorCounts {
    return this.#errors.read(account)
  }

  /** Sets the counts of the failed requests of an account. */
  countErrors (account: string, counts: ErrorCounts): void {
    this.#errors.replace(account, counts)
  }

  /** Token of an account that was created without one. */
  token (account: string): string {
    return `token-${this.#digest('token', account).slice(0, 32)}`
  }

  /** Identifier of the nth statement of an account. */
  statement (account: string, n: number): string {
    return uuid(this.#digest('statement', account, String(n)))
  }

  /** Identifier of the deposit of a split payment; `choice` gives another one if it is taken. */
  part (account: string, splitPaymentId: string, choice = 0): string {
    return uuid(this.#digest('part', account, splitPaymentId.toLowerCase(), ...extra(choice)))
  }

  /** Identifier of the nth attempt of a checkout; `choice` gives another one if it is taken. */
  attempt (account: string, checkoutId: string, n: number, choice = 0): string {
    const parts = [account, checkoutId.toLowerCase(), String(n), ...extra(choice)]
    return uuid(this.#digest('attempt', ...parts))
  }

  /** Code in the link of a checkout. It has 32 bits; `choice` gives another one if it is taken. */
  checkoutCode (account: string, checkoutId: string, choice: number): string {
    const hex = this.#digest('checkout', account, checkoutId.toLowerCase(), String(choice))
    return `PPG${hex.slice(0, 8).toUpperCase()}`
  }

  /** Part of a link that cannot be guessed. */
  secret (purpose: string, account: string, id: string): string {
    return hash(
      'sha256',
      [this.#secret, purpose, account, id.toLowerCase()].join('\n'),
      'hex'
    ).slice(0, 32)
  }

  /** Pseudo-random number from 0 to 1 that depends on the seed and a text. */
  chance (text: string): number {
    return Number.parseInt(this.#digest('chance', text).slice(0, 12), 16) / 2 ** 48
  }

  #digest (...parts: string[]): string {
    return hash('sha256', [this.#seed, ...parts].join('\n'), 'hex')
  }
}

/** Counts of failed requests, by the name of the account. */
class ErrorCounter {
  readonly #counts = new Map<string, Map<string, number>>()

  /** Counts a failure of a request. Returns its number, as text. */
  add (account: string, request: string): string {
    const counts = this.#counts.get(account) ?? new Map<string, number>()
    this.#counts.set(account, counts)
    const n = (counts.get(request) ?? 0) + 1
    // The oldest count is forgotten first: a count that is in use moves to the end.
    counts.delete(request)
    counts.set(request, n)
    if (counts.size > maxErrorCounts) counts.delete(counts.keys().next().value ?? '')
    return String(n)
  }

  read (account: string): ErrorCounts {
    return Object.fromEntries(this.#counts.get(account) ?? [])
  }

  replace (account: string, counts: ErrorCounts): void {
    const entries = Object.entries(counts)
    if (entries.length === 0) this.#counts.delete(account)
    else this.#counts.set(account, new Map(entries))
  }
}

/**
 * Hashes a text to four words of 32 bits, with two FNV hashes that are mixed. Every payment needs
 * them, and SHA-256 takes ten times as long.
 */
function scramble (text: string): Words {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b)
  }
  a = Math.imul(a ^ (b >>> 15), 0x9e3779b1)
  b = Math.imul(b ^ (a >>> 13), 0xc2b2ae35)
  const c = Math.imul(a ^ (b >>> 16), 0x27d4eb2f) ^ b
  const d = Math.imul(b ^ (c >>> 15), 0x165667b1) ^ a
  return [a, b, c, d]
}

/** Hexadecimal digits of each byte, and of each half of one. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const halves = '0123456789abcdef'

/** Formats four words of 32 bits as a UUIDv4: 2 µs less than with `toString` and slices. */
function uuidOfWords ([a, b, c, d]: Words): string {
  return (
    `${bytes[a >>> 24]}${bytes[(a >>> 16) & 255]}${bytes[(a >>> 8) & 255]}${bytes[a & 255]}-` +
    `${bytes[b >>> 24]}${bytes[(b >>> 16) & 255]}-4${halves[(b >>> 8) & 15]}${bytes[b & 255]}-` +
    `8${halves[(c >>> 24) & 15]}${bytes[(c >>> 16) & 255]}-${bytes[(c >>> 8) & 255]}` +
    `${bytes[c & 255]}${bytes[d >>> 24]}${bytes[(d >>> 16) & 255]}${bytes[(d >>> 8) & 255]}` +
    `${bytes[d & 255]}`
  )
}

/** Formats hexadecimal digits as a UUIDv4. */
function uuid (hex: string): string {
  const [time, version, variant] = [hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)]
  return `${hex.slice(0, 8)}-${time}-4${version}-8${variant}-${hex.slice(20, 32)}`
}

/** The first choice adds nothing to a digest, so that its identifiers stay as they were. */
function extra (choice: number): string[] {
  return choice === 0 ? [] : [String(choice)]
}

/** Value of each character as a hexadecimal digit. */
const worth = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  worth[digit.charCodeAt(0)] = worth[digit.toUpperCase().charCodeAt(0)] = value
}

/** Position of the two digits of each byte in a UUID. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * Converts a UUID to 16 bytes. The index takes half the space, and upper and lower case are the
 * same identifier. Every request needs it, so it avoids regular expressions.
 */
export function uuidToBytes (id: string): Buffer {
  const id16 = Buffer.allocUnsafe(16)
  for (let i = 0; i < 16; i++) {
    id16[i] = (worth[id.charCodeAt(places[i])] << 4) | worth[id.charCodeAt(places[i] + 1)]
  }
  return id16
}

/** Converts 16 bytes to a UUID in lower case. */
export function bytesToUuid (id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
