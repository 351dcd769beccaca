import type {
  Account,
  AddedScenario,
  Advance,
  Callback,
  Clock,
  Coverage,
  Invariants,
  JournalEntry,
  Lint,
  ListedAccount,
  Payment,
  PaymentSummary,
  Phone,
  ProviderState,
  PublishedKeys,
  Reset,
  SignatureExplanation,
  Sink,
  SinkOrders,
  Snapshot,
  VerifyResult
} from './responses.ts'
import { readError, MomockError } from './momock-error.ts'
import type {
  AccountChanges,
  AccountSettings,
  Availability,
  CallbackFilter,
  CoverageOptions,
  Duration,
  Expectation,
  Kind,
  Operation,
  PastedRequest,
  PaymentFilter,
  RequestMatcher,
  ResetPart,
  Scenario,
  SinkAnswer
} from './requests.ts'

/**
 * What a tester does to the mock, over HTTP: the same whether it runs in this process or in a
 * container.
 */

export { MomockError } from './momock-error.ts'

/** What is waited for, and how long. */
export interface WaitOptions {
  /**
   * A status, or `final` (when left out), or `acknowledged`: final, and the merchant has answered
   * its callbacks with 2xx.
   */
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

  /**
   * The same mock, as another account: every token that begins with `sandbox-` opens one of its
   * own.
   */
  as (token: string): MomockClient {
    return new MomockClient(this.url, token, this.#adminToken)
  }

  /**
   * Moves the clock on, by a while, to a time, or until nothing more is due; everything that fell
   * due has happened then.
   */
  advance (by: Duration | { by: Duration } | { to: string } | { until: 'idle' }): Promise<Advance> {
    return this.call('POST', '/clock/advance', typeof by === 'object' ? by : { by })
  }

  /** What the clock shows. */
  clock (): Promise<Clock> {
    return this.call('GET', '/clock')
  }

  /** Sets the clock, lets it run, faster or slower, or freezes it. */
  setClock (clock: { mode: 'running' | 'frozen'; now?: string; speed?: number }): Promise<Clock> {
    return this.call('PUT', '/clock', clock)
  }

  /**
   * Waits for a payment: until it is final, when nothing else is said. Fails when it does not come
   * to pass in time.
   */
  wait (kind: Kind, id: string, options: WaitOptions | string = {}): Promise<Payment> {
    return this.call('POST', '/wait', {
      kind,
      id,
      ...(typeof options === 'string' ? { until: options } : options)
    })
  }

  /** The payments of the account, oldest first. */
  payments (filter: PaymentFilter = {}): Promise<PaymentSummary[]> {
    return this.#list('/payments', 'payments', { ...filter })
  }

  payment (kind: Kind, id: string): Promise<Payment> {
    return this.call('GET', `/payments/${kind}/${id}`)
  }

  /** Puts a payment into another state, now, with its money and its callback. */
  move (kind: Kind, id: string, to: string, failureCode?: string): Promise<Payment> {
    return this.call('POST', `/payments/${kind}/${id}/move`, {
      to,
      ...(failureCode !== undefined && { failureCode })
    })
  }

  /**
   * The callbacks of the account with every attempt, oldest first unless `order` says otherwise.
   */
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
  provider (
    provider: string,
    states: Partial<Record<Operation, Availability>>
  ): Promise<ProviderState & { released: number }> {
    return this.call('PUT', `/providers/${encodeURIComponent(provider)}`, states)
  }

  /** The providers whose state was set. */
  async providers (): Promise<ProviderState[]> {
    return (await this.call<{ providers: ProviderState[] }>('GET', '/providers')).providers
  }

  /** What the phone of a customer shows. */
  phone (phoneNumber: string): Promise<Phone> {
    return this.call('GET', `/phone/${phoneNumber}`)
  }

  /** Answers the prompt of a deposit on the phone of the customer. */
  answerPhone (
    phoneNumber: string,
    depositId: string,
    decision: 'approve' | 'decline' | 'ignore'
  ): Promise<Phone> {
    return this.call('POST', `/phone/${phoneNumber}/deposits/${depositId}`, { decision })
  }

  /** The requests of the account that fit, newest first. */
  async requests (matcher: RequestMatcher = {}): Promise<JournalEntry[]> {
    return await this.#journal('POST', '/requests/find', matcher)
  }

  /** The requests of the account that led nowhere, newest first. */
  async unmatchedRequests (): Promise<JournalEntry[]> {
    return await this.#journal('GET', '/requests/unmatched')
  }

  async count (matcher: RequestMatcher = {}): Promise<number> {
    return (await this.call<{ count: number }>('POST', '/requests/count', matcher)).count
  }

  forgetRequests (): Promise<void> {
    return this.call('DELETE', '/requests')
  }

  /**
   * Compares what was expected with the requests and callbacks of the account; `failed` names what
   * was otherwise.
   */
  verify (expectations: Expectation[]): Promise<VerifyResult> {
    return this.call('POST', '/verify', { expectations })
  }

  /**
   * Sets the account back to how it started; `keep` names parts that stay, such as `clock`. The
   * coverage stays unless it is to be forgotten.
   */
  reset (wishes: { keep?: ResetPart[]; forget?: ['coverage'] } = {}): Promise<Reset> {
    return this.call('POST', '/reset', wishes)
  }

  /** The settings of the account. */
  account (): Promise<Account> {
    return this.call('GET', '/account')
  }

  /** Changes settings of the account; null takes one away. */
  configure (changes: AccountChanges): Promise<Account> {
    return this.call('PATCH', '/account', changes)
  }

  /** Every account there is. */
  async accounts (): Promise<ListedAccount[]> {
    return (await this.call<{ accounts: ListedAccount[] }>('GET', '/accounts')).accounts
  }

  /**
   * Makes an account and gives the client for it. It is given a name and a token if it has none.
   */
  async createAccount (settings: Partial<AccountSettings> = {}): Promise<MomockClient> {
    const {
      settings: { tokens }
    } = await this.call<{ settings: { tokens: Array<{ token: string }> } }>(
      'POST',
      '/accounts',
      settings
    )
    return this.as(tokens[0].token)
  }

  /** Takes an account away with everything it holds. */
  deleteAccount (name: string): Promise<void> {
    return this.call('DELETE', `/accounts/${encodeURIComponent(name)}`)
  }

  /** Keeps the account as it is now, to go back to. */
  snapshot (name: string): Promise<Snapshot> {
    return this.call('POST', '/snapshots', { name })
  }

  async snapshots (): Promise<Snapshot[]> {
    return (await this.call<{ snapshots: Snapshot[] }>('GET', '/snapshots')).snapshots
  }

  /** Puts the account back to a snapshot. */
  restore (name: string): Promise<Snapshot> {
    return this.call('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
  }

  deleteSnapshot (name: string): Promise<void> {
    return this.call('DELETE', `/snapshots/${encodeURIComponent(name)}`)
  }

  /** Is everything in the account as it must always be? */
  invariants (): Promise<Invariants> {
    return this.call('GET', '/invariants')
  }

  /** What of the API the account's traffic has exercised, and what not. */
  coverage (options: CoverageOptions = {}): Promise<Coverage> {
    return this.call(
      'GET',
      `/coverage${buildQuery({ ...options, groups: options.groups?.join(',') })}`
    )
  }

  /** The same as JUnit XML, with a test case that fails when less than `min` is covered. */
  coverageReport (options: CoverageOptions = {}): Promise<string> {
    return this.call(
      'GET',
      `/coverage${buildQuery({ format: 'junit', ...options, groups: options.groups?.join(',') })}`
    )
  }

  /**
   * Findings about the account's requests: what v2 refuses and what the public rules warn about.
   * `ignore` names rules to leave out.
   */
  lint (options: { ignore?: string[] } = {}): Promise<Lint> {
    return this.call('GET', `/lint${buildQuery({ ignore: options.ignore?.join(',') })}`)
  }

  /** The same findings as JUnit XML, one test case per rule. */
  lintReport (options: { ignore?: string[] } = {}): Promise<string> {
    return this.call(
      'GET',
      `/lint${buildQuery({ format: 'junit', ignore: options.ignore?.join(',') })}`
    )
  }

  /** What the whole server has counted, for Prometheus. */
  metrics (): Promise<string> {
    return this.call('GET', '/metrics')
  }

  /** What a built-in receiver has taken in. */
  sink (name: string): Promise<Sink> {
    return this.call('GET', `/sink/${name}`)
  }

  /** Tells a built-in receiver what to answer the next callbacks, such as `[500, 200]`. */
  orderSink (
    name: string,
    orders: SinkAnswer[] | { answers?: SinkAnswer[]; delay?: Duration; then?: SinkAnswer }
  ): Promise<SinkOrders> {
    return this.call('PUT', `/sink/${name}`, orders)
  }

  /** Has a built-in receiver forget what it has taken in, and what it was told. */
  emptySink (name: string): Promise<void> {
    return this.call('DELETE', `/sink/${name}`)
  }

  /** Why a signature is refused, or that it is not. */
  explainSignature (request: PastedRequest): Promise<SignatureExplanation> {
    return this.call('POST', '/signatures/explain', request)
  }

  /** Has the whole server sign with a new key from now on. */
  rotateKeys (): Promise<PublishedKeys> {
    return this.call('POST', '/keys/rotate')
  }

  /** Any call under `/__admin`, with the tokens it needs. What is not JSON comes as text. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
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
    if (!response.ok) {
      throw new MomockError(`${method} /__admin${path}`, response.status, readError(text))
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T
  }

  /** All pages of a list, or the one that was asked for. */
  async #list<T extends object>(
    path: string,
    name: string,
    filter: Record<string, string | number | undefined>
  ): Promise<T[]> {
    const all: T[] = []
    for (let after = filter.after; ;) {
      const page = await this.call<Record<string, T[]> & { next?: number }>(
        'GET',
        path + buildQuery({ limit: 1000, ...filter, after })
      )
      all.push(...page[name])
      if (filter.limit !== undefined || page.next === undefined) return all
      after = page.next
    }
  }

  /** All pages of the journal. */
  async #journal (method: string, path: string, matcher?: RequestMatcher): Promise<JournalEntry[]> {
    const all: JournalEntry[] = []
    for (;;) {
      const { requests, meta } = await this.call<{
        requests: JournalEntry[]
        meta: { total: number }
      }>(method, path + buildQuery({ limit: 1000, before: all.at(-1)?.id }), matcher)
      all.push(...requests)
      if (requests.length === meta.total) return all
    }
  }
}

/** The parameters that were given, as the query of a URL. */
function buildQuery (parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}

/** Names for scenarios that were given none. */
let scenarios = 0
