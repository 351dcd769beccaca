import type { ChangedPayment, ChangeNotifier } from '../ports/ledger.ts'

/**
 * Subject of a subscription: a payment, by its number or its identifier, a phone number, or any
 * payment of the account.
 */
export type ChangeTopic = { seq: number } | { id: string } | { phoneNumber: string } | { any: true }

type Listener = () => void

/**
 * Listeners to changes of payments. They are found by payment, so that a change does not wake up
 * the listeners of other payments: with 300 open waits on an account, waking up all of them cost 90
 * % of its throughput.
 */
export class ChangeListeners implements ChangeNotifier {
  readonly #listeners = new Map<number, Map<string, Set<Listener>>>()
  /** True while there are listeners. Without them, nobody need be notified. */
  hasListeners = false
  readonly #pending = new Set<Listener>()

  /** Calls a listener after each change of a topic, until the returned function is called. */
  listen (account: number, topics: readonly ChangeTopic[], listener: Listener): () => void {
    const ofAccount = this.#listeners.get(account) ?? new Map<string, Set<Listener>>()
    this.#listeners.set(account, ofAccount)
    const keys = topics.map(keyOf)
    for (const key of keys) {
      const ofTopic = ofAccount.get(key) ?? new Set()
      ofAccount.set(key, ofTopic.add(listener))
    }
    this.#updateHasListeners()
    return () => {
      this.#pending.delete(listener)
      for (const key of keys) {
        const ofTopic = ofAccount.get(key)
        ofTopic?.delete(listener)
        if (ofTopic?.size === 0) ofAccount.delete(key)
      }
      if (ofAccount.size === 0 && this.#listeners.get(account) === ofAccount) {
        this.#listeners.delete(account)
      }
      this.#updateHasListeners()
    }
  }

  #updateHasListeners (): void {
    this.hasListeners = this.#listeners.size > 0
  }

  /** Number of subscriptions. */
  get size (): number {
    let size = 0
    for (const ofAccount of this.#listeners.values()) {
      for (const ofTopic of ofAccount.values()) size += ofTopic.size
    }
    return size
  }

  notify (account: number, payment?: ChangedPayment): void {
    const ofAccount = this.#listeners.get(account)
    if (ofAccount === undefined) return
    if (payment === undefined) for (const ofTopic of ofAccount.values()) this.#wake(ofTopic)
    else for (const topic of topicsOf(payment)) this.#wake(ofAccount.get(keyOf(topic)))
  }

  /** Calls listeners in the next turn. What they read comes after the transaction. */
  #wake (listeners: ReadonlySet<Listener> | undefined): void {
    if (listeners === undefined) return
    if (this.#pending.size === 0) setImmediate(() => this.#callPending())
    for (const listener of listeners) this.#pending.add(listener)
  }

  #callPending (): void {
    const listeners = [...this.#pending]
    this.#pending.clear()
    for (const listener of listeners) listener()
  }
}

function topicsOf ({ seq, details: { id, phoneNumber } = {} }: ChangedPayment): ChangeTopic[] {
  return [
    { any: true },
    { seq },
    ...(id === undefined ? [] : [{ id }]),
    ...(phoneNumber === undefined ? [] : [{ phoneNumber }])
  ]
}

function keyOf (topic: ChangeTopic): string {
  if ('any' in topic) return 'any'
  if ('seq' in topic) return `payment ${topic.seq}`
  return 'id' in topic ? `id ${topic.id.toLowerCase()}` : `phone ${topic.phoneNumber}`
}
