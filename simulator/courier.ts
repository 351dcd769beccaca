import type { Logger } from 'pino'
import type { Accounts } from '../src/accounts/registry.ts'
import { withoutPassword } from '../src/lib/url.ts'
import type { SystemClock } from '../src/lib/clock.ts'
import { accountTime } from '../src/lib/clock.ts'
import type { Attempt, Delivery, Outbox } from '../src/domain/ports.ts'
import type { Queue } from '../src/domain/due-queue.ts'
import type { Counters } from '../src/monitoring/counters.ts'
import { connections as perLane, type CallbackSender } from './callback-sender.ts'
import { isAcknowledged, nextAttempt } from './retries.ts'

/**
 * At most this many callbacks are on their way in all, and to one place as many as there are
 * connections to it.
 */
const inAll = 256
/**
 * So many are taken from the outbox ahead of that for one place: few large transactions instead of
 * many small ones.
 */
const ahead = 128
/** Up to so many on their way are recorded at once, more of them together. */
const few = 8
/** Room for more is waited for so long. */
const gatherMs = 20
/**
 * When the server stops, callbacks on their way have this long; the rest go out after the next
 * start.
 */
const graceMs = 1500

/** A callback on its way, and the way to cut it off. */
interface Flight {
  delivery: Delivery
  cut: AbortController
}

/** What is taken for one place: how many are on their way, and those that wait for a connection. */
interface Backlog {
  underWay: number
  waiting: Delivery[]
}

/**
 * Delivers callbacks from the outbox, out of band: never inside a request, and no receiver waits
 * for another.
 */
export class Courier {
  readonly #outbox: Outbox
  readonly #callbackSender: CallbackSender
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #log: Logger
  readonly #counters: Counters
  readonly #backlogs = new Map<number, Backlog>()
  readonly #flights = new Map<Promise<void>, Flight>()
  readonly #held = new Set<number>()
  /**
   * Payments with a callback under way, and those of the same payment that wait for it: they never
   * overlap.
   */
  readonly #turns = new Map<number, Delivery[]>()
  readonly #stop = new AbortController()
  #listeners: Array<() => void> = []

  constructor (
    outbox: Outbox,
    callbackSender: CallbackSender,
    accounts: Accounts,
    systemClock: SystemClock,
    log: Logger,
    counters: Counters
  ) {
    this.#outbox = outbox
    this.#callbackSender = callbackSender
    this.#accounts = accounts
    this.#systemClock = systemClock
    this.#log = log
    this.#counters = counters
  }

