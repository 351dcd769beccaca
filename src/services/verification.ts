import { runInSlices } from '../lib/slices.ts'
import { showUrl } from '../lib/url.ts'
import type { Account } from '../domain/account.ts'
import type { AccountTables, CountedTable } from '../ports/account-tables.ts'
import { formatAmount } from '../domain/amount.ts'
import {
  findFitting,
  judgeExpectation,
  type UnmetExpectation,
  type SeenEvent,
  type DroppedCounts
} from '../verification/expectations.ts'
import {
  eventSorts,
  expectsSort,
  type EventSort,
  type Expectation,
  type ExpectedStep
} from '../verification/expectation.ts'
import type { SeenCallback } from '../verification/matching.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { SeenPayment } from '../verification/payment-matching.ts'
import { isRecorded, nextStep, type Move } from '../domain/plan.ts'
import type { Callback } from '../ports/ledger.ts'
import { isFinal } from '../domain/status.ts'
import { readExchange } from '../monitoring/journal-reading.ts'
import type { Journal, JournalExchange } from '../monitoring/request-journal.ts'

/** Reads callbacks and payments of an account, newest first. */
export interface EventSource {
  callbacks: (account: Account, page: LatestPage) => Promise<Callback[]>
  list: (account: Account, page: LatestPage) => Promise<{ found: PaymentState[] }>
}

/** Page of a list, before a number. */
interface LatestPage {
  newest: true
  after?: number
  limit: number
}

interface PaymentState {
  payment: AnyPayment
  state: Move
}

/** Some of the latest events, newest first. */
interface EventPage {
  events: SeenEvent[]
  /** Number of older events that are not looked at any more, on the last page. */
  unseen?: number
  /** Time of the next move of the page that only follows from a plan. */
  nextMove?: number
}

/** Events that fit a step, as far as they were looked for. */
export interface FoundEvents {
  /** Oldest first. */
  events: SeenEvent[]
  /** Time of the account at which a payment moves without anybody being told. */
  nextMove: number
}

/** Events are read so many at a time, and the last so many callbacks and payments count. */
const pageSize = 500
const mostEvents = 10_000

/** Compares the expectations of a test with the traffic of an account. */
export class Verification {
  readonly #journal: Pick<Journal, 'readPart'>
  readonly #source: EventSource
  readonly #tables: Pick<AccountTables, 'countRows'>

  constructor (
    journal: Pick<Journal, 'readPart'>,
    source: EventSource,
    tables: Pick<AccountTables, 'countRows'>
  ) {
    this.#journal = journal
    this.#source = source
    this.#tables = tables
  }

  /**
   * The expectations that were not met, and the number of events that could not be looked at.
   */
  async verify (
    account: Account,
    expectations: readonly Expectation[]
  ): Promise<{ failed: UnmetExpectation[]; dropped: number }> {
    const { happened, unseen } = await this.#readEvents(account, expectations)
    const failed: UnmetExpectation[] = []
    for (const [index, expectation] of expectations.entries()) {
      const failure = await runInSlices(judgeExpectation(expectation, index, happened, unseen))
      if (failure !== undefined) failed.push(failure)
    }
    return { failed, dropped: unseen.request + unseen.callback + unseen.payment }
  }

  /** Finds so many events that fit a step, or a few more, among the latest. */
  async find (account: Account, step: ExpectedStep, count: number): Promise<FoundEvents> {
    const found: SeenEvent[] = []
    let nextMove = Infinity
    for (const sort of eventSorts) {
      if (!expectsSort(sort, [step])) continue
      for await (const page of this.#readPages(account, sort)) {
        found.push(...(await runInSlices(findFitting(step, page.events))))
        nextMove = Math.min(nextMove, page.nextMove ?? Infinity)
        if (found.length >= count) break
      }
    }
    return { events: found.reverse().sort((a, b) => a.at - b.at), nextMove }
  }

