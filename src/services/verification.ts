import { runInSlices } from '../lib/slices.ts'
import { showUrl } from '../lib/url.ts'
import type { Account } from '../domain/account.ts'
import { formatAmount } from '../domain/amount.ts'
import {
  findFitting,
  judgeExpectation,
  type UnmetExpectation,
  type SeenEvent,
  type DroppedCounts
} from '../domain/expectations.ts'
import { expectsSort, type Expectation, type ExpectedStep } from '../domain/expectation.ts'
import type { SeenCallback } from '../domain/matching.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { SeenPayment } from '../domain/payment-matching.ts'
import type { Move } from '../domain/plan.ts'
import type { Callback } from '../domain/ports.ts'
import { readExchange } from '../monitoring/journal-reading.ts'
import type { JournalPart } from '../monitoring/request-journal.ts'
import type { ServerMemory } from './server-memory.ts'

/** Reads callbacks and payments of an account after a number, oldest first, up to a limit. */
export interface EventSource {
  callbacks: (account: Account, query: { after?: number; limit: number }) => Promise<Callback[]>
  list: (account: Account, query: { after?: number; limit: number }) => Promise<PaymentState[]>
}

interface PaymentState {
  payment: AnyPayment
  state: Move
}

/** Callbacks and payments are read so many at a time, and the last so many of them count. */
const pageSize = 500
const mostEvents = 10_000

/** Compares the expectations of a test with the traffic of an account. */
export class Verification {
  readonly #memory: ServerMemory
  readonly #source: EventSource

  constructor (memory: ServerMemory, source: EventSource) {
    this.#memory = memory
    this.#source = source
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

  /** Lists the events that fit a step, oldest first. */
  async find (account: Account, step: ExpectedStep): Promise<SeenEvent[]> {
    const { happened } = await this.#readEvents(account, [step])
    return await runInSlices(findFitting(step, happened))
  }

  /** Reads the events that expectations are about, oldest first. */
  async #readEvents (
    account: Account,
    expectations: readonly Expectation[]
  ): Promise<{ happened: SeenEvent[]; unseen: DroppedCounts }> {
    const unseen: DroppedCounts = { request: 0, callback: 0, payment: 0 }
    const happened = [
      ...(expectsSort('request', expectations) ? await this.#requests(account, unseen) : []),
      ...(expectsSort('callback', expectations) ? await this.#callbacks(account, unseen) : []),
      ...(expectsSort('payment', expectations) ? await this.#payments(account, unseen) : [])
    ]
    // Events with the same clock time keep this order: requests, callbacks, payments.
    happened.sort((a, b) => a.at - b.at)
    return { happened, unseen }
  }

  async #requests (account: Account, unseen: DroppedCounts): Promise<SeenEvent[]> {
    const journal = await this.#memory.collect('readJournal', { account: account.id })
    unseen.request = journal.dropped
    return await runInSlices(readRequests(journal))
  }

  async #callbacks (account: Account, unseen: DroppedCounts): Promise<SeenEvent[]> {
    const { found, dropped } = await readLatest(
      (query) => this.#source.callbacks(account, query),
      ({ seq }) => seq
    )
    unseen.callback = dropped
    return await runInSlices(readCallbacks(found))
  }

  async #payments (account: Account, unseen: DroppedCounts): Promise<SeenEvent[]> {
    const { found, dropped } = await readLatest(
      (query) => this.#source.list(account, query),
      ({ payment }) => payment.seq
    )
    unseen.payment = dropped
    return found.map(({ payment, state }) => ({
      id: payment.details.id,
      at: payment.created,
      payment: readPayment(payment, state)
    }))
  }
}

/** Reads all pages of a list and keeps the latest. */
async function readLatest<T> (
  readPage: (query: { after: number; limit: number }) => Promise<T[]>,
  numberOf: (one: T) => number
): Promise<{ found: T[]; dropped: number }> {
  const found: T[] = []
  let dropped = 0
  for (let after = 0, full = true; full;) {
    const page = await readPage({ after, limit: pageSize })
    found.push(...page)
    dropped += found.splice(0, Math.max(0, found.length - mostEvents)).length
    full = page.length === pageSize
    const last = page.at(-1)
    if (last !== undefined) after = numberOf(last)
  }
  return { found, dropped }
}

/** Reads the fields of a payment that can be matched. */
function readPayment (
  { kind, generation, details, plan }: AnyPayment,
  { to, failure }: Move
): SeenPayment {
  const { amount, currency, provider, phoneNumber } = 'amount' in details ? details : {}
  return {
    kind: kind.name,
    id: details.id,
    generation,
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

/** Reads all requests of one moment, oldest first. */
function * readRequests ({ exchanges }: JournalPart): Generator<undefined, SeenEvent[]> {
  const requests: SeenEvent[] = []
  for (const exchange of exchanges.toReversed()) {
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
