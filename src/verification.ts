import type { Account } from './domain/account.ts'
import { isAbout, verify, type Expectation, type Failure, type Happened } from './domain/expectations.ts'
import type { SeenCallback } from './domain/matching.ts'
import type { Callback } from './domain/ports.ts'
import { read, type Journal } from './journal.ts'

/** What verification needs to know of the callbacks of an account: those after one, at most so many, oldest first. */
export interface CallbackSource {
  callbacks: (account: Account, query: { after?: number, limit: number }) => Promise<Callback[]>
}

/** Callbacks are looked at so many at a time, and the last so many of them count. */
const pageSize = 500
const mostCallbacks = 10_000

/** Compares what a test expects with what an account has seen. */
export class Verification {
  readonly #journal: Journal
  readonly #source: CallbackSource

  constructor (journal: Journal, source: CallbackSource) {
    this.#journal = journal
    this.#source = source
  }

  async verify (account: Account, expectations: readonly Expectation[]): Promise<Failure[]> {
    const happened = [
      ...isAbout('request', expectations) ? this.#requests(account) : [],
      ...isAbout('callback', expectations) ? await this.#callbacks(account) : []
    ]
    // What happened at the same time of the clock stays as it is: requests first, each sort in its own order.
    return verify(expectations, happened.sort((a, b) => a.at - b.at))
  }

  #requests (account: Account): Happened[] {
    return [...this.#journal.newest(account.id)].reverse().map((exchange) => ({ id: exchange.id, at: exchange.at, request: read(exchange) }))
  }

  async #callbacks (account: Account): Promise<Happened[]> {
    const found: Callback[] = []
    for (let after = 0, full = true; full;) {
      const page = await this.#source.callbacks(account, { after, limit: pageSize })
      found.push(...page)
      found.splice(0, Math.max(0, found.length - mostCallbacks))
      full = page.length === pageSize
      after = page.at(-1)?.seq ?? after
    }
    return found.map((callback) => ({ id: callback.seq, at: callback.attempts.at(0)?.at ?? callback.created, callback: seen(callback) }))
  }
}

function seen ({ payment, url, state, tries, body }: Callback): SeenCallback {
  return { ...(payment !== undefined && { kind: payment.kind.name, paymentId: payment.id }), url, state, attempts: tries, body: JSON.parse(body) }
}
