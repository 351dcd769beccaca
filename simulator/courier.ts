import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemClock } from '../src/lib/clock.ts'
import { accountTime, stopwatch } from '../src/lib/clock.ts'
import type { Queue } from '../src/ports/due-queue.ts'
import { AccountMovedError, LedgerUnusableError } from '../src/ports/ledger-error.ts'
import { Refused } from '../src/domain/refusal.ts'
import type { Attempt, Delivery, DeliveryVerdict, Outbox } from '../src/ports/ledger.ts'
import { reportAttempt, type ReportParts } from './attempt-reports.ts'
import { connections, type CallbackSender } from './callback-sender.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { nextAttempt } from './retries.ts'

/** Callbacks that are taken ahead for one receiver: few large transactions, not many small ones. */
const takenAhead = 256
/** Number of callbacks on their way up to which each result is stored at once. */
const fewUnderWay = 8
/** Longest wait for room for more callbacks. */
const gatherMs = 20
/** Wait before a result that could not be stored is stored again. */
const storeAgainMs = 1000
/** Time that callbacks on their way have when the server stops. The next start sends the rest. */
const graceMs = 1500

/** Callback on its way. */
interface Flight {
  delivery: Delivery
  /** Ends the attempt without a result: its account was reset, or the server stops. */
  abort: AbortController
  /** Error of the ledger, while the result of the attempt cannot be stored. */
  failure?: unknown
}

/** Parts that the courier needs. */
export interface CourierParts extends ReportParts {
  outbox: Outbox
  callbackSender: CallbackSender
  systemClock: SystemClock
}

/**
 * Delivers callbacks from the outbox, never inside a request. A callback that was taken is sent at
 * least once, and its result is stored, whatever fails in between.
 */
export class Courier {
  /** True while the server stops: callbacks that are due stay so. */
  isClosing = false
  readonly #parts: CourierParts
  readonly #slots = new DeliverySlots(connections, (delivery) => this.#start(delivery))
  readonly #flights = new Map<Promise<void>, Flight>()
  readonly #held = new Set<number>()
  /** Accounts with callbacks that were taken, and that nobody sends. */
  readonly #unsent = new Set<number>()
  /** Accounts that are held only until these callbacks are due again. */
  readonly #recovering = new Set<number>()
  /** Timers of accounts that could not be resumed. */
  readonly #resumptions = new Map<number, NodeJS.Timeout>()
  #isStoring = true
  #listeners: Array<() => void> = []

  constructor (parts: CourierParts) {
    this.#parts = parts
  }

  /**
   * Sends the callbacks of a queue that are due, as far as there is room, without waiting for the
   * answers. Returns their number.
   */
  async sendDueCallbacks (queue: Queue, now: number): Promise<number> {
    const room = await this.#waitForRoom(queue)
    if (room === 0) return 0
    const deliveries = await this.#parts.outbox
      .takeDueCallbacks(queue, now, room)
      .catch((error: unknown) => {
        // If only the answer to the commit was lost, callbacks were taken that nobody sends.
        const isUnknown = error instanceof LedgerUnusableError && error.isLost
        if (isUnknown) this.#recoverTaken(queue.account)
        throw error
      })
    // The next start sends them: nobody would wait for them any more.
    if (this.isClosing) return 0
    for (const delivery of deliveries) this.#slots.add(delivery)
    return deliveries.length
  }

