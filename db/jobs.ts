import type { OwnedLock } from './account-locks.ts'
import type { FirstRead, SharedWork, Sharing } from './connection.ts'

/** First read of work that reads nothing, as a rule. */
export const noRead: FirstRead = { statement: {}, parameters: [] }

/** Options of a piece of work. */
export interface WorkOptions<T> extends Pick<SharedWork, 'lease' | 'claims' | 'isRead'> {
  /** False lets the work wait a moment, so that it can share the transaction of others. */
  urgent?: boolean
  /** First read of the work, for an engine that reads for a whole batch at once. */
  firstRead?: FirstRead
  /** True if the work reads more than its first read, as a rule. */
  readsMore?: boolean
  /**
   * Changes memory to match what was stored. It is called right after the commit. Such work gets a
   * transaction of its own, so that all later work sees the changed memory. It is never repeated.
   */
  committed?: (value: T) => void
}

/** Work that waits for its transaction. */
export interface Job extends SharedWork {
  work: () => unknown
  firstRead?: FirstRead
  readsMore?: boolean
  /** Lock of the work that the job belongs to. */
  owned?: OwnedLock
  /** Called right after the commit of the job, before the next job begins. */
  committed?: (value: never) => void
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * Returns the options of work that only reads, with several statements that must see the same
 * moment. Where other servers write meanwhile, such work gets a transaction of its own: if it
 * shared one with work that writes, each statement would see what is stored by then.
 */
export function readOneMoment ({
  sharing
}: {
  sharing: Sharing | undefined
}): WorkOptions<unknown> {
  return sharing === undefined ? { isRead: true } : { isRead: true, committed: () => {} }
}

/** Splits jobs into groups that share a transaction, in order. */
export function groupJobs (jobs: Job[]): Job[][] {
  const groups: Job[][] = []
  let open: Job[] | undefined
  for (const job of jobs) {
    if (job.committed !== undefined) {
      groups.push([job])
      open = undefined
    } else if (open === undefined) groups.push((open = [job]))
    else open.push(job)
  }
  return groups
}

/**
 * Orders jobs for an engine that reads for a whole batch at once: those that only read come first,
 * because a change makes what was read before outdated. Nobody waits for one of the jobs before
 * handing in another, so each order is as good.
 */
export function readFirst (jobs: Job[]): Job[] {
  const isRead = ({ firstRead, isRead }: Job): boolean => firstRead !== undefined && isRead === true
  const reads = jobs.filter(isRead)
  if (reads.length === 0 || reads.length === jobs.length) return jobs
  return [...reads, ...jobs.filter((job) => !isRead(job))]
}

/**
 * Tells whether a job can be in the background: it reads nothing but its first read, as a rule. One
 * that reads more sends the next transactions to the foreground.
 */
export function isShort ({ firstRead, readsMore, committed, claims, lease }: Job): boolean {
  if (firstRead === undefined || readsMore === true) return false
  return committed === undefined && claims !== true && lease === undefined
}

/** Refuses jobs with an error. */
export function rejectJobs (jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}
