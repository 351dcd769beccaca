import { randomUUID } from 'node:crypto'
import { NoAnswer } from './payments.js'

/**
 * The orders of the shop, and what becomes of them. Each change is stored before it counts.
 * @typedef {'unpaid' | 'paid' | 'failed' | 'refunding' | 'refunded'} State
 * @typedef {{ id: string, item: string, amount: string, currency: string, phoneNumber: string,
 * provider: string, state: State, why?: string, attempts: string[], refundId?: string, callbacks:
 * number, verified?: Verified, delivered: number, askedAt: number }} Order
 * @typedef {{ status: string, keyId: string, at: number }} Verified the latest genuine callback:
 * its status, the key of its signature, and the time of its arrival
 * @typedef {import('./payments.js').Outcome} Outcome
 */

/** A payment is asked about at most once a second. */
const askEveryMs = 1000

export class Orders {
  /** @type {Map<string, Order>} */
  #orders = new Map()
  /** Order of each payment and refund. @type {Map<string, Order>} */
  #byPayment = new Map()
  #payments
  #log
  #now
  #save

  /**
   *
   * @param {import('./payments.js').Payments} payments
   * @param {{ log: (text: string) => void, now: () => number, save: (order: Order) => void }} shop
   * `save` stores an order, and throws when it cannot
   */
  constructor (payments, { log, now, save }) {
    this.#payments = payments
    this.#log = log
    this.#now = now
    this.#save = save
  }

  /** @param {string} id */
  get (id) {
    return this.#orders.get(id)
  }

  /** All orders, newest first. */
  list () {
    return [...this.#orders.values()].reverse()
  }

  /**
   * Takes an order and asks the customer to pay. Throws a sentence for the customer when the number
   * is none.
   * @param {{ item: string, amount: string, currency: string }} item
   * @param {string} number
   */
  async place (item, number) {
    const { phoneNumber, provider } = await this.#payments.predictProvider(number)
    if (provider === undefined) throw new RangeError('Please check your phone number.')
    /** @type {Order} */
    const order = {
      id: randomUUID(),
      ...item,
      phoneNumber,
      provider,
      state: 'unpaid',
      attempts: [],
      callbacks: 0,
      delivered: 0,
      askedAt: -Infinity
    }
    this.#orders.set(order.id, order)
    await this.#attempt(order, order.id)
    return order
  }

  /**
   * Another attempt to pay an order whose last one failed: a payment of its own, with an identifier
   * of its own.
   * @param {Order} order
   */
  async payAgain (order) {
    if (order.state === 'failed') await this.#attempt(order, randomUUID())
  }

  /** @param {Order} order */
  async refund (order) {
    if (order.state !== 'paid') return
    const refundId = randomUUID()
    this.#byPayment.set(refundId, order)
    this.#change(order, { state: 'refunding', refundId })
    await this.#sendRefund(order, refundId)
  }

  /**
   * Takes note of a callback that is genuine. The same one again changes nothing.
   * @param {Outcome} outcome
   * @param {string} keyId key of its signature
   */
  note (outcome, keyId) {
    const { depositId, refundId } = outcome
    const id = refundId ?? depositId ?? ''
    const order = this.#byPayment.get(id)
    if (order === undefined) return
    order.callbacks++
    order.verified = { status: outcome.status, keyId, at: this.#now() }
    this.#apply(order, id, outcome)
  }

  /**
   * Asks what became of every order that nothing was heard of. A shop does that every few minutes.
   */
  async reconcileAll () {
    for (const order of this.#orders.values()) await this.reconcile(order)
  }

  /**
   * Asks what became of an order that nothing was heard of: a callback may be late, or lost.
   * @param {Order} order
   */
  async reconcile (order) {
    const now = this.#now()
    if (
      (order.state !== 'unpaid' && order.state !== 'refunding') ||
      now - order.askedAt < askEveryMs
    ) {
      return
    }
    order.askedAt = now
    const isRefund = order.state === 'refunding'
    const id = isRefund ? (order.refundId ?? '') : (order.attempts.at(-1) ?? '')
    const answer = await this.#try(() => this.#payments.find(isRefund ? 'refunds' : 'deposits', id))
    if (answer?.status === 'FOUND') return this.#apply(order, id, answer.data)
    // It never arrived, or cannot be seen yet. The same identifier again is safe in both cases.
    if (answer?.status === 'NOT_FOUND') {
      await (isRefund ? this.#sendRefund(order, id) : this.#sendDeposit(order, id))
    }
  }

  /**
   * The identifier is ours, and it is kept before it is sent: whatever happens on the way, we can
   * ask about it.
   * @param {Order} order
   * @param {string} depositId
   */
  async #attempt (order, depositId) {
    this.#byPayment.set(depositId, order)
    this.#change(order, {
      state: 'unpaid',
      why: undefined,
      attempts: [...order.attempts, depositId]
    })
    await this.#sendDeposit(order, depositId)
  }

  /**
   * @param {Order} order
   * @param {string} depositId
   */
  async #sendDeposit (order, depositId) {
    const answer = await this.#try(() => this.#payments.deposit(depositId, order))
    if (answer?.status === 'REJECTED' && order.state === 'unpaid') {
      this.#change(order, { state: 'failed', why: reasonOf(answer) })
    }
  }

  /**
   * @param {Order} order
   * @param {string} refundId
   */
  async #sendRefund (order, refundId) {
    const answer = await this.#try(() => this.#payments.refund(refundId, paidBy(order), order))
    if (answer?.status === 'REJECTED' && order.state === 'refunding') {
      this.#change(order, { state: 'paid', why: reasonOf(answer) })
    }
  }

  /**
   * Only COMPLETED and FAILED say something, and only of the attempt that is open. State and
   * delivery change together.
   * @param {Order} order
   * @param {string} id
   * @param {Outcome} outcome
   */
  #apply (order, id, outcome) {
    const { status, amount, currency } = outcome
    if (status !== 'COMPLETED' && status !== 'FAILED') return
    const why = reasonOf(outcome)
    if (id === order.refundId) {
      if (order.state === 'refunding') {
        this.#change(order, { state: status === 'COMPLETED' ? 'refunded' : 'paid', why })
      }
      return
    }
    if (order.state !== 'unpaid' || id !== order.attempts.at(-1)) return
    if (status === 'FAILED') return this.#change(order, { state: 'failed', why })
    // A payment of another amount does not pay this order.
    const isPrice = Number(amount) === Number(order.amount) && currency === order.currency
    if (isPrice) this.#change(order, { state: 'paid', why, delivered: order.delivered + 1 })
    else this.#change(order, { state: 'failed', why: `${amount} ${currency} were paid` })
  }

  /**
   * Stores a change, and makes it then: if it cannot be stored, nothing has happened.
   * @param {Order} order
   * @param {Partial<Order>} change
   */
  #change (order, change) {
    this.#save({ ...order, ...change })
    Object.assign(order, change)
  }

  /**
   * No answer is not a no: the order waits, and is asked about later.
   * @template T
   * @param {() => Promise<T>} call
   * @returns {Promise<T | undefined>}
   */
  async #try (call) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.#log(error.message)
    }
  }
}

/** The deposit that paid an order: the last attempt. @param {Order} order */
function paidBy ({ attempts, id }) {
  return attempts.at(-1) ?? id
}

/** @param {Partial<Outcome>} outcome */
function reasonOf ({ failureReason }) {
  return failureReason?.failureMessage ?? failureReason?.failureCode
}
