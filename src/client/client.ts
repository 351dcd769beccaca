import { AdminConnection, buildQuery } from './admin-connection.ts'
import { operations } from '../domain/kinds.ts'
import { ExpectationFailed } from './errors.ts'
import { checkValues } from './matcher-values.ts'
import type {
  Account,
  AccountChanges,
  AddedScenario,
  Advance,
  Callback,
  CallbackFilter,
  CallbackMatcher,
  CallbackToSend,
  CallbackToSign,
  Clock,
  ClockAdvance,
  ClockSettings,
  CountFilter,
  Coverage,
  CoverageOptions,
  Duration,
  EffectOptions,
  EventWaitOptions,
  ExamReport,
  ExampleRequest,
  ExampleTerms,
  Expectation,
  FailureCode,
  FailureCodeOf,
  Invariants,
  JournalEntry,
  Kind,
  Lint,
  ListedAccount,
  NewAccountSettings,
  Outage,
  OutcomeOptions,
  PastedRequest,
  PayableKind,
  Payment,
  PaymentCode,
  PaymentCounts,
  PaymentFilter,
  PaymentMatcher,
  PaymentStatus,
  PaymentSummary,
  Phone,
  PromptDecision,
  ProviderCode,
  ProviderState,
  ProviderStates,
  PublishedKeys,
  QueueingKind,
  Rate,
  RejectionCodeOf,
  RequestMatcher,
  Reset,
  ResetPart,
  Scenario,
  ScenarioCheck,
  SendTerms,
  SentRequest,
  SetAsidePayment,
  SignatureExplanation,
  SignedCallback,
  Sink,
  SinkAnswers,
  SinkOrders,
  Snapshot,
  StatusCheckAnswers,
  StatusCheckOrders,
  TestNumber,
  VerifyResult,
  WaitGoal,
  WaitOptions,
  Wallet
} from './types.ts'

export { MomockError } from './errors.ts'

/** First step of a script, as early as in the usual one. */
const processing = { after: '50ms', to: 'PROCESSING' } as const
/** Delay of the last step, as in the usual script. */
const usualDelay = '450ms'

/**
 * Client of the admin API, as one account. It uses HTTP, so it works the same for a mock in this
 * process and a mock in a container.
 */
export class MomockClient extends AdminConnection {
  /** Number of the last request that was reported as unmatched. */
  #reported = 0

  // Payments

  /**
   * Makes an example request, sends it as the merchant, and returns its identifier and the answer:
   * `send('deposit', { amount: '15' })`.
   */
  send (kind: Kind, terms: SendTerms = {}): Promise<SentRequest> {
    return this.call('POST', '/send', { ...terms, kind })
  }

  /** Makes an example of a request that is accepted. Nothing is sent. */
  example (terms: ExampleTerms = {}): Promise<ExampleRequest> {
    return this.call('GET', `/examples${buildQuery({ ...terms })}`)
  }

  /** Shows a payment with its history, wallet entries and callbacks. */
  payment (kind: Kind, id: string): Promise<Payment> {
    return this.call('GET', `/payments/${kind}/${id}`)
  }

  /** Lists the payments of the account, oldest first by default. */
  payments (filter: PaymentFilter = {}): Promise<PaymentSummary[]> {
    return this.listAll('/payments', 'payments', { ...filter })
  }

  /** Counts the payments of the account by kind and status. */
  paymentCounts (filter: CountFilter = {}): Promise<PaymentCounts> {
    return this.call('GET', `/payments/counts${buildQuery({ ...filter })}`)
  }

  /**
   * Moves a payment to another status now, through the statuses between, with its money and its
   * callback.
   */
  move (kind: Kind, id: string, to: PaymentStatus, failureCode?: FailureCode): Promise<Payment> {
    return this.call('POST', `/payments/${kind}/${id}/move`, {
      to,
      ...(failureCode !== undefined && { failureCode })
    })
  }

