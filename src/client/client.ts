import { buildQuery } from './admin-connection.ts'
import { ScenarioCalls } from './scenario-calls.ts'
import type {
  AccountChanges,
  ClockAdvance,
  ClockSettings,
  CountFilter,
  CoverageOptions,
  Duration,
  ExampleTerms,
  FailureCode,
  Kind,
  NewAccountSettings,
  PaymentFilter,
  PaymentStatus,
  PromptDecision,
  ResetPart,
  StatusCheckAnswers,
  WaitGoal,
  WaitOptions
} from './requests.ts'
import type {
  Account,
  Advance,
  Clock,
  Coverage,
  ExampleRequest,
  ExamReport,
  Invariants,
  Lint,
  ListedAccount,
  Payment,
  PaymentCounts,
  PaymentSummary,
  Phone,
  PaymentCode,
  Rate,
  Reset,
  SentRequest,
  SetAsidePayment,
  Snapshot,
  StatusCheckOrders,
  TestNumber
} from './responses.ts'

export { MomockError } from './errors.ts'

/**
 * Client of the admin API, as one account. It uses HTTP, so it works the same for a mock in this
 * process and a mock in a container.
 */
export class MomockClient extends ScenarioCalls {
  /** Returns a client for another account. Any token that begins with `sandbox-` has its own. */
  as (token: string): MomockClient {
    return new MomockClient(this.url, token, this.options)
  }

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

  /** Waits until a payment is final, or for another goal. Rejects when the time is up. */
  wait (kind: Kind, id: string, options: WaitOptions | WaitGoal = {}): Promise<Payment> {
    return this.call('POST', '/wait', {
      kind,
      id,
      ...(typeof options === 'string' ? { until: options } : options)
    })
  }

  /** Lists the payments of the account, oldest first by default. */
  payments (filter: PaymentFilter = {}): Promise<PaymentSummary[]> {
    return this.listAll('/payments', 'payments', { ...filter })
  }

  /** Counts the payments of the account by kind and status. */
  paymentCounts (filter: CountFilter = {}): Promise<PaymentCounts> {
    return this.call('GET', `/payments/counts${buildQuery({ ...filter })}`)
  }

  /** Shows a payment with its history, wallet entries and callbacks. */
  payment (kind: Kind, id: string): Promise<Payment> {
    return this.call('GET', `/payments/${kind}/${id}`)
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

  /** Shows the phone of a customer. */
  phone (phoneNumber: string): Promise<Phone> {
    return this.call('GET', `/phone/${phoneNumber}`)
  }

  /** Answers the prompt of a deposit on the phone of the customer. */
  answerPhone (phoneNumber: string, depositId: string, decision: PromptDecision): Promise<Phone> {
    return this.call('POST', `/phone/${phoneNumber}/deposits/${depositId}`, { decision })
  }

  /**
   * Resets the account to its start. `keep` names parts that stay, such as `clock`. The coverage
   * stays unless `forget` names it.
   */
  async reset (wishes: { keep?: ResetPart[]; forget?: ['coverage'] } = {}): Promise<Reset> {
    if (this.options.onUnmatched === 'throw') await this.expectNoUnmatched()
    return await this.call('POST', '/reset', wishes)
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

  /** Takes a snapshot of the account. */
  snapshot (name: string): Promise<Snapshot> {
    return this.call('POST', '/snapshots', { name })
  }

  /** Lists the snapshots of the account. */
  async snapshots (): Promise<Snapshot[]> {
    return (await this.call<{ snapshots: Snapshot[] }>('GET', '/snapshots')).snapshots
  }

  /** Lists the payments that were set aside because a step of them failed. */
  setAsidePayments (): Promise<SetAsidePayment[]> {
    return this.listAll('/set-aside', 'payments', {})
  }

  /** Tries again to move a payment that was set aside. */
  retrySetAside (number: number): Promise<void> {
    return this.call('POST', `/set-aside/${number}/retry`)
  }

  /** Restores the account from a snapshot. */
  restore (name: string): Promise<Snapshot> {
    return this.call('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
  }

  /** Deletes a snapshot. */
  deleteSnapshot (name: string): Promise<void> {
    return this.call('DELETE', `/snapshots/${encodeURIComponent(name)}`)
  }

  /** Checks the invariants of the account. */
  invariants (): Promise<Invariants> {
    return this.call('GET', '/invariants')
  }

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

  /** Shows the metrics of the whole server in the text format of Prometheus. */
  metrics (): Promise<string> {
    return this.call('GET', '/metrics')
  }

  /** Shows requests, payments and callbacks per second of the whole server. */
  async rates (): Promise<Rate[]> {
    return (await this.call<{ samples: Rate[] }>('GET', '/rates')).samples
  }

  /** Lists the codes of failed and rejected payments, with a sentence for customers. */
  async codes (): Promise<PaymentCode[]> {
    return (await this.call<{ codes: PaymentCode[] }>('GET', '/codes')).codes
  }

  /** Lists the phone numbers that decide a payment. */
  async testNumbers (): Promise<TestNumber[]> {
    return (await this.call<{ testNumbers: TestNumber[] }>('GET', '/test-numbers')).testNumbers
  }

  /** Makes an example of a request that is accepted. Nothing is sent. */
  example (terms: ExampleTerms = {}): Promise<ExampleRequest> {
    return this.call('GET', `/examples${buildQuery({ ...terms })}`)
  }

  /**
   * Makes an example request, sends it as the merchant, and returns its identifier and the answer:
   * `send('deposit', { amount: '15' })`.
   */
  async send (kind: Kind, terms: Omit<ExampleTerms, 'kind'> = {}): Promise<SentRequest> {
    const request = await this.example({ ...terms, kind })
    const answer = await this.pay(request.path, request.body)
    return { id: String(request.body[`${kind}Id`]), request, ...answer } as SentRequest
  }

  /** Shows the ordered answers to the next status checks. */
  statusChecks (): Promise<StatusCheckOrders> {
    return this.call('GET', '/status-checks')
  }

  /** Sets the answers to the next status checks. Without any, they are answered as usual. */
  orderStatusChecks (orders: StatusCheckAnswers): Promise<StatusCheckOrders> {
    return this.call('PUT', '/status-checks', orders)
  }

  /** Shows the last report of `momock exam` for the account. */
  examReport (): Promise<ExamReport> {
    return this.call('GET', '/exam')
  }

  /** Keeps a report of `momock exam`, for `GET /__admin/exam`. */
  saveExamReport (report: ExamReport): Promise<void> {
    return this.call('PUT', '/exam/report', report)
  }
}
