import type { OwnedLock } from './account-locks.ts'
import type { FirstRead, SharedWork, Sharing } from './connection.ts'

/** Options of any piece of work. */
interface AllOptions {
  /** First read of the work, for an engine that reads for a whole batch at once. */
  firstRead?: FirstRead
}

/** Options of a piece of work that reads. */
export interface ReadOptions extends AllOptions {
  /**
   * True if the reads must see one moment although other servers write meanwhile: then the work
   * gets a transaction of its own.
   */
  oneMoment?: boolean
}

/** Options of a piece of work that writes. */
export interface WriteOptions<T> extends AllOptions, Pick<SharedWork, 'lease' | 'claims'> {
  /** False lets the work wait a moment, so that it can share the transaction of others. */
  urgent?: boolean
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
  /** Lock of the work that the job belongs to. */
  owned?: OwnedLock
  /** Called right after the commit of the job, before the next job begins. */
  committed?: (value: never) => void
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** Options of reads of one moment: several statements, while other servers write. */
export function readOneMoment (sharing: Sharing | undefined): ReadOptions {
  return sharing === undefined ? {} : { oneMoment: true }
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

/** Refuses jobs with an error. */
export function rejectJobs (jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}
