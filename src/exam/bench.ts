import { setTimeout as sleep } from 'node:timers/promises'
import { perform, type Setting } from './action.ts'
import type { PaymentRecord } from './callback.ts'
import { NotPossible, TargetProblem } from './check.ts'
import type { DriveName } from './config.ts'
import { drive } from './drive.ts'
import {
  identifiersIn,
  isInitiation,
  isKeyRequest,
  type Driven,
  type Earlier,
  type Evidence,
  type Exchange,
  type Observation
} from './evidence.ts'
import { isBooked } from './judging.ts'
import {
  systemClock,
  MomockClient,
  type FailureCode,
  type JournalEntry,
  type PaymentStatus,
  type Scenario,
  type ScenarioKind
} from './mock.ts'
import { observationOf, observe, type ObservedKind } from './observe.ts'
import type { Random } from './random.ts'
import { CallbackSender, type Posting } from './sender.ts'
import type { Settings } from './settings.ts'
import type { Values } from './template.ts'
import type { StrangerKind } from './stranger.ts'
import type { Subject } from './subject.ts'
import { MockWatcher } from './watcher.ts'

export type { Subject } from './subject.ts'

/** Intervals between questions to a merchant while the exam waits. They grow. */
const lookMs = 20
const longestLookMs = 1000

/** Test bench of a check: the mock, the merchant, and a record of all requests and answers. */
export class Bench {
  readonly mock: MomockClient
  readonly settings: Settings
  readonly watcher: MockWatcher
  readonly random: Random
  readonly #values: Values
  readonly #stop: AbortSignal
  readonly #earlier: Earlier
  readonly #sender: CallbackSender
  readonly #drives: Driven['drive'][] = []
  readonly #observations: Observation[] = []

  constructor (
    mock: MomockClient,
    settings: Settings,
    random: Random,
    values: Values,
    stop: AbortSignal,
    earlier: Earlier
  ) {
    this.mock = mock
    this.settings = settings
    this.random = random
    this.#values = { ...settings.values, ...values }
    this.#stop = stop
    this.#earlier = earlier
    this.watcher = new MockWatcher(mock, settings, stop, earlier.ids)
    this.#sender = new CallbackSender(mock, settings, stop)
  }

  #setting (more: Values = {}): Setting {
    const { folder, limits } = this.settings
    return {
      values: { ...this.#values, ...more },
      folder,
      timeoutMs: limits.requestTimeoutMs,
      stop: this.#stop
    }
  }

  /** Can the merchant start a payment of this kind? */
  canDrive (name: DriveName): boolean {
    return this.settings.config.drive?.[name] !== undefined
  }

  canObserve (kind: ObservedKind): boolean {
    return observationOf(this.settings.config, kind) !== undefined
  }

  /**
   * Leaves payments of a kind where they are after they were accepted; no callback is sent by
   * itself.
   */
  async hold (kind: ScenarioKind = 'deposit', scenario: Partial<Scenario> = {}): Promise<void> {
    await this.script(kind, {
      script: [{ after: 0, to: 'PROCESSING' }],
      callback: { drop: true },
      ...scenario
    })
  }

  async script (kind: ScenarioKind, scenario: Scenario): Promise<void> {
    await this.mock.scenario({ when: { kind }, ...scenario })
  }