  /**
   * Sends off what is due in a lane, as far as there is room, and does not wait for the answers;
   * says how many that were.
   */
  async sendDueCallbacks (queue: Queue, now: number): Promise<number> {
    const room = await this.#room(queue)
    if (this.#stop.signal.aborted || this.#held.has(queue.account)) return 0
    const deliveries = await this.#outbox.takeDueCallbacks(queue, now, room)
    for (const delivery of deliveries) this.#inTurn(delivery)
    return deliveries.length
  }

  /** Waits for the callbacks of an account that were taken. */
  async waitForDeliveries (account: number): Promise<void> {
    const isOwed = (delivery: Delivery): boolean => delivery.account === account
    // Those that wait for their turn do so for one that is under way.
    while (
      [...this.#flights.values()].some(({ delivery }) => isOwed(delivery)) ||
      [...this.#backlogs.values()].some(({ waiting }) => waiting.some(isOwed))
    ) {
      await this.#change()
    }
  }

  /**
   * Sends off nothing more for an account until it is let go; what waits for room does not wait any
   * longer.
   */
  holdAccount (account: number): void {
    this.#held.add(account)
    this.#changed()
  }

  releaseAccount (account: number): void {
    this.#held.delete(account)
  }

  /**
   * Cuts off the callbacks of an account that are on their way: whatever comes of them is not
   * recorded any more.
   */
  abortDeliveries (account: number): void {
    const isOthers = (delivery: Delivery): boolean => delivery.account !== account
    for (const [payment, turns] of this.#turns) this.#turns.set(payment, turns.filter(isOthers))
    for (const backlog of this.#backlogs.values()) {
      for (const { payment } of backlog.waiting.filter((delivery) => !isOthers(delivery))) {
        if (payment !== null) this.#turns.delete(payment)
      }
      backlog.waiting = backlog.waiting.filter(isOthers)
    }
    for (const { delivery, cut } of this.#flights.values()) if (!isOthers(delivery)) cut.abort()
  }

  /** The callbacks of an account that were cut off are to be sent after all. */
  requeueAborted (account: number): Promise<void> {
    return this.#outbox.requeueLostCallbacks(account)
  }

  /** Waits a moment for the callbacks on their way. */
  async close (): Promise<void> {
    const deadline = setTimeout(() => this.#stop.abort(), graceMs)
    // What is not on its way goes out after the next start.
    for (const backlog of this.#backlogs.values()) backlog.waiting = []
    for (const turns of this.#turns.values()) turns.length = 0
    await Promise.all(this.#flights.keys())
    clearTimeout(deadline)
    this.#stop.abort()
    this.#changed()
    await this.#callbackSender.close()
  }

  /**
   * For how many there is room; a little is waited for a little, so that callbacks are taken many
   * at once.
   */
  async #room ({ account, queue }: Queue): Promise<number> {
    const soon = this.#systemClock.now() + gatherMs
    for (;;) {
      const { underWay, waiting } = this.#backlogOf(queue)
      const room = ahead - underWay - waiting.length
      const isEnough = room >= ahead / 2 || (room > 0 && this.#systemClock.now() >= soon)
      if (isEnough || this.#stop.signal.aborted || this.#held.has(account)) return room
      await this.#change(room > 0 ? gatherMs : undefined)
    }
  }

  /**
   * Sends a callback off, or keeps it until the one of the same payment that is under way has
   * arrived.
   */
  #inTurn (delivery: Delivery): void {
    const { payment } = delivery
    const turns = payment === null ? undefined : this.#turns.get(payment)
    if (turns !== undefined) turns.push(delivery)
    else {
      if (payment !== null) this.#turns.set(payment, [])
      this.#start(delivery)
    }
  }

  /** Sends a callback off, or keeps it until there is a connection for it. */
  #start (delivery: Delivery): void {
    const backlog = this.#backlogOf(delivery.queue)
    if (this.#hasRoom(backlog)) this.#launch(delivery, backlog)
    else backlog.waiting.push(delivery)
  }

  #hasRoom ({ underWay }: Backlog): boolean {
    // One may always go: places that hang must not keep the others waiting, however many they are.
    return underWay === 0 || (underWay < perLane && this.#flights.size < inAll)
  }

  #launch (delivery: Delivery, backlog: Backlog): void {
    const cut = new AbortController()
    backlog.underWay++
    const flight = this.#fly(delivery, cut.signal, () => {
      backlog.underWay--
    })
      .catch((error: unknown) => {
        if (!cut.signal.aborted) {
          this.#log.error(
            { err: error, callback: delivery.seq },
            'a callback attempt could not be recorded'
          )
        }
      })
      .finally(() => {
        this.#flights.delete(flight)
        this.#nextTurn(delivery)
        this.#startWaiting()
        this.#changed()
      })
    this.#flights.set(flight, { delivery, cut })
  }

  #nextTurn ({ payment }: Delivery): void {
    if (payment === null) return
    const next = this.#turns.get(payment)?.shift()
    if (next === undefined) this.#turns.delete(payment)
    else this.#start(next)
  }

  #startWaiting (): void {
    for (const [queue, backlog] of this.#backlogs) {
      while (backlog.waiting.length > 0 && this.#hasRoom(backlog)) {
        this.#launch(backlog.waiting.shift() as Delivery, backlog)
      }
      if (backlog.underWay === 0 && backlog.waiting.length === 0) this.#backlogs.delete(queue)
    }
  }

  #backlogOf (queue: number): Backlog {
    const backlog = this.#backlogs.get(queue) ?? { underWay: 0, waiting: [] }
    this.#backlogs.set(queue, backlog)
    return backlog
  }

  /** Waits until something has changed, or so long. */
  #change (ms?: number): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners.push(resolve)
      if (ms !== undefined) setTimeout(resolve, ms)
    })
  }

  #changed (): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const resume of listeners) resume()
  }

  async #fly (delivery: Delivery, cut: AbortSignal, landed: () => void): Promise<void> {
    const started = this.#systemClock.now()
    const at = accountTime(this.#accounts.byId(delivery.account).clock, started)
    const exchange = await this.#callbackSender
      .sendCallback(delivery, AbortSignal.any([cut, this.#stop.signal]))
      .finally(landed)
    // The connection is free for the next one, though nothing is recorded yet.
    this.#startWaiting()
    const { status, error } = exchange
    // What it was about may be gone, or be as it was before.
    if (cut.aborted) return
    // Cut off by our own end: it counts as not tried, and goes out again after the next start.
    if (this.#stop.signal.aborted && status === undefined) return
    const attempt: Attempt = { at, durationMs: this.#systemClock.now() - started, ...exchange }
    const verdict = nextAttempt(delivery, attempt)
    this.#count(delivery, attempt)
    const line = {
      callback: delivery.seq,
      url: withoutPassword(delivery.url),
      attempt: delivery.attempts + 1,
      status,
      error,
      state: verdict.state
    }
    if (isAcknowledged(attempt)) this.#log.debug(line, 'callback acknowledged')
    else {
      this.#log.warn(
        line,
        verdict.state === 'PENDING'
          ? 'callback not acknowledged, it will be tried again'
          : 'callback not acknowledged, given up; it can be resent'
      )
    }
    await this.#outbox.recordAttempt(delivery, attempt, verdict, this.#flights.size <= few)
  }

  #count ({ firstDue }: Delivery, attempt: Attempt): void {
    const acknowledged = isAcknowledged(attempt)
    this.#counters.attempts.add(
      acknowledged ? 'acknowledged' : attempt.status === undefined ? 'failed' : 'refused'
    )
    if (acknowledged) {
      this.#counters.lag.observe(Math.max(0, attempt.at + attempt.durationMs - firstDue) / 1000)
    }
  }
}
