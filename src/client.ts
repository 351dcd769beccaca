import type { AddedScenario, Advance, Availability, Callback, CallbackFilter, Clock, Duration, JournalEntry, Json, Kind, Operation, Payment, PaymentFilter, PaymentSummary, RequestMatcher, Scenario, Sink, Verdict } from './answers.ts'

/** What a tester does to the mock, over HTTP: the same whether it runs in this process or in a container. */

/** An admin call that was refused; the message says why, and what to do about it. */
export class MomockError extends Error {
  override name = 'MomockError'
  readonly status: number
  readonly code: string

  constructor (call: string, status: number, { code = 'UNKNOWN', message = `answered ${status}`, hint }: { code?: string, message?: string, hint?: string } = {}) {
    super(`${call}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
    this.status = status
    this.code = code
  }
}

/** What is waited for, and how long. */
export interface WaitOptions {
  /** A status, or `final` (when left out), or `acknowledged`: final, and the merchant has answered its callbacks with 2xx. */
  until?: string
  timeout?: Duration
}

/** One account of a mock, in the hands of a test. */
export class MomockClient {
  /** Where it listens, such as http://127.0.0.1:40123. */
  readonly url: string
  /** The token of the account; payments are made with it too. */
  readonly token: string
  readonly #adminToken: string | undefined

  constructor (url: string, token: string, adminToken?: string) {
    this.url = url.replace(/\/+$/, '')
    this.token = token
    this.#adminToken = adminToken
  }

  /** The same mock, as another account: every token that begins with `sandbox-` opens one of its own. */
  as (token: string): MomockClient {
    return new MomockClient(this.url, token, this.#adminToken)
  }

  /** Moves the clock on, by a while, to a time, or until nothing more is due; everything that fell due has happened then. */
  advance (by: Duration | { by: Duration } | { to: string } | { until: 'idle' }): Promise<Advance> {
    return this.call('POST', '/clock/advance', typeof by === 'object' ? by : { by })
  }

  /** What the clock shows. */
  clock (): Promise<Clock> {
    return this.call('GET', '/clock')
  }

  /** Sets the clock, lets it run, faster or slower, or freezes it. */
  setClock (clock: { mode: 'running' | 'frozen', now?: string, speed?: number }): Promise<Clock> {
    return this.call('PUT', '/clock', clock)
  }

  /** Waits for a payment: until it is final, when nothing else is said. Fails when it does not come to pass in time. */
  wait (kind: Kind, id: string, options: WaitOptions | string = {}): Promise<Payment> {
    return this.call('POST', '/wait', { kind, id, ...(typeof options === 'string' ? { until: options } : options) })
  }

  payments (filter: PaymentFilter = {}): Promise<PaymentSummary[]> {
    return this.#list('/payments', 'payments', { ...filter })
  }

  payment (kind: Kind, id: string): Promise<Payment> {
    return this.call('GET', `/payments/${kind}/${id}`)
  }

  /** Puts a payment into another state, now, with its money and its callback. */
  move (kind: Kind, id: string, to: string, failureCode?: string): Promise<Payment> {
    return this.call('POST', `/payments/${kind}/${id}/move`, { to, ...(failureCode !== undefined && { failureCode }) })
  }

  /** The callbacks of the account with every attempt, oldest first. */
  callbacks (filter: CallbackFilter = {}): Promise<Callback[]> {
    return this.#list('/callbacks', 'callbacks', { ...filter })
  }

  resendCallback (id: number): Promise<Callback> {
    return this.call('POST', `/callbacks/${id}/resend`)
  }

  /** Adds a scenario for the account; without a name it is given one. */
  scenario (scenario: Scenario): Promise<AddedScenario> {
    return this.call('POST', '/scenarios', { name: `scenario-${++scenarios}`, ...scenario })
  }

  async scenarios (): Promise<AddedScenario[]> {
    return (await this.call<{ scenarios: AddedScenario[] }>('GET', '/scenarios')).scenarios
  }

  removeScenario (name: string): Promise<void> {
    return this.call('DELETE', `/scenarios/${encodeURIComponent(name)}`)
  }

  /** Lets a provider be OPERATIONAL, DELAYED or CLOSED, per operation. */
  provider (provider: string, states: Partial<Record<Operation, Availability>>): Promise<{ provider: string, operationTypes: Record<string, string>, released: number }> {
    return this.call('PUT', `/providers/${encodeURIComponent(provider)}`, states)
  }

  /** The requests of the account that fit, newest first. */
  async requests (matcher: RequestMatcher = {}): Promise<JournalEntry[]> {
    return (await this.call<{ requests: JournalEntry[] }>('POST', '/requests/find', matcher)).requests
  }

  async count (matcher: RequestMatcher = {}): Promise<number> {
    return (await this.call<{ count: number }>('POST', '/requests/count', matcher)).count
  }

  /** Compares what was expected with the requests and callbacks of the account. */
  verify (expectations: Json[]): Promise<Verdict> {
    return this.call('POST', '/verify', { expectations })
  }

  /** Sets the account back to how it started; `keep` names parts that stay, such as `clock`. */
  reset (options: { keep?: string[] } = {}): Promise<void> {
    return this.call('POST', `/reset${options.keep === undefined ? '' : `?keep=${options.keep.join(',')}`}`)
  }

  /** The settings of the account. */
  account (): Promise<Json> {
    return this.call('GET', '/account')
  }

  /** Changes settings of the account; null takes one away. */
  configure (settings: Json): Promise<Json> {
    return this.call('PATCH', '/account', settings)
  }

  /** Makes an account and gives the client for it. */
  async createAccount (settings: Json = {}): Promise<MomockClient> {
    const made = await this.call<{ settings: { tokens: Array<{ token: string }> } }>('POST', '/accounts', settings)
    return this.as(made.settings.tokens[0].token)
  }

  deleteAccount (name: string): Promise<void> {
    return this.call('DELETE', `/accounts/${encodeURIComponent(name)}`)
  }

  /** Keeps the account as it is now, to go back to. */
  snapshot (name: string): Promise<Json> {
    return this.call('POST', '/snapshots', { name })
  }

  restore (name: string): Promise<Json> {
    return this.call('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
  }

  /** Is everything in the account as it must always be? */
  invariants (): Promise<Json> {
    return this.call('GET', '/invariants')
  }

  /** What of the API the account's traffic has exercised, and what not. */
  coverage (): Promise<Json> {
    return this.call('GET', '/coverage')
  }

  /** What a built-in receiver has taken in. */
  sink (name: string): Promise<Sink> {
    return this.call('GET', `/sink/${name}`)
  }

  /** Tells a built-in receiver what to answer the next callbacks, such as `[500, 200]`. */
  orderSink (name: string, answers: number[] | Json): Promise<Json> {
    return this.call('PUT', `/sink/${name}`, answers)
  }

  /** Any call under `/__admin`, with the tokens it needs. */
  async call<T> (method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/__admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(this.#adminToken !== undefined && { 'x-momock-admin-token': this.#adminToken }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new MomockError(`${method} /__admin${path}`, response.status, errorIn(text))
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** All pages of a list, or the one that was asked for. */
  async #list<T extends object> (path: string, name: string, filter: Record<string, string | number | undefined>): Promise<T[]> {
    const all: T[] = []
    for (let after = filter.after; ;) {
      const given = Object.entries({ limit: 1000, ...filter, after }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)])
      const page = await this.call<Record<string, T[]> & { next?: number }>('GET', `${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}`)
      all.push(...page[name])
      if (filter.limit !== undefined || page.next === undefined) return all
      after = page.next
    }
  }
}

/** Names for scenarios that were given none. */
let scenarios = 0

function errorIn (text: string): { code?: string, message?: string, hint?: string } | undefined {
  try {
    return (JSON.parse(text) as { error?: object }).error
  } catch {
    return undefined
  }
}
