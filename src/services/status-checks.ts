/** Answer to one status check. A field that is absent changes nothing. */
export interface StatusCheckAnswer {
  /** False answers NOT_FOUND, even if the payment exists. */
  found?: boolean
  /** Status of an HTTP error to answer with. */
  status?: number
  /** Resets the connection instead of answering. */
  fault?: 'reset'
  delayMs?: number
  /** Fields of the record that are answered with these values instead; null leaves one out. */
  record?: Record<string, unknown>
}

/** Answers that a tester has ordered. */
export interface StatusCheckOrders {
  /** Answers to the next status checks, one each. */
  answers: StatusCheckAnswer[]
  /** Answer to all status checks after those. */
  then: StatusCheckAnswer
}

const usualOrders: StatusCheckOrders = { answers: [], then: {} }

/** Ordered answers to status checks. They are kept in memory, separately for each account. */
export class StatusChecks {
  readonly #orders = new Map<number, StatusCheckOrders>()

  /** Takes the answer to the next status check, or undefined if none was ordered. */
  takeNext (account: number): StatusCheckAnswer | undefined {
    const orders = this.#orders.get(account)
    return orders && (orders.answers.shift() ?? orders.then)
  }

  showOrders (account: number): StatusCheckOrders {
    return this.#orders.get(account) ?? usualOrders
  }

  setOrders (account: number, { answers, then }: StatusCheckOrders): void {
    this.#orders.set(account, { answers: [...answers], then })
  }

  /** Deletes the ordered answers of an account. */
  clear (account: number): void {
    this.#orders.delete(account)
  }
}
