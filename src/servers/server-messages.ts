import { checkServerToken, makeServerToken, type TokenPurpose } from '../security/server-token.ts'

/** Header of a request that another server passes on. Its token is for the server that takes it. */
export const tokenHeader = 'x-momock-server-token'
/** Header of an answer to it, which proves that the server knows the secret. */
export const proofHeader = 'x-momock-server-proof'
/** Header of a request that came through the TLS listener of the server that passes it on. */
export const encryptedHeader = 'x-momock-server-encrypted'
/** Header of each answer: the number of the server that has the account. */
export const serverHeader = 'x-momock-server'

/** Time for which a token works: the clocks of machines may differ by minutes. */
const lifetimeMs = 15 * 60_000
/** Time for which a server makes no new one: a token takes 4 µs, and each request needs four. */
const renewMs = 60_000
/** Most tokens that are remembered. */
const mostKept = 1000

/** Token with its time. */
interface Made {
  token: string
  at: number
}

/** Makes and checks the tokens of the servers. Whoever takes the port of another learns nothing. */
export class ServerMessages {
  readonly #identity: { readonly number: number; readonly secret: string }
  readonly #now: () => number
  /** Tokens by what they are for. */
  readonly #made = new Map<string, Made>()
  /** Times of tokens that were right, by what they are for. */
  readonly #checked = new Map<string, number>()

  constructor (identity: { readonly number: number; readonly secret: string }, now: () => number) {
    this.#identity = identity
    this.#now = now
  }

  /** Makes a token for requests to a server. */
  sign (server: number): string {
    return this.#make({ server, answers: '' })
  }

  /** Returns whether a token is for requests to this server. */
  isFromServer (token: string): boolean {
    return this.#check({ server: this.#identity.number, answers: '' }, token)
  }

  /** Proves an answer to a request with a token. */
  prove (token: string): string {
    return this.#make({ server: this.#identity.number, answers: token })
  }

  /** Returns whether an answer to a request with a token comes from its server. */
  isProved (server: number, token: string, proof: unknown): boolean {
    return typeof proof === 'string' && this.#check({ server, answers: token }, proof)
  }

  #make (purpose: TokenPurpose): string {
    const key = keyOf(purpose)
    const now = this.#now()
    const known = this.#made.get(key)
    if (known !== undefined && Math.abs(now - known.at) <= renewMs) return known.token
    const token = makeServerToken(this.#identity.secret, purpose, now)
    keep(this.#made, key, { token, at: now })
    return token
  }

  #check (purpose: TokenPurpose, token: string): boolean {
    const key = `${keyOf(purpose)} ${token}`
    const now = this.#now()
    const known = this.#checked.get(key)
    if (known !== undefined) return Math.abs(now - known) <= lifetimeMs
    const at = checkServerToken(this.#identity.secret, purpose, token)
    if (at === undefined) return false
    keep(this.#checked, key, at)
    // The clock of the other server may be ahead.
    return Math.abs(now - at) <= lifetimeMs
  }
}

function keyOf ({ server, answers }: TokenPurpose): string {
  return `${server} ${answers}`
}

function keep<T> (kept: Map<string, T>, key: string, value: T): void {
  if (kept.size >= mostKept) kept.clear()
  kept.set(key, value)
}
