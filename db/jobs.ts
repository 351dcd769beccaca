import type { FirstRead, SharedWork } from './connection.ts'

/** Work that waits for its transaction. */
export interface Job extends SharedWork {
  work: () => unknown
  firstRead?: FirstRead
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