  /** Waits until a payment is final, or for another goal. Rejects when the time is up. */
  wait (kind: Kind, id: string, options: WaitOptions | WaitGoal = {}): Promise<Payment> {
    return this.call('POST', '/wait', {
      kind,
      id,
      ...(typeof options === 'string' ? { until: options } : options)
    })
  }

  /** Lists the payments that were set aside because a step of them failed. */
  setAsidePayments (): Promise<SetAsidePayment[]> {
    return this.listAll('/set-aside', 'payments', {})
  }

  /** Tries again to move a payment that was set aside. */
  retrySetAside (number: number): Promise<void> {
    return this.call('POST', `/set-aside/${number}/retry`)
  }

  /** Lists the codes of failed and rejected payments, with a sentence for customers. */
  async codes (): Promise<PaymentCode[]> {
    return (await this.call<{ codes: PaymentCode[] }>('GET', '/codes')).codes
  }

  /** Lists the phone numbers that decide a payment. */
  async testNumbers (): Promise<TestNumber[]> {
    return (await this.call<{ testNumbers: TestNumber[] }>('GET', '/test-numbers')).testNumbers
  }

  /** Shows the phone of a customer. */
  phone (phoneNumber: string): Promise<Phone> {
    return this.call('GET', `/phone/${phoneNumber}`)
  }

  /** Answers the prompt of a deposit on the phone of the customer. */
  answerPhone (phoneNumber: string, depositId: string, decision: PromptDecision): Promise<Phone> {
    return this.call('POST', `/phone/${phoneNumber}/deposits/${depositId}`, { decision })
  }

  // Clock

  /**
   * Advances the clock by a duration, to a time, or until nothing is due. Resolves after
   * everything that became due has happened.
   */
  advance (by: Duration | ClockAdvance): Promise<Advance> {
    return this.call('POST', '/clock/advance', typeof by === 'object' ? by : { by })
  }

  /** Shows the clock of the account. */
  clock (): Promise<Clock> {
    return this.call('GET', '/clock')
  }

  /** Sets, starts, freezes, speeds up or slows down the clock. */
  setClock (clock: ClockSettings): Promise<Clock> {
    return this.call('PUT', '/clock', clock)
  }

  // Outcomes of the next payments

  /** Adds a scenario to the account. A scenario without a name gets one. */
  scenario (scenario: Scenario): Promise<AddedScenario> {
    return this.call('POST', '/scenarios', scenario)
  }

  /** Lists the scenarios that were added, the newest first. */
  async scenarios (): Promise<AddedScenario[]> {
    return (await this.call<{ scenarios: AddedScenario[] }>('GET', '/scenarios')).scenarios
  }

  /** Checks a scenario in YAML or JSON without adding it. */
  checkScenario (text: string): Promise<ScenarioCheck> {
    return this.call('POST', '/scenarios/check', { text })
  }

  /** Removes a scenario that was added. */
  removeScenario (name: string): Promise<void> {
    return this.call('DELETE', `/scenarios/${encodeURIComponent(name)}`)
  }

  /** Lets payments fail: `fail('deposit', 'INSUFFICIENT_BALANCE', { times: 1 })`. */
  fail<Kind extends PayableKind | 'checkout'>(
    kind: Kind,
    failureCode: FailureCodeOf<Kind>,
    { after = usualDelay, ...options }: OutcomeOptions = {}
  ): Promise<AddedScenario> {
    const end = { after, to: 'FAILED', failureCode } as const
    return this.#affect(kind, { script: kind === 'checkout' ? [end] : [processing, end] }, options)
  }

  /** Lets payments complete, also those of test numbers that fail. */
  complete (
    kind: PayableKind,
    { after = usualDelay, ...options }: OutcomeOptions = {}
  ): Promise<AddedScenario> {
    return this.#affect(kind, { script: [processing, { after, to: 'COMPLETED' }] }, options)
  }

