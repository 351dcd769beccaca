import { randomUUID } from 'node:crypto'
import { stopwatch } from '../../lib/clock.ts'
import type { Lives } from './lives.ts'
import { requestKinds, type RequestKind } from './mix.ts'

/** Server and token of a run. */
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

/** Number of payments that are kept for duplicates and checks. */
const keptPayments = 1000

/** Sequence of requests in the order of the mix. It also checks the answers. */
export class RequestSequence {
  readonly #round: readonly RequestKind[]
  readonly #path: string
  readonly #authorization: string
  readonly #accepted: string[] = []
  readonly #lives: Lives | undefined
  #sent = 0

  constructor (round: readonly RequestKind[], { url, token }: Target, lives?: Lives) {
    this.#round = round
    this.#lives = lives
    this.#path = `${new URL(url).pathname.replace(/\/$/, '')}/v2/deposits`
    this.#authorization = `Bearer ${token}`
  }

  /** Returns the next request. It is an initiation while no payment exists. */
  next (): LoadRequest {
    const kind = this.#round[this.#sent++ % this.#round.length]
    const known = this.#accepted[this.#sent % this.#accepted.length]
    return requestKinds[kind].needs === undefined || known === undefined
      ? this.#createInitiation()
      : this.#createRequest(kind, known)
  }

  /** Returns a description of a wrong answer, or undefined for a correct one. */
  checkAnswer ({ kind, id }: LoadRequest, status: number, body: string): string | undefined {
    if (status !== 200 || !body.includes(requestKinds[kind].right)) {
      if (kind === 'initiations') this.#lives?.drop(id)
      return `${status} ${body}`
    }
    if (kind === 'initiations') {
      this.#lives?.accept(id, stopwatch())
      const count = this.#accepted.length
      this.#accepted[count < keptPayments ? count : this.#sent % keptPayments] = id
    }
  }

  #createInitiation (): LoadRequest {
    const id = randomUUID()
    this.#lives?.start(id)
    return this.#createRequest('initiations', id)
  }

  #createRequest (kind: RequestKind, id: string): LoadRequest {
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
