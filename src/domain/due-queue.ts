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
 * Leases of queues, where several servers share a ledger: one server at a time works on a queue.
 * The time of the database decides when a lease ends.
 */
export interface QueueLeases {
  /** Number of this server. */
  readonly owner: number
  /** Duration of a lease in milliseconds, unless it is renewed. */
  readonly leaseMs: number
  /** Takes a queue. Returns false if a server has it. */
  acquireQueue: (queue: Queue) => Promise<boolean>
  /** Renews all leases of this server, and returns the queues that it still has. */
  renewLeases: () => Promise<Queue[]>
  /** Releases a queue whose work is done. */
  releaseQueue: (queue: Queue) => Promise<void>
  /** Releases queues whose work was aborted: callbacks without a result are due again. */
  recoverQueues: (queues: readonly Queue[]) => Promise<void>
  /** Returns whether another server has a queue of an account. */
  isTakenElsewhere: (account: number) => Promise<boolean>
  /**
   * Returns the queues that are not empty and that no other server has, with their earliest due
   * time. Queues of a server that has crashed become free, and the callbacks it had taken are due
   * again.
   */
  listFreeQueues: () => Promise<Array<Queue & { due: number }>>
}

/** Queues of payments, of statements, of links that expire, and of outages that end. */
export const paymentQueue = 0
export const statementQueue = 1
export const linkQueue = 2
export const outageQueue = 3

/** First number for the queues of callback URLs. Lower numbers are queues of the mock itself. */
export const firstCallbackQueue = 16