  /** Lets payments stay in PROCESSING, until `move()` moves them. */
  keepPending (kind: PayableKind, options?: EffectOptions): Promise<AddedScenario> {
    return this.#affect(kind, { script: [processing] }, options)
  }

  /** Lets payments wait in ENQUEUED for a time, then complete. */
  enqueue (kind: QueueingKind, time: Duration, options?: EffectOptions): Promise<AddedScenario> {
    const script = [
      { ...processing, to: 'ENQUEUED' as const },
      { after: time, to: 'PROCESSING' as const },
      { after: usualDelay, to: 'COMPLETED' as const }
    ]
    return this.#affect(kind, { script }, options)
  }

  /** Rejects payments when they are initiated: `reject('payout', 'INVALID_AMOUNT')`. */
  reject<Kind extends PayableKind>(
    kind: Kind,
    code: RejectionCodeOf<Kind>,
    options?: EffectOptions
  ): Promise<AddedScenario> {
    return this.#affect(kind, { reject: code }, options)
  }

  /** Answers initiations with an HTTP error; nothing is stored. */
  refuse (
    kind: PayableKind,
    status: NonNullable<Scenario['http']>['status'],
    options?: EffectOptions
  ): Promise<AddedScenario> {
    return this.#affect(kind, { http: { status } }, options)
  }

  /** Answers initiations late. The payment is stored at once. */
  delay (kind: PayableKind, latency: Duration, options?: EffectOptions): Promise<AddedScenario> {
    return this.#affect(kind, { latency }, options)
  }

  /** Stores payments, but loses the answers: the connection ends without one. */
  loseAnswer (kind: PayableKind, options?: EffectOptions): Promise<AddedScenario> {
    return this.#affect(kind, { fault: 'lost' }, options)
  }

  /** Sends callbacks more than once; `duplicates` is the number of further ones, 1 by default. */
  duplicateCallback (
    kind: PayableKind,
    { duplicates = 1, ...options }: EffectOptions & { duplicates?: number } = {}
  ): Promise<AddedScenario> {
    return this.#affect(kind, { callback: { duplicates } }, options)
  }

  /** Sends callbacks late. */
  delayCallback (
    kind: PayableKind,
    delay: Duration,
    options?: EffectOptions
  ): Promise<AddedScenario> {
    return this.#affect(kind, { callback: { delay } }, options)
  }

  /** Never sends the callbacks. */
  dropCallback (kind: PayableKind, options?: EffectOptions): Promise<AddedScenario> {
    return this.#affect(kind, { callback: { drop: true } }, options)
  }

  /**
   * Closes a provider, for all operations or some: `outage('MTN_MOMO_ZMB', { for: '10m' })`. With
   * `state: 'DELAYED'` its payments wait. It lasts until `provider()` sets it to OPERATIONAL.
   */
  outage (
    provider: ProviderCode,
    { operations: wanted, state = 'CLOSED', for: time }: Outage = {}
  ): Promise<ProviderState & { released: number }> {
    const affected = wanted ?? operations
    return this.provider(provider, {
      ...Object.fromEntries(affected.map((operation) => [operation, state])),
      ...(time !== undefined && { for: time })
    })
  }

  /** Sets a provider to OPERATIONAL, DELAYED or CLOSED, per operation type. */
  provider (
    provider: ProviderCode,
    states: ProviderStates
  ): Promise<ProviderState & { released: number }> {
    return this.call('PUT', `/providers/${encodeURIComponent(provider)}`, states)
  }

  /** Lists the providers whose availability was set. */
  async providers (): Promise<ProviderState[]> {
    return (await this.call<{ providers: ProviderState[] }>('GET', '/providers')).providers
  }

  /** Shows the ordered answers to the next status checks. */
  statusChecks (): Promise<StatusCheckOrders> {
    return this.call('GET', '/status-checks')
  }

  /** Sets the answers to the next status checks. Without any, they are answered as usual. */
  orderStatusChecks (orders: StatusCheckAnswers): Promise<StatusCheckOrders> {
    return this.call('PUT', '/status-checks', orders)
  }

