import { randomUUID } from 'node:crypto'
import { NoAnswer } from './payments.js'

/**
 * The orders of the shop, and what becomes of them. They are kept in memory; a real shop has a
 * database.
 * @typedef {'unpaid' | 'paid' | 'failed' | 'refunding' | 'refunded'} State
 * @typedef {{ id: string, item: string, amount: string, currency: string, phoneNumber: string,
 * provider: string, state: State, why?: string, refundId?: string, callbacks: number }} Order
 * @typedef {import('./payments.js').Outcome} Outcome
 */

export class Orders {
  /** @type {Map<string, Order>} */
  #orders = new Map()
  /** @type {Map<string, Order>} */
  #byRefund = new Map()
  /** What was taken note of; callbacks can come more than once. */
  #seen = new Set()
  #payments
  #log

  /**
   * @param {import('./payments.js').Payments} payments
   * @param {(text: string) => void} log
   */
  constructor (payments, log) {
    this.#payments = payments
    this.#log = log
  }

  /** @param {string} id */
  get (id) {
    return this.#orders.get(id)
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
    // The identifier is ours, and it is kept before it is sent: whatever happens on the way, we can
    // ask about it.
    /** @type {Order} */
    const order = {
      id: randomUUID(),
      ...item,
      phoneNumber,
      provider,
      state: 'unpaid',
      callbacks: 0
    }
    this.#orders.set(order.id, order)
    const answer = await this.#attempt(() => this.#payments.deposit(order.id, order))
    if (
      answer !== undefined &&
      answer.status !== 'ACCEPTED' &&
      answer.status !== 'DUPLICATE_IGNORED'
    ) {
      settle(order, 'failed', answer)
    }
    return order
  }

  /** @param {Order} order */
  async refund (order) {
    if (order.state !== 'paid') return
    order.state = 'refunding'
    const refundId = (order.refundId = randomUUID())
    this.#byRefund.set(refundId, order)
    const answer = await this.#attempt(() => this.#payments.refund(refundId, order.id, order))
    if (
      answer !== undefined &&
      answer.status !== 'ACCEPTED' &&
      answer.status !== 'DUPLICATE_IGNORED'
    ) {
      settle(order, 'paid', answer)
    }
  }

  /**
   * Takes note of a callback that is genuine. The same one again changes nothing.
   * @param {Outcome} outcome
   */
  note (outcome) {
    const { depositId, refundId, status } = outcome
    const order =
      refundId === undefined ? this.#orders.get(depositId ?? '') : this.#byRefund.get(refundId)
    if (order === undefined) return
    order.callbacks++
    const key = `${refundId ?? depositId} ${status}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#apply(order, refundId !== undefined, outcome)
  }

  /**
   * Asks what became of an order that nothing was heard of: a callback may be late, or lost.
   * @param {Order} order
   */
  async reconcile (order) {
    if (order.state !== 'unpaid' && order.state !== 'refunding') return
    const isRefund = order.state === 'refunding'
    const answer = await this.#attempt(() =>
      isRefund
        ? this.#payments.find('refunds', order.refundId ?? '')
        : this.#payments.find('deposits', order.id)
    )
    if (answer?.status === 'FOUND') this.#apply(order, isRefund, answer.data)
    else if (answer?.status === 'NOT_FOUND') {
      settle(order, isRefund ? 'paid' : 'failed', {
        failureReason: { failureMessage: 'the request never arrived' }
      })
    }
  }

  /**
   * @param {Order} order
   * @param {boolean} isRefund
   * @param {Outcome} outcome
   */
  #apply (order, isRefund, outcome) {
    const { status, amount, currency } = outcome
    if (status !== 'COMPLETED' && status !== 'FAILED') return
    // Whoever paid something else has not paid this order.
    if (Number(amount) !== Number(order.amount) || currency !== order.currency) {
      return settle(order, 'failed', {
        failureReason: { failureMessage: `${amount} ${currency} were paid` }
      })
    }
    if (isRefund && order.state === 'refunding') {
      settle(order, status === 'COMPLETED' ? 'refunded' : 'paid', outcome)
    }
    if (!isRefund && order.state === 'unpaid') {
      settle(order, status === 'COMPLETED' ? 'paid' : 'failed', outcome)
    }
  }

  /**
   * No answer is not a no: the order waits, and is asked about later.
   * @template T
   * @param {() => Promise<T>} call
   * @returns {Promise<T | undefined>}
   */
  async #attempt (call) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.#log(error.message)
    }
  }
}

/**
 * @param {Order} order
 * @param {State} state
 * @param {Partial<Outcome>} outcome
 */
function settle (order, state, { failureReason }) {
  order.state = state
  order.why = failureReason?.failureMessage ?? failureReason?.failureCode
}
