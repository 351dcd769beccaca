/**
 * Queues of due work. Payments have one queue per account and every callback URL has its own, so
 * that a slow receiver delays no other.
 */
export interface Queue {
  account: number
  queue: number
}

export interface DueQueue {
  /** All queues that are not empty, with their earliest due time. */
  listQueues: () => Promise<Array<Queue & { due: number }>>
  listQueuesOf: (account: number) => Promise<Array<Queue & { due: number }>>
  findNextDue: (queue: Queue) => Promise<number | undefined>
  /** Calls the listener for every new entry. */
  listen: (listener: (queue: Queue, due: number) => void) => void
}

/**
 * Queues of payments, of statements, of links that expire, of outages that end, and of payments
 * that continue because their provider is available again.
 */
export const paymentQueue = 0
export const statementQueue = 1
export const linkQueue = 2
export const outageQueue = 3
export const releaseQueue = 4

/**
 * Releases that have begun: payments that waited for a provider continue. They are due work until
 * they are done. One is done at once when it begins, so it is announced only if that fails.
 */
export interface Releases {
  /** Returns the numbers of the releases of an account that have begun. */
  listReleases: (account: number) => Promise<number[]>
  /** Forgets releases that are done. */
  dropReleases: (account: number, numbers: readonly number[]) => Promise<void>
  announceReleases: (account: number) => void
}

/** First number for the queues of callback URLs. Lower numbers are queues of the mock itself. */
export const firstCallbackQueue = 16
