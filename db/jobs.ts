import type { FirstRead, WorkAhead } from './connection.ts'

/** Options of a piece of work that reads. */
export interface ReadOptions {
  /** First read of the work, for an engine that reads for a whole batch at once. */
  firstRead?: FirstRead
}

/** Options of a piece of work that writes. */
export interface WriteOptions<T> extends ReadOptions {
  /** False lets the work wait a moment, so that it can share the transaction of others. */
  urgent?: boolean
  /**
   * True for work that gets a transaction of its own, and is never repeated: it goes on from where
   * it is, or it locks what others lock in another order.
   */
  alone?: boolean
  /**
   * Changes memory to match what was stored. It is called right after the commit. Such work is
   * alone, so that all later work sees the changed memory.
   */
  committed?: (value: T) => void
}

/** Work that waits for its transaction. */
export interface Job extends WorkAhead {
  work: () => unknown
  /** Term of its account: see `Database.termOf`. */
  term?: number
  /** Called right after the commit of the job, before the next job begins. */
  committed?: (value: never) => void
  resolve: (value: never) => void
  reject: (error: unknown) => void
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