  /** Reads the events that expectations are about, oldest first. */
  async #readEvents (
    account: Account,
    expectations: readonly Expectation[]
  ): Promise<{ happened: SeenEvent[]; unseen: DroppedCounts }> {
    const unseen: DroppedCounts = { request: 0, callback: 0, payment: 0 }
    const happened: SeenEvent[] = []
    for (const sort of eventSorts) {
      if (!expectsSort(sort, expectations)) continue
      const latest: SeenEvent[] = []
      for await (const page of this.#readPages(account, sort)) {
        latest.push(...page.events)
        unseen[sort] += page.unseen ?? 0
      }
      happened.push(...latest.reverse())
    }
    // Events with the same clock time keep this order: requests, callbacks, payments.
    happened.sort((a, b) => a.at - b.at)
    return { happened, unseen }
  }

  /** Reads the events of a sort, a page at a time, newest first. */
  #readPages (account: Account, sort: EventSort): AsyncGenerator<EventPage> {
    if (sort === 'request') return this.#readRequests(account)
    return sort === 'callback' ? this.#readCallbacks(account) : this.#readPayments(account)
  }

  async * #readRequests (account: Account): AsyncGenerator<EventPage> {
    const { exchanges, dropped } = this.#journal.readPart(account.id)
    for (let n = 0; n < exchanges.length; n += pageSize) {
      yield { events: await runInSlices(readRequests(exchanges.slice(n, n + pageSize))) }
    }
    yield { events: [], unseen: dropped }
  }

  async * #readCallbacks (account: Account): AsyncGenerator<EventPage> {
    let oldest: Callback | undefined
    for await (const page of readLatest(
      (query) => this.#source.callbacks(account, query),
      ({ seq }) => seq
    )) {
      oldest = page.at(-1)
      yield { events: await runInSlices(readCallbacks(page)) }
    }
    yield { events: [], unseen: await this.#countOlder('callbacks', account, oldest?.seq) }
  }

  async * #readPayments (account: Account): AsyncGenerator<EventPage> {
    let oldest: PaymentState | undefined
    for await (const page of readLatest(
      async (query) => (await this.#source.list(account, query)).found,
      ({ payment }) => payment.seq
    )) {
      oldest = page.at(-1)
      yield {
        events: page.map(({ payment, state }) => ({
          id: payment.details.id,
          at: payment.created,
          payment: readPayment(payment, state)
        })),
        nextMove: Math.min(...page.map(findNextMove))
      }
    }
    yield { events: [], unseen: await this.#countOlder('payments', account, oldest?.payment.seq) }
  }

  #countOlder (table: CountedTable, account: Account, before = 0): Promise<number> {
    return this.#tables.countRows(table, account.id, before)
  }
}

/** Reads the latest of a list, a page at a time, newest first. */
async function * readLatest<T> (
  readPage: (page: LatestPage) => Promise<T[]>,
  numberOf: (one: T) => number
): AsyncGenerator<T[]> {
  let after: number | undefined
  for (let left = mostEvents; left > 0; left -= pageSize) {
    const page = await readPage({
      newest: true,
      limit: pageSize,
      ...(after !== undefined && { after })
    })
    if (page.length > 0) yield page
    if (page.length < pageSize) return
    after = numberOf(page[pageSize - 1])
  }
}

/** Returns the time of the next move that only follows from the plan: nobody is told of it. */
function findNextMove ({ payment, state }: PaymentState): number {
  if (isFinal(state.to)) return Infinity
  const next = payment.plan.steps.slice(nextStep(payment)).find(({ at }) => at > state.at)
  return next === undefined || isRecorded(next) ? Infinity : next.at
}

/** Reads the fields of a payment that can be matched. */
function readPayment (
  { kind, version, details, plan }: AnyPayment,
  { to, failure }: Move
): SeenPayment {
  const { amount, currency, provider, phoneNumber } = 'amount' in details ? details : {}
  return {
    kind: kind.name,
    id: details.id,
    version,
    status: to,
    failureCode: failure?.failureCode,
    amount: amount && formatAmount(amount),
    currency,
    provider,
    phoneNumber,
    clientReferenceId: details.clientReferenceId,
    scenario: plan.scenario
  }
}

function * readRequests (exchanges: readonly JournalExchange[]): Generator<undefined, SeenEvent[]> {
  const requests: SeenEvent[] = []
  for (const exchange of exchanges) {
    requests.push({ id: exchange.id, at: exchange.at, request: readExchange(exchange) })
    yield
  }
  return requests
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
    kind: payment?.kind.name ?? 'statement',
    ...(payment !== undefined && { paymentId: payment.id }),
    url: showUrl(url),
    state,
    attempts: tries,
    body: JSON.parse(body)
  }
}
