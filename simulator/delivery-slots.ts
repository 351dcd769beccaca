import type { Delivery } from '../src/ports/ledger.ts'

/** Most callbacks that are on their way in all. */
const mostInAll = 256

/** Callbacks that were taken for one receiver. */
interface Backlog {
  underWay: number
  /** Callbacks that wait for a connection. */
  waiting: Delivery[]
}

/**
 * Order of the callbacks that were taken from the outbox. A receiver gets at most as many at once
 * as there are connections to it, and the callbacks of one payment never overlap.
 */
export class DeliverySlots {
  readonly #perReceiver: number
  readonly #start: (delivery: Delivery) => void
  readonly #backlogs = new Map<number, Backlog>()
  /** Payments with a callback under way, and their callbacks that wait for it. */
  readonly #payments = new Map<number | string, Delivery[]>()
  #underWay = 0

  constructor (perReceiver: number, start: (delivery: Delivery) => void) {
    this.#perReceiver = perReceiver
    this.#start = start
  }

  /** Starts a callback, or keeps it until a slot is free. */
  add (delivery: Delivery): void {
    const payment = paymentOf(delivery)
    const turns = payment === undefined ? undefined : this.#payments.get(payment)
    if (turns !== undefined) {
      turns.push(delivery)
      return
    }
    if (payment !== undefined) this.#payments.set(payment, [])
    this.#startOrWait(delivery)
  }

  /** Frees the connection of a callback; its payment stays busy until `finish`. */
  freeConnection ({ queue }: Delivery): void {
    this.#backlogOf(queue).underWay--
    this.#underWay--
    this.#startWaiting()
  }

  /** Ends the turn of a callback: the next one of its payment starts. */
  finish (delivery: Delivery): void {
    this.#endTurn(delivery)
    this.#startWaiting()
  }

  /** Returns the number of callbacks for a receiver that were taken and are not finished. */
  countTaken (queue: number): number {
    const backlog = this.#backlogs.get(queue)
    return backlog === undefined ? 0 : backlog.underWay + backlog.waiting.length
  }

  /** Tells whether a callback waits for a connection, or for one of its payment. */
  someWaiting (isMeant: (delivery: Delivery) => boolean): boolean {
    const backlogs = [...this.#backlogs.values()].map(({ waiting }) => waiting)
    return [...this.#payments.values(), ...backlogs].some((list) => list.some(isMeant))
  }

  /** Drops those callbacks that have not started. */
  dropWaiting (isDropped: (delivery: Delivery) => boolean): void {
    const isKept = (delivery: Delivery): boolean => !isDropped(delivery)
    for (const [payment, turns] of this.#payments) {
      this.#payments.set(payment, turns.filter(isKept))
    }
    for (const backlog of this.#backlogs.values()) {
      const dropped = backlog.waiting.filter(isDropped)
      backlog.waiting = backlog.waiting.filter(isKept)
      for (const delivery of dropped) this.#endTurn(delivery)
    }
  }

  /** Ends the turn of a callback of a payment, and begins that of the next one. */
  #endTurn (delivery: Delivery): void {
    const payment = paymentOf(delivery)
    if (payment === undefined) return
    const next = this.#payments.get(payment)?.shift()
    if (next === undefined) this.#payments.delete(payment)
    else this.#startOrWait(next)
  }

  #startOrWait (delivery: Delivery): void {
    const backlog = this.#backlogOf(delivery.queue)
    if (this.#hasRoom(backlog)) this.#startNow(delivery, backlog)
    else backlog.waiting.push(delivery)
  }

  #startNow (delivery: Delivery, backlog: Backlog): void {
    backlog.underWay++
    this.#underWay++
    this.#start(delivery)
  }

  /** One callback per receiver may always start, however many other receivers hang. */
  #hasRoom ({ underWay }: Backlog): boolean {
    return underWay === 0 || (underWay < this.#perReceiver && this.#underWay < mostInAll)
  }

  #startWaiting (): void {
    for (const [queue, backlog] of this.#backlogs) {
      while (backlog.waiting.length > 0 && this.#hasRoom(backlog)) {
        this.#startNow(backlog.waiting.shift() as Delivery, backlog)
      }
      if (backlog.underWay === 0 && backlog.waiting.length === 0) this.#backlogs.delete(queue)
    }
  }

  #backlogOf (queue: number): Backlog {
    const backlog = this.#backlogs.get(queue) ?? { underWay: 0, waiting: [] }
    this.#backlogs.set(queue, backlog)
    return backlog
  }
}

/** Returns the payment of a callback, which may be deleted; undefined for others. */
function paymentOf ({ payment }: Delivery): number | undefined {
  return payment ?? undefined
}