  // Requests, waits and expectations

  /** Lists the requests of the account that match, newest first. */
  async requests (matcher: RequestMatcher = {}): Promise<JournalEntry[]> {
    checkValues('requests()', 'matcher', matcher)
    return await this.listJournal('POST', '/requests/find', matcher)
  }

  /** Lists the requests whose operation or account does not exist, newest first. */
  async unmatchedRequests (): Promise<JournalEntry[]> {
    return await this.listJournal('GET', '/requests/unmatched')
  }

  /** Lists the refused requests, each with the nearest valid request, newest first. */
  async refusedRequests (): Promise<JournalEntry[]> {
    const query = { outcome: 'refused', nearest: 'true' }
    return await this.listJournal('GET', '/requests', undefined, query)
  }

  /** Throws if requests had no operation or no account. Reports each of them once. */
  async expectNoUnmatched (): Promise<void> {
    const unmatched = (await this.unmatchedRequests()).filter(({ id }) => id > this.#reported)
    if (unmatched.length === 0) return
    this.#reported = unmatched[0].id
    const { explainUnmatched } = await import('./unmatched.ts')
    throw explainUnmatched(unmatched)
  }

  /** Waits for a request that matches, also an earlier one. `count` waits for that many. */
  async waitForRequest (
    matcher: RequestMatcher,
    options: EventWaitOptions = {}
  ): Promise<JournalEntry> {
    checkValues('waitForRequest()', 'matcher', matcher)
    return await this.call('POST', '/wait/request', { matcher, ...options })
  }

  /** Waits for a callback that matches, such as `{ kind: 'deposit', state: 'ACKNOWLEDGED' }`. */
  async waitForCallback (
    matcher: CallbackMatcher,
    options: EventWaitOptions = {}
  ): Promise<Callback> {
    checkValues('waitForCallback()', 'matcher', matcher)
    return await this.call('POST', '/wait/callback', { matcher, ...options })
  }

  /** Waits for a payment that matches, such as `{ kind: 'deposit', amount: 15 }`. */
  async waitForPayment (matcher: PaymentMatcher, options: EventWaitOptions = {}): Promise<Payment> {
    checkValues('waitForPayment()', 'matcher', matcher)
    return await this.call('POST', '/wait/payment', { matcher, ...options })
  }

  /** Counts the requests of the account that match. */
  async count (matcher: RequestMatcher = {}): Promise<number> {
    checkValues('count()', 'matcher', matcher)
    return (await this.call<{ count: number }>('POST', '/requests/count', matcher)).count
  }

  /** Clears the request journal. */
  forgetRequests (): Promise<void> {
    return this.call('DELETE', '/requests')
  }

  /** Compares expectations with the requests, callbacks and payments of the account. */
  async verify (expectations: Expectation[]): Promise<VerifyResult> {
    for (const [n, expectation] of Object.entries(expectations ?? [])) {
      for (const [word, value] of Object.entries(expectation ?? {})) {
        // A word that is undefined is left out, as an option is.
        if (value !== undefined) checkValues('verify()', `expectations.${n}.${word}`, value)
      }
    }
    return await this.call('POST', '/verify', { expectations })
  }

  /**
   * Throws an `ExpectationFailed` unless all expectations are met. Its message names each that is
   * not, with the nearest candidate and its differences.
   */
  async expect (...expectations: Expectation[]): Promise<void> {
    if (this.options.onUnmatched === 'throw') await this.expectNoUnmatched()
    const { failed } = await this.verify(expectations)
    if (failed.length === 0) return
    const { describeFailures } = await import('./failure-text.ts')
    throw new ExpectationFailed(describeFailures(expectations, failed), failed)
  }

  // Callbacks and signatures

  /** Lists the callbacks of the account with every attempt, oldest first by default. */
  callbacks (filter: CallbackFilter = {}): Promise<Callback[]> {
    return this.listAll('/callbacks', 'callbacks', { ...filter })
  }

  /** Sends a callback again, with a new signature. On a frozen clock it waits for an advance. */
  resendCallback (id: number): Promise<Callback> {
    return this.call('POST', `/callbacks/${id}/resend`)
  }

  /**
   * Sends a callback about a payment now: correct, stale, duplicated, about an earlier status, or
   * forged: `{ status: 'COMPLETED', wrongKey: true }`. The payment does not change. On a frozen
   * clock the callback waits for an advance.
   */
  sendCallback (kind: Kind, id: string, callback: CallbackToSend = {}): Promise<Payment> {
    return this.call('POST', `/payments/${kind}/${id}/callbacks`, callback)
  }

  /** Shows the callbacks that a sink received. */
  sink (name: string): Promise<Sink> {
    return this.call('GET', `/sink/${name}`)
  }

  /** Sets the answers of a sink to the next callbacks, such as `[500, 200]`. */
  orderSink (name: string, orders: SinkAnswers): Promise<SinkOrders> {
    return this.call('PUT', `/sink/${name}`, orders)
  }

  /** Deletes the callbacks and the answers of a sink. */
  emptySink (name: string): Promise<void> {
    return this.call('DELETE', `/sink/${name}`)
  }

  /** Explains the signature of a request: the signature base and everything that is wrong. */
  explainSignature (request: PastedRequest): Promise<SignatureExplanation> {
    return this.call('POST', '/signatures/explain', request)
  }

  /** Signs a callback of your own, as the server would. Nothing is sent. */
  signCallback (callback: CallbackToSign): Promise<SignedCallback> {
    return this.call('POST', '/signatures/sign', callback)
  }

  /** Signs with a new key from now on, for all accounts. */
  rotateKeys (): Promise<PublishedKeys> {
    return this.call('POST', '/keys/rotate')
  }

  // Accounts and wallets

  /** Returns a client for another account. Any token that begins with `sandbox-` has its own. */
  as (token: string): MomockClient {
    return new MomockClient(this.url, token, this.options)
  }

  /** Shows the settings of the account. */
  account (): Promise<Account> {
    return this.call('GET', '/account')
  }

  /**
   * Changes settings of the account, such as `{ callbacks: 'http://127.0.0.1:3000/callbacks' }`;
   * null removes a setting.
   */
  configure (changes: AccountChanges): Promise<Account> {
    return this.call('PATCH', '/account', changes)
  }

  /** Lists all accounts. */
  async accounts (): Promise<ListedAccount[]> {
    return (await this.call<{ accounts: ListedAccount[] }>('GET', '/accounts')).accounts
  }

  /** Creates an account and returns its client. A name and a token are generated if absent. */
  async createAccount (settings: NewAccountSettings = {}): Promise<MomockClient> {
    const created = await this.call<{ settings: { tokens: Array<{ token: string }> } }>(
      'POST',
      '/accounts',
      settings
    )
    return this.as(created.settings.tokens[0].token)
  }

  /** Deletes an account with everything in it. */
  deleteAccount (name: string): Promise<void> {
    return this.call('DELETE', `/accounts/${encodeURIComponent(name)}`)
  }

  /**
   * Resets the account to its start. `keep` names parts that stay, such as `clock`. The coverage
   * stays unless `forget` names it.
   */
  async reset (wishes: { keep?: ResetPart[]; forget?: ['coverage'] } = {}): Promise<Reset> {
    if (this.options.onUnmatched === 'throw') await this.expectNoUnmatched()
    return await this.call('POST', '/reset', wishes)
  }

  /** Lists the wallets of the account, used or not, or those of one country. */
  async wallets (filter: { country?: string } = {}): Promise<Wallet[]> {
    const path = `/wallets${buildQuery(filter)}`
    return (await this.call<{ wallets: Wallet[] }>('GET', path)).wallets
  }

  /** Sets the available money of a wallet, such as `'500.00'`. */
  setWallet (country: string, currency: string, available: string): Promise<Wallet> {
    return this.call('PUT', `/wallets/${country}/${currency}`, { available })
  }

  /** Adds money to a wallet. */
  topUpWallet (country: string, currency: string, amount: string): Promise<Wallet> {
    return this.call('POST', `/wallets/${country}/${currency}/top-up`, { amount })
  }

  // Snapshots

  /** Takes a snapshot of the account. */
  snapshot (name: string): Promise<Snapshot> {
    return this.call('POST', '/snapshots', { name })
  }

  /** Lists the snapshots of the account. */
  async snapshots (): Promise<Snapshot[]> {
    return (await this.call<{ snapshots: Snapshot[] }>('GET', '/snapshots')).snapshots
  }

  /** Restores the account from a snapshot. */
  restore (name: string): Promise<Snapshot> {
    return this.call('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
  }

  /** Deletes a snapshot. */
  deleteSnapshot (name: string): Promise<void> {
    return this.call('DELETE', `/snapshots/${encodeURIComponent(name)}`)
  }

  /** Exports a snapshot as a file, which a server of the same version can import. */
  exportSnapshot (name: string): Promise<Uint8Array> {
    return this.download(`/snapshots/${encodeURIComponent(name)}/file`)
  }

  /** Imports a snapshot from the file of an export. */
  importSnapshot (name: string, file: Uint8Array): Promise<Snapshot> {
    return this.call('PUT', `/snapshots/${encodeURIComponent(name)}/file`, file)
  }

  // Reports

  /** Shows which features of the API the account has used. */
  coverage (options: CoverageOptions = {}): Promise<Coverage> {
    const query = buildQuery({ ...options, groups: options.groups?.join(',') })
    return this.call('GET', `/coverage${query}`)
  }

  /** The coverage as JUnit XML, with a test case that fails if less than `min` is covered. */
  coverageReport (options: CoverageOptions = {}): Promise<string> {
    const query = buildQuery({ format: 'junit', ...options, groups: options.groups?.join(',') })
    return this.call('GET', `/coverage${query}`)
  }

  /**
   * Lists what the requests of the account do that v2 refuses or that the public rules warn about.
   * `ignore` names rules to leave out.
   */
  lint (options: { ignore?: string[] } = {}): Promise<Lint> {
    return this.call('GET', `/lint${buildQuery({ ignore: options.ignore?.join(',') })}`)
  }

  /** The same findings as JUnit XML, one test case per rule. */
  lintReport (options: { ignore?: string[] } = {}): Promise<string> {
    const query = buildQuery({ format: 'junit', ignore: options.ignore?.join(',') })
    return this.call('GET', `/lint${query}`)
  }

  /** Checks the invariants of the account. */
  invariants (): Promise<Invariants> {
    return this.call('GET', '/invariants')
  }

  /** Shows the metrics of the whole server in the text format of Prometheus. */
  metrics (): Promise<string> {
    return this.call('GET', '/metrics')
  }

  /** Shows requests, payments and callbacks per second of the whole server. */
  async rates (): Promise<Rate[]> {
    return (await this.call<{ samples: Rate[] }>('GET', '/rates')).samples
  }

  /** Downloads an archive (tar.gz) with everything about the account, for a bug report. */
  bundle (): Promise<Uint8Array> {
    return this.download('/bundle')
  }

  /** Shows the last report of `momock exam` for the account. */
  examReport (): Promise<ExamReport> {
    return this.call('GET', '/exam')
  }

  /** Keeps a report of `momock exam`, for `GET /__admin/exam`. */
  saveExamReport (report: ExamReport): Promise<void> {
    return this.call('PUT', '/exam/report', report)
  }

  /** Adds a scenario for payments of a kind. */
  #affect (
    kind: PayableKind | 'checkout',
    effect: Scenario,
    { when, ...options }: EffectOptions = {}
  ): Promise<AddedScenario> {
    return this.scenario({ ...effect, ...options, when: { ...when, kind } })
  }
}
