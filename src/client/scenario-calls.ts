import { RequestCalls } from './request-calls.ts'
import type {
  Duration,
  EffectOptions,
  FailureCodeOf,
  Outage,
  OutcomeOptions,
  PayableKind,
  ProviderCode,
  ProviderStates,
  QueueingKind,
  RejectionCodeOf,
  Scenario
} from './requests.ts'
import type { AddedScenario, ProviderState, ScenarioCheck } from './responses.ts'

/** First step of a script, as early as in the usual one. */
const processing = { after: '50ms', to: 'PROCESSING' } as const
/** Delay of the last step, as in the usual script. */
const usualDelay = '450ms'

/** Calls that decide about the next payments: scenarios, short forms of them, and providers. */
export class ScenarioCalls extends RequestCalls {
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
    { operations, state = 'CLOSED', for: time }: Outage = {}
  ): Promise<ProviderState & { released: number }> {
    const affected = operations ?? (['DEPOSIT', 'PAYOUT', 'REFUND', 'REMITTANCE'] as const)
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

  /** Adds a scenario for payments of a kind. */
  #affect (
    kind: PayableKind | 'checkout',
    effect: Scenario,
    { when, ...options }: EffectOptions = {}
  ): Promise<AddedScenario> {
    return this.scenario({ ...effect, ...options, when: { ...when, kind } })
  }
}
