import type { Logger } from 'pino'
import type { Accounts } from '../src/accounts.ts'
import type { Machine } from '../src/clock.ts'
import { timeOn } from '../src/clock.ts'
import type { Attempt, Delivery, Lane, Outbox } from '../src/domain/ports.ts'
import type { Meters } from '../src/meters.ts'
import { connections as perLane, type Postman } from './postman.ts'
import { isAcknowledged, verdictOn } from './retries.ts'

/** At most this many callbacks are on their way in all, and to one place as many as there are connections to it. */
const inAll = 256
/** When the server stops, callbacks on their way have this long; the rest go out after the next start. */
const graceMs = 1500

/** A callback on its way, and the way to cut it off. */
interface Flight {
  delivery: Delivery
  cut: AbortController
}

/** Delivers callbacks from the outbox, out of band: never inside a request, and no receiver waits for another. */
export class Courier {
  readonly #outbox: Outbox
  readonly #postman: Postman
  readonly #accounts: Accounts
  readonly #machine: Machine
  readonly #log: Logger
  readonly #meters: Meters
  readonly #underWay = new Map<number, number>()
  readonly #flights = new Map<Promise<void>, Flight>()
  readonly #held = new Set<number>()
  /** Payments with a callback on its way, and those of the same payment that wait for it: they never overlap. */
  readonly #turns = new Map<number, Delivery[]>()
  readonly #stop = new AbortController()
  #waiting: Array<() => void> = []

  constructor (outbox: Outbox, postman: Postman, accounts: Accounts, machine: Machine, log: Logger, meters: Meters) {
    this.#outbox = outbox
    this.#postman = postman
    this.#accounts = accounts
    this.#machine = machine
    this.#log = log
    this.#meters = meters
  }

  /** Sends off what is due in a lane, as far as there is room, and does not wait for the answers; says how many that were. */
  async deliver (lane: Lane, now: number): Promise<number> {
    const room = await this.#room(lane)
    if (this.#stop.signal.aborted || this.#held.has(lane.account)) return 0
    const deliveries = await this.#outbox.take(lane, now, room)
    for (const delivery of deliveries) this.#inTurn(delivery)
    return deliveries.length
  }

  /** Waits for the callbacks of an account that are on their way. */
  async settled (account: number): Promise<void> {
    for (;;) {
      const flights = [...this.#flights].filter(([, { delivery }]) => delivery.account === account).map(([flight]) => flight)
      if (flights.length === 0) return
      await Promise.all(flights)
    }
  }

  /** Sends off nothing more for an account until it is let go; what waits for room does not wait any longer. */
  hold (account: number): void {
    this.#held.add(account)
    this.#release()
  }

  letGo (account: number): void {
    this.#held.delete(account)
  }

  /** Cuts off the callbacks of an account that are on their way: whatever comes of them is not recorded any more. */
  abandon (account: number): void {
    for (const { delivery, cut } of this.#flights.values()) if (delivery.account === account) cut.abort()
    for (const [payment, turns] of this.#turns) this.#turns.set(payment, turns.filter((delivery) => delivery.account !== account))
  }

  /** The callbacks of an account that were cut off are to be sent after all. */
  takeUp (account: number): Promise<void> {
    return this.#outbox.recover(account)
  }

  /** Waits a moment for the callbacks on their way. */
  async close (): Promise<void> {
    const deadline = setTimeout(() => this.#stop.abort(), graceMs)
    // What waits for its turn goes out after the next start.
    for (const turns of this.#turns.values()) turns.length = 0
    await Promise.all(this.#flights.keys())
    clearTimeout(deadline)
    this.#stop.abort()
    this.#release()
    await this.#postman.close()
  }

  async #room ({ account, lane }: Lane): Promise<number> {
    for (;;) {
      const room = Math.min(perLane - (this.#underWay.get(lane) ?? 0), inAll - this.#flights.size)
      if (room > 0 || this.#stop.signal.aborted || this.#held.has(account)) return room
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Sends a callback off, or keeps it until the one of the same payment that is on its way has arrived. */
  #inTurn (delivery: Delivery): void {
    const { payment } = delivery
    if (payment === null) return this.#launch(delivery)
    const turns = this.#turns.get(payment)
    if (turns !== undefined) turns.push(delivery)
    else {
      this.#turns.set(payment, [])
      this.#launch(delivery)
    }
  }

  #launch (delivery: Delivery): void {
    const { lane } = delivery
    const cut = new AbortController()
    this.#underWay.set(lane, (this.#underWay.get(lane) ?? 0) + 1)
    const flight = this.#fly(delivery, cut.signal)
      .catch((error: unknown) => {
        if (!cut.signal.aborted) this.#log.error({ err: error, callback: delivery.seq }, 'a callback attempt could not be recorded')
      })
      .finally(() => {
        const left = (this.#underWay.get(lane) ?? 1) - 1
        if (left === 0) this.#underWay.delete(lane)
        else this.#underWay.set(lane, left)
        this.#flights.delete(flight)
        this.#nextTurn(delivery)
        this.#release()
      })
    this.#flights.set(flight, { delivery, cut })
  }

  #nextTurn ({ payment }: Delivery): void {
    if (payment === null) return
    const next = this.#turns.get(payment)?.shift()
    if (next === undefined) this.#turns.delete(payment)
    else this.#launch(next)
  }

  #release (): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  async #fly (delivery: Delivery, cut: AbortSignal): Promise<void> {
    const started = this.#machine.now()
    const at = timeOn(this.#accounts.byId(delivery.account).clock, started)
    const exchange = await this.#postman.post(delivery, AbortSignal.any([cut, this.#stop.signal]))
    const { status, error } = exchange
    // What it was about may be gone, or be as it was before.
    if (cut.aborted) return
    // Cut off by our own end: it counts as not tried, and goes out again after the next start.
    if (this.#stop.signal.aborted && status === undefined) return
    const attempt: Attempt = { at, durationMs: this.#machine.now() - started, ...exchange }
    const verdict = verdictOn(delivery, attempt)
    this.#count(delivery, attempt)
    const line = { callback: delivery.seq, url: delivery.url.replace(/\/\/[^/@]*@/, '//'), attempt: delivery.attempts + 1, status, error, state: verdict.state }
    if (isAcknowledged(attempt)) this.#log.debug(line, 'callback acknowledged')
    else this.#log.warn(line, verdict.state === 'PENDING' ? 'callback not acknowledged, it will be tried again' : 'callback not acknowledged, given up; it can be resent')
    await this.#outbox.attempted(delivery, attempt, verdict)
  }

  #count ({ created }: Delivery, attempt: Attempt): void {
    const acknowledged = isAcknowledged(attempt)
    this.#meters.attempts.add(acknowledged ? 'acknowledged' : attempt.status === undefined ? 'failed' : 'refused')
    if (acknowledged) this.#meters.lag.observe(Math.max(0, attempt.at + attempt.durationMs - created) / 1000)
  }
}