  /** Lets the merchant start a payment, and finds the requests that it sent to the API. */
  async drive (name: DriveName = 'deposit', more: Values = {}): Promise<Driven> {
    const config = this.settings.config.drive?.[name]
    if (config === undefined) throw new NotPossible(`it needs drive.${name}`)
    const kind = name === 'retry' ? 'deposit' : name
    const before = await this.journal()
    const driven = await drive(name, config, systemClock.now(), this.#setting(more))
    this.#drives.push(driven)
    const isNew = (entry: JournalEntry): boolean => entry.id > (before.at(-1)?.id ?? 0)
    const isSent = (entries: JournalEntry[]): boolean =>
      entries.some((entry) => isNew(entry) && isInitiation(entry, kind))
    const { settleMs, patienceMs } = this.settings
    const entries = await this.watcher.waitForJournal(
      isSent,
      driven.reference === undefined ? settleMs : patienceMs
    )
    return {
      kind,
      reference: driven.reference,
      ids: identifiersIn(entries.filter(isNew), kind),
      drive: driven
    }
  }

  /**
   * Lets the merchant start a deposit, without a search for its requests. Used for many deposits.
   */
  async driveOnly (): Promise<Driven['drive']> {
    const config = this.settings.config.drive?.deposit
    if (config === undefined) throw new NotPossible('it needs drive.deposit')
    const driven = await drive('deposit', config, systemClock.now(), this.#setting())
    this.#drives.push(driven)
    return driven
  }

  /**
   * Returns a payment that waits: started by the merchant if it can be driven, otherwise one that
   * the merchant does not know.
   */
  async subject (kind: ObservedKind = 'deposit', more: Values = {}): Promise<Subject> {
    if (!this.canDrive(kind)) return await this.stranger(kind)
    const subject = await this.subjectOf(await this.drive(kind, more))
    const seen = await this.observe(subject)
    if (isBooked(seen)) {
      throw new NotPossible(
        `the ${kind} was booked before anything said that it was paid (see STA-01)`,
        true
      )
    }
    return subject
  }

  /** The payment of a drive, which must have been accepted. */
  async subjectOf ({
    kind,
    ids,
    reference,
    drive: { line, error, status }
  }: Driven): Promise<Subject> {
    const [id] = ids
    const payment =
      id === undefined ? undefined : await this.mock.payment(kind, id).catch(() => undefined)
    if (payment === undefined) {
      throw new NotPossible(
        `no ${kind} was accepted by the API after ${line} (${error ?? `HTTP ${status}`})`,
        true
      )
    }
    return {
      kind,
      id: payment.id,
      record: payment.record,
      ...(reference !== undefined && { reference })
    }
  }

  /** A payment of this account that the merchant did not start. */
  async stranger (kind: StrangerKind = 'deposit', version: 'v1' | 'v2' = 'v2'): Promise<Subject> {
    const { startPayment } = await import('./stranger.ts')
    const id = await startPayment(this.mock, this.random, this.settings.values, kind, version)
    return { kind, id, record: (await this.mock.payment(kind, id)).record }
  }

  /** Completes or fails a payment, and returns its record in the API. */
  async move (
    { kind, id }: Subject,
    to: PaymentStatus,
    failureCode?: FailureCode
  ): Promise<PaymentRecord> {
    return (await this.mock.move(kind, id, to, failureCode)).record
  }

  /** Posts a callback to the merchant, signed like the service by default. */
  async post (
    label: string,
    body: string | PaymentRecord,
    posting: Posting = {}
  ): Promise<Exchange> {
    return await this.#sender.post(label, body, posting)
  }

  /** Posts many callbacks at the same moment, each over its own connection. */
  async postAtOnce (
    label: string,
    count: number,
    makeBodies: () => Promise<readonly PaymentRecord[]>
  ): Promise<Exchange[]> {
    return await this.#sender.postAtOnce(label, count, makeBodies)
  }

  get callback (): string {
    return this.settings.config.callback
  }

  /** Waits as long as effects of a callback take at most. */
  async settle (): Promise<void> {
    await this.pause(this.settings.settleMs)
  }

  async pause (ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop })
  }

  /** Returns the merchant's view of a payment, or undefined if it cannot be observed. */
  async observe ({
    reference,
    kind
  }: Pick<Subject, 'reference' | 'kind'>): Promise<Observation | undefined> {
    const config = observationOf(
      this.settings.config,
      kind === 'payout' || kind === 'refund' ? kind : 'deposit'
    )
    if (config === undefined || reference === undefined) return undefined
    const observation = await observe(config, reference, systemClock.now(), this.#setting())
    this.#observations.push(observation)
    return observation
  }

  /** Returns the merchant's view of a payment after the settling time. */
  async observeSettled (
    subject: Pick<Subject, 'reference' | 'kind'>
  ): Promise<Observation | undefined> {
    await this.settle()
    return await this.observe(subject)
  }

  /** Returns the merchant's view of a payment as soon as it is paid, or at the end of the time. */
  async waitUntilPaid (
    subject: Pick<Subject, 'reference' | 'kind'>,
    ms = this.settings.settleMs
  ): Promise<Observation | undefined> {
    const deadline = systemClock.now() + ms
    for (let pauseMs = lookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
      const seen = await this.observe(subject)
      const left = deadline - systemClock.now()
      if (seen === undefined || seen.paid || left <= 0) return seen
      await this.pause(Math.min(pauseMs, left))
    }
  }

  /** The requests of the merchant to the API, oldest first. */
  async journal (): Promise<JournalEntry[]> {
    return await this.watcher.journal()
  }

  /** Runs a hook of the configuration, if it is set. */
  async hook (name: 'before' | 'break' | 'mend'): Promise<void> {
    const action = this.settings.config.hooks?.[name]
    if (action === undefined) return
    const setting = this.#setting()
    // An interrupted exam must not leave the database of the merchant broken.
    const stop = name === 'mend' ? new AbortController().signal : setting.stop
    const { line, status, error } = await perform(action, { ...setting, stop })
    if (status === undefined || status >= 400) {
      throw new TargetProblem(
        `hooks.${name}: ${line}: ${error ?? `it was answered with ${status}`}`
      )
    }
  }

  /** Everything that was seen. */
  async evidence (): Promise<Evidence> {
    const journal = await this.journal()
    return {
      depth: this.settings.depth,
      exchanges: this.#sender.exchanges,
      drives: this.#drives,
      observations: this.#observations,
      journal,
      hasAskedForKeys: this.#earlier.hasAskedForKeys || journal.some(isKeyRequest),
      deliveries: await this.mock.callbacks()
    }
  }
}
