import { checkServerToken, makeServerToken } from '../security/server-token.ts'

/** Header of a request that another server passes on. Its token is for this request only. */
export const tokenHeader = 'x-momock-server-token'
/** Header of an answer to it, which proves that the server knows the secret. */
export const proofHeader = 'x-momock-server-proof'
/** Header of each answer: the number of the server that has the account. */
export const serverHeader = 'x-momock-server'

/** Time for which a token works: the clocks of machines may differ by minutes. */
const lifetimeMs = 15 * 60_000

/** A request from one server to another. */
export interface ServerRequest {
  method: string
  path: string
}

/** Makes and checks the tokens of the servers. Whoever takes the port of another learns nothing. */
export class ServerMessages {
  readonly #identity: { readonly number: number; readonly secret: string }
  readonly #now: () => number

  constructor (identity: { readonly number: number; readonly secret: string }, now: () => number) {
    this.#identity = identity
    this.#now = now
  }

  /** Makes the token of a request to a server. */
  sign (server: number, { method, path }: ServerRequest): string {
    return makeServerToken(this.#identity.secret, { server, method, path }, this.#now())
  }

  /** Returns whether a token is for a request to this server. */
  isFromServer (token: string, { method, path }: ServerRequest): boolean {
    return this.#check({ server: this.#identity.number, method, path }, token)
  }

  /** Proves an answer to a request with a token. */
  prove (token: string): string {
    const { number, secret } = this.#identity
    return makeServerToken(secret, answerTo(number, token), this.#now())
  }

  /** Returns whether an answer to a request with a token comes from its server. */
  isProved (server: number, token: string, proof: unknown): boolean {
    return typeof proof === 'string' && this.#check(answerTo(server, token), proof)
  }

  #check (purpose: Parameters<typeof checkServerToken>[1], token: string): boolean {
    const time = { now: this.#now(), lifetimeMs }
    return checkServerToken(this.#identity.secret, purpose, token, time)
  }
}

function answerTo (server: number, token: string) {
  return { server, method: 'ANSWER', path: token }
}
