import { hash } from 'node:crypto'

/**
 * The identifiers the service makes. They look random and are not: the same seed, account and
 * request give the same ones, so a story that is told twice gives the same bytes.
 */
export class Ids {
  readonly #seed: string
  readonly #secret: string
  readonly #errors = new Map<string, number>()

  /**
   * What only who was given an address should know is made with the secret, which is the seed where
   * nobody else is around.
   */
  constructor (seed: string, secret = seed) {
    this.#seed = seed
    this.#secret = secret
  }

  get seed (): string {
    return this.#seed
  }

  /** What a provider calls a payment. */
  providerTransaction (account: string, kind: string, id: string): string {
    return String(scramble(`${this.#seed}\n${account}\n${kind}\n${id.toLowerCase()}`)).padStart(
      15,
      '0'
    )
  }

  /** The next errorId of an account; requests of nobody share one series. */
  error (account: string): string {
    const n = (this.#errors.get(account) ?? 0) + 1
    this.#errors.set(account, n)
    return uuid(this.#digest('error', account, String(n)))
  }

  /** How many errorIds an account has had. */
  errorsOf (account: string): number {
    return this.#errors.get(account) ?? 0
  }

  /** An account has had so many errorIds. */
  countErrors (account: string, n: number): void {
    if (n === 0) this.#errors.delete(account)
    else this.#errors.set(account, n)
  }

  /** The token of an account that was given none. */
  token (account: string): string {
    return `token-${this.#digest('token', account).slice(0, 32)}`
  }

  /** The identifier of the nth statement of an account. */
  statement (account: string, n: number): string {
    return uuid(this.#digest('statement', account, String(n)))
  }

  /** The identifier of the deposit that a split payment begins with. */
  part (account: string, splitPaymentId: string): string {
    return uuid(this.#digest('part', account, splitPaymentId.toLowerCase()))
  }

  /** The identifier of a deposit that the service makes itself: the n-th attempt of a checkout. */
  attempt (account: string, checkoutId: string, n: number): string {
    return uuid(this.#digest('attempt', account, checkoutId.toLowerCase(), String(n)))
  }

  /**
   * What the link of a checkout ends in; 32 bits are few, so there is a next choice should one be
   * taken.
   */
  checkoutCode (account: string, checkoutId: string, choice: number): string {
    return `PPG${this.#digest('checkout', account, checkoutId.toLowerCase(), String(choice)).slice(0, 8).toUpperCase()}`
  }

  /** A name for an address that only who was given it knows. */
  secret (purpose: string, account: string, id: string): string {
    return hash(
      'sha256',
      [this.#secret, purpose, account, id.toLowerCase()].join('\n'),
      'hex'
    ).slice(0, 32)
  }

  /** A number from 0 to 1 that follows from a text. */
  chance (text: string): number {
    return Number.parseInt(this.#digest('chance', text).slice(0, 12), 16) / 2 ** 48
  }

  #digest (...parts: string[]): string {
    return hash('sha256', [this.#seed, ...parts].join('\n'), 'hex')
  }
}

/**
 * A number below 2^49 that looks random (two FNV hashes, mixed): every payment needs one, and
 * SHA-256 takes ten times as long.
 */
function scramble (text: string): number {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b)
  }
  a = Math.imul(a ^ (b >>> 15), 0x9e3779b1)
  b = Math.imul(b ^ (a >>> 13), 0xc2b2ae35)
  return ((b ^ (a >>> 16)) >>> 15) * 2 ** 32 + (a >>> 0)
}

/** Hex digits in the form of a UUIDv4. */
function uuid (hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
