import { runInSlices } from '../lib/slices.ts'
import { withoutPassword } from '../lib/url.ts'
import type { Account } from '../domain/account.ts'
import {
  judgeExpectation,
  type UnmetExpectation,
  type SeenEvent,
  type DroppedCounts
} from '../domain/expectations.ts'
import { expectsSort, type Expectation } from '../domain/expectation.ts'
import type { SeenCallback } from '../domain/matching.ts'
import type { Callback } from '../domain/ports.ts'
import { readExchange } from '../monitoring/journal-reading.ts'
import type { Journal } from '../monitoring/request-journal.ts'

/** Reads the callbacks of an account after a number, oldest first, up to a limit. */
export interface CallbackSource {
  callbacks: (account: Account, query: { after?: number; limit: number }) => Promise<Callback[]>
}

/** Callbacks are looked at so many at a time, and the last so many of them count. */
const pageSize = 500
const mostCallbacks = 10_000

/** Compares the expectations of a test with the traffic of an account. */
export class Verification {
  readonly #journal: Journal
  readonly #source: CallbackSource

  constructor (journal: Journal, source: CallbackSource) {
    this.#journal = journal
    this.#source = source
  }

  /**
   * The expectations that were not met, and how many requests and callbacks could not be looked at.
   */
  async verify (
    account: Account,
    expectations: readonly Expectation[]
  ): Promise<{ failed: UnmetExpectation[]; dropped: number }> {
    const unseen: DroppedCounts = { request: this.#journal.dropped(account.id), callback: 0 }
    const happened = [
      ...(expectsSort('request', expectations) ? await runInSlices(this.#requests(account)) : []),
      ...(expectsSort('callback', expectations) ? await this.#callbacks(account, unseen) : [])
    ]
    // Events with the same clock time keep this order: requests first, then callbacks.
    happened.sort((a, b) => a.at - b.at)
    const failed: UnmetExpectation[] = []
    for (const [index, expectation] of expectations.entries()) {
      const failure = await runInSlices(judgeExpectation(expectation, index, happened, unseen))
      if (failure !== undefined) failed.push(failure)
    }
    return { failed, dropped: unseen.request + unseen.callback }
  }

  /** Reads all requests of one moment, oldest first. */
  * #requests (account: Account): Generator<undefined, SeenEvent[]> {
    const requests: SeenEvent[] = []
    for (const exchange of [...this.#journal.listNewest(account.id)].reverse()) {
      requests.push({ id: exchange.id, at: exchange.at, request: readExchange(exchange) })
      yield
    }
    return requests
  }

  async #callbacks (account: Account, unseen: DroppedCounts): Promise<SeenEvent[]> {
    const found: Callback[] = []
    for (let after = 0, full = true; full;) {
      const page = await this.#source.callbacks(account, { after, limit: pageSize })
      found.push(...page)
      unseen.callback += found.splice(0, Math.max(0, found.length - mostCallbacks)).length
      full = page.length === pageSize
      after = page.at(-1)?.seq ?? after
    }
    return await runInSlices(readCallbacks(found))
  }
}

/** Reads the bodies of callbacks: 10,000 of them take 50 ms. */
function * readCallbacks (callbacks: readonly Callback[]): Generator<undefined, SeenEvent[]> {
  const events: SeenEvent[] = []
  for (const callback of callbacks) {
    const at = callback.attempts.at(0)?.at ?? callback.created
    events.push({ id: callback.seq, at, callback: seen(callback) })
    yield
  }
  return events
}

function seen ({ payment, url, state, tries, body }: Callback): SeenCallback {
  return {
    ...(payment !== undefined && { kind: payment.kind.name, paymentId: payment.id }),
    url: withoutPassword(url),
    state,
    attempts: tries,
    body: JSON.parse(body)
  }
}
