import { crc32 } from 'node:zlib'

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

/** Queue of an account that another call waits for. */
export interface WantedTurn {
  account: number
  /** Name of the call. */
  by: string
}

/** What a server sees of the others when it looks for work. */
export interface LeaseView {
  /** Queues that are not empty and that no other server has, with their earliest due time. */
  free: Array<Queue & { due: number }>
  /** Accounts with queues of this server that another one wants to use alone. */
  evicted: number[]
  /** Turns of this server that calls of other servers want to interrupt. */
  wanted: WantedTurn[]
  /** True if a server has died whose queues nobody has taken over. */
  hasDead: boolean
}

/**
 * Leases of queues, where several servers share a ledger: one server at a time works on a queue. A
 * server has its leases as long as it is alive; the time of the database decides.
 */
export interface QueueLeases {
  /** Number of this server. */
  readonly owner: number
  /** Time in milliseconds after which a server counts as dead, unless it renews its lease. */
  readonly leaseMs: number
  /** Calls the listener when this server counted as dead: it has lost all queues. */
  listenForLoss: (listener: () => void) => void
  /** Takes a queue. Returns false if a server has it, or another one uses the account alone. */
  acquireQueue: (queue: Queue) => Promise<boolean>
  /** Renews the lease of this server, and returns the queues that it has. */
  renewLeases: () => Promise<Queue[]>
  /** Releases a queue whose work is done. */
  releaseQueue: (queue: Queue) => Promise<void>
  /** Releases a queue without work. If the ledger cannot be reached, it tries again. */
  endAgreement: (queue: Queue) => Promise<void>
  /** Returns whether work of this server has the lock of an account. */
  hasLock: (account: number) => boolean
  /** Releases queues whose work was aborted: callbacks without a result are due again. */
  recoverQueues: (queues: readonly Queue[]) => Promise<void>
  /** Ends the lease of this server. It has no queues any more. */
  leave: () => Promise<void>
  /** Returns whether another server has a callback of an account that was due by a time. */
  isCallbackTakenElsewhere: (account: number, dueBy: number) => Promise<boolean>
  /** Returns the number of the last payment of an account, of all servers. */
  readLastPayment: (account: number) => Promise<number>
  /** Returns the earliest due time of an account without the work of later payments. */
  findWorkUntil: (account: number, lastPayment: number) => Promise<number>
  /** Asks the server that has the turn of an account to end it early. */
  askForTurn: (account: number, by: string) => Promise<void>
  /** Lets the other servers release the queues of an account, and waits until they have. */
  takeAlone: (account: number) => Promise<void>
  look: () => Promise<LeaseView>
  /**
   * Frees the queues of servers that have died; the callbacks they had taken are due again. Returns
   * the accounts that they had locked: this server has the locks now.
   */
  recoverDead: () => Promise<number[]>
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
 * they are done. The server that begins one does it at once, so it is announced only if that fails.
 */
export interface Releases {
  /** Returns the numbers of the releases of an account that have begun. */
  listReleases: (account: number) => Promise<number[]>
  /** Forgets releases that are done. */
  dropReleases: (account: number, numbers: readonly number[]) => Promise<void>
  announceReleases: (account: number) => void
}

/** Returns the number of the release of a provider. */
export function releaseOf (provider: string): number {
  return crc32(provider)
}

/** Number of the release of all providers. */
export const releaseOfAll = 0

/**
 * Queues without due work, whose leases several servers use to agree: the turn of work that must
 * not overlap on an account, the wish to use an account alone, and the lock of its rows.
 */
export const turnQueue = 13
export const aloneQueue = 14
export const lockQueue = 15

/** First number for the queues of callback URLs. Lower numbers are queues of the mock itself. */
export const firstCallbackQueue = 16
