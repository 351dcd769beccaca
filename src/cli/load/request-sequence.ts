import { randomUUID } from 'node:crypto'
import { requestKinds, type RequestKind } from './mix.ts'

/**
 * What is asked, one after the other in the order of the mix, and whether the answer is the right
 * one.
 */

export interface Target {
  url: string
  token: string
}

/** One request. */
export interface LoadRequest {
  kind: RequestKind
  id: string
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** How many payments are remembered, for duplicates and checks of them. */
const remembered = 1000

export class RequestSequence {
  readonly #round: readonly RequestKind[]
  readonly #path: string
  readonly #authorization: string
  readonly #accepted: string[] = []
  #sent = 0

  constructor (round: readonly RequestKind[], { url, token }: Target) {
    this.#round = round
    this.#path = `${new URL(url).pathname.replace(/\/$/, '')}/v2/deposits`
    this.#authorization = `Bearer ${token}`
  }

  /**
   * The next request of the round; an initiation as long as there is nothing to repeat or to look
   * at.
   */
  next (): LoadRequest {
    const kind = this.#round[this.#sent++ % this.#round.length]
    const known = this.#accepted[this.#sent % this.#accepted.length]
    return requestKinds[kind].needs === undefined || known === undefined
      ? this.#shot('initiations', randomUUID())
      : this.#shot(kind, known)
  }

  /** What is wrong with an answer; nothing, if it is the right one. */
  judge ({ kind, id }: LoadRequest, status: number, body: string): string | undefined {
    if (status !== 200 || !body.includes(requestKinds[kind].right)) return `${status} ${body}`
    if (kind === 'initiations') {
      this.#accepted[
        this.#accepted.length < remembered ? this.#accepted.length : this.#sent % remembered
      ] = id
    }
  }

  #shot (kind: RequestKind, id: string): LoadRequest {
    const headers = { authorization: this.#authorization }
    if (kind === 'checks') return { kind, id, method: 'GET', path: `${this.#path}/${id}`, headers }
    const body = JSON.stringify({
      depositId: id,
      amount: '15',
      currency: 'ZMW',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
      }
    })
    return {
      kind,
      id,
      method: 'POST',
      path: this.#path,
      headers: { ...headers, 'content-type': 'application/json' },
      body
    }
  }
}
