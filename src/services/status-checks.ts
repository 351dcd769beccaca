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
  /** True if another server has answers, which come before `then`. */
  isElsewhere?: boolean
}

const usualOrders: StatusCheckOrders = { answers: [], then: {} }

/** Ordered answers to status checks. They are kept in memory, separately for each account. */
export class StatusChecks {
  readonly #orders = new Map<number, StatusCheckOrders>()
  /** Takes an answer that another server has. `isSure` is false if one did not answer. */
  takeElsewhere: (
    account: number
  ) => Promise<{ value?: StatusCheckAnswer; isSure: boolean }> = async () => ({ isSure: true })

  /** Takes the answer to the next status check, or undefined if none was ordered. */
  takeNext (account: number): StatusCheckAnswer | Promise<StatusCheckAnswer> | undefined {
    const orders = this.#orders.get(account)
    if (orders === undefined) return undefined
    const own = this.takeOwn(account)
    return own ?? (orders.isElsewhere === true ? this.#takeLast(account, orders) : orders.then)
  }

  /** Takes an answer that this server has. */
  takeOwn (account: number): StatusCheckAnswer | undefined {
    return this.#orders.get(account)?.answers.shift()
  }

  /** Takes an answer of another server. After the last one, no other server is asked any more. */
  async #takeLast (account: number, orders: StatusCheckOrders): Promise<StatusCheckAnswer> {
    const { value, isSure } = await this.takeElsewhere(account)
    if (value === undefined && isSure) orders.isElsewhere = false
    return value ?? orders.then
  }

  showOrders (account: number): StatusCheckOrders {
    return this.#orders.get(account) ?? usualOrders
  }

  /** Lists the accounts that have answers to the next status checks here. */
  listAnswers (): Array<{ account: number; orders: StatusCheckOrders }> {
    return [...this.#orders]
      .filter(([, { answers }]) => answers.length > 0)
      .map(([account, orders]) => ({ account, orders }))
  }

  /** Sets the answers to the next status checks. The answer to all others stays. */
  setAnswers (account: number, answers: readonly StatusCheckAnswer[]): void {
    this.setOrders(account, { ...this.showOrders(account), answers: [...answers] })
  }

  setOrders (account: number, { answers, then, isElsewhere }: StatusCheckOrders): void {
    this.#orders.set(account, { answers: [...answers], then, isElsewhere })
  }

  /** Deletes the ordered answers of an account, unless there are later ones. */
  clear (account: number, _isGone?: boolean, hasLater: () => boolean = () => false): void {
    if (!hasLater()) this.#orders.delete(account)
  }
}