  /**
   * Makes callbacks of an account due again that were taken and are not on their way. If somebody
   * holds the account, it is done after the release.
   */
  async #recoverTaken (account: number): Promise<void> {
    this.#unsent.add(account)
    if (this.#held.has(account)) return
    this.holdAccount(account)
    this.#recovering.add(account)
    const isOfAccount = (delivery: Delivery): boolean => delivery.account === account
    while (this.#recovering.has(account) && this.#isTaken(isOfAccount)) await this.#nextChange()
    if (!this.#recovering.delete(account) || this.isClosing) return
    // It is tried again until it works.
    await this.resumeAccount(account, async () => {}).catch(() => {})
  }

  /** Waits for the callbacks of an account that were taken. Throws if one cannot be stored. */
  async waitForDeliveries (account: number): Promise<void> {
    for (;;) {
      const flights = [...this.#flights.values()].filter(
        ({ delivery }) => delivery.account === account
      )
      const failed = flights.find(({ failure }) => failure !== undefined)
      if (failed !== undefined) throw failed.failure
      // A callback that waits for its turn does so for one that is on its way.
      const isWaiting = this.#slots.someWaiting((delivery) => delivery.account === account)
      if (flights.length === 0 && !isWaiting) return
      await this.#nextChange()
    }
  }

  /** Tells whether a callback is on its way, or waits for its turn. */
  #isTaken (isMeant: (delivery: Delivery) => boolean): boolean {
    const isOnItsWay = this.#flights.values().some(({ delivery }) => isMeant(delivery))
    return isOnItsWay || this.#slots.someWaiting(isMeant)
  }

  /** Sends no more callbacks of an account until it is released. */
  holdAccount (account: number): void {
    clearTimeout(this.#resumptions.get(account))
    this.#resumptions.delete(account)
    this.#recovering.delete(account)
    this.#held.add(account)
    this.#announceChange()
  }

  releaseAccount (account: number): void {
    this.#held.delete(account)
    if (this.#unsent.has(account)) this.#recoverTaken(account)
  }

  /**
   * Makes the aborted callbacks of an account due again, and releases it. If the ledger refuses, it
   * throws and tries again later: until then, callbacks of the account would be sent twice.
   */
  async resumeAccount (account: number, refresh: () => Promise<void>): Promise<void> {
    try {
      await this.#parts.outbox.requeueLostCallbacks(account)
      this.#unsent.delete(account)
      this.releaseAccount(account)
    } catch (error) {
      // The server that has the account now makes them due.
      if (this.isClosing || error instanceof AccountMovedError) throw error
      const again = (): void => {
        this.resumeAccount(account, refresh).then(refresh).catch(() => {})
      }
      this.#resumptions.set(account, setTimeout(again, storeAgainMs).unref())
      throw error
    }
  }

  /** Aborts the callbacks of an account that were taken. Their results are not stored. */
  abortDeliveries (account: number): void {
    this.#slots.dropWaiting((delivery) => delivery.account === account)
    for (const { delivery, abort } of this.#flights.values()) {
      if (delivery.account === account) abort.abort()
    }
    this.#announceChange()
  }

  /** Forgets an account that leaves this server. */
  leaveAccount (account: number): void {
    this.abortDeliveries(account)
    this.#unsent.delete(account)
    this.#recovering.delete(account)
    clearTimeout(this.#resumptions.get(account))
    this.#resumptions.delete(account)
  }

  /** Waits a moment for the callbacks on their way, then stops. */
  async close (): Promise<void> {
    this.isClosing = true
    const deadline = setTimeout(() => this.#stop(), graceMs)
    this.#slots.dropWaiting(() => true)
    this.#announceChange()
    await Promise.all(this.#flights.keys())
    clearTimeout(deadline)
    this.#stop()
    await this.#parts.callbackSender.close()
  }

  /** Aborts the attempts on their way. The next start sends them again. */
  #stop (): void {
    // An attempt that ends now must not start another one.
    this.#slots.dropWaiting(() => true)
    for (const { abort } of this.#flights.values()) abort.abort()
    this.#announceChange()
  }

  /**
   * Waits until there is room for many callbacks, or a moment for a few. Returns the number, or 0
   * if no callback of the queue may be sent now.
   */
  async #waitForRoom ({ account, queue }: Queue): Promise<number> {
    const soon = stopwatch() + gatherMs
    for (;;) {
      if (this.isClosing || this.#held.has(account)) return 0
      const room = takenAhead - this.#slots.countTaken(queue)
      if (room >= takenAhead / 2 || (room > 0 && stopwatch() >= soon)) return room
      await this.#nextChange(room > 0 ? gatherMs : undefined)
    }
  }

  #start (delivery: Delivery): void {
    const flight: Flight = { delivery, abort: new AbortController() }
    const done = this.#deliver(flight)
      .catch((error: unknown) => {
        const { account, seq } = delivery
        this.#parts.log.error({ err: error, account, callback: seq }, 'a callback attempt failed')
      })
      .finally(() => {
        this.#flights.delete(done)
        this.#slots.finish(delivery)
        this.#announceChange()
      })
    this.#flights.set(done, flight)
  }

  async #deliver (flight: Flight): Promise<void> {
    const { delivery, abort } = flight
    // The connection is free for the next callback before the result is stored.
    const { attempt, ended } = await this.#attempt(flight).finally(() =>
      this.#slots.freeConnection(delivery)
    )
    // This is no attempt: the payment may be deleted, or the next start sends the callback again.
    if (abort.signal.aborted) return
    const verdict = nextAttempt(delivery, attempt, ended)
    reportAttempt(this.#parts, delivery, attempt, verdict)
    await this.#storeAttempt(flight, attempt, verdict)
  }

  /** Makes an attempt. Returns it with the time of its end on the account's clock. */
  async #attempt ({ delivery, abort }: Flight): Promise<{ attempt: Attempt; ended: number }> {
    const { callbackSender, accounts, systemClock } = this.#parts
    // The clock of the beginning also tells the end, whatever happens to the clock meanwhile.
    const { clock } = accounts.byId(delivery.account)
    const started = systemClock.now()
    const exchange = await callbackSender.sendCallback(delivery, abort.signal)
    const durationMs = systemClock.now() - started
    return {
      attempt: { at: accountTime(clock, started), durationMs, ...exchange },
      ended: accountTime(clock, started + durationMs)
    }
  }

  /**
   * Stores the result of an attempt. While the ledger refuses, on a full disk for example, it tries
   * again: a result that is lost would leave the callback pending for ever.
   */
  async #storeAttempt (flight: Flight, attempt: Attempt, verdict: DeliveryVerdict): Promise<void> {
    const { outbox, log } = this.#parts
    const { delivery, abort } = flight
    while (!abort.signal.aborted) {
      try {
        await outbox.recordAttempt(delivery, attempt, verdict, this.#flights.size <= fewUnderWay)
        if (!this.#isStoring) log.info('the results of callback attempts can be stored again')
        this.#isStoring = true
        return
      } catch (error) {
        // It was deleted, or the server that has the account now sends the callback again.
        if (error instanceof AccountMovedError || error instanceof Refused) return
        if (this.#isStoring) {
          log.error(
            { ...describeFailure(error), account: delivery.account, callback: delivery.seq },
            'the result of a callback attempt could not be stored; it is tried again every second'
          )
        }
        this.#isStoring = false
        flight.failure = error
        this.#announceChange()
        await sleep(storeAgainMs, undefined, { signal: abort.signal }).catch(() => {})
      }
    }
  }

  /** Waits until something has changed, or for a time. */
  #nextChange (ms?: number): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners.push(resolve)
      if (ms !== undefined) setTimeout(resolve, ms)
    })
  }

  #announceChange (): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const resume of listeners) resume()
  }
}

/** Returns what the log says of an error. Faults of the ledger are logged elsewhere. */
function describeFailure (error: unknown): { err?: unknown } {
  return error instanceof LedgerUnusableError ? {} : { err: error }
}
