import type { Database } from './database.ts'
import { readOneMoment } from './jobs.ts'

/**
 * Finds what a link leads to. The link does not tell its account, and the rows of an account may be
 * gone for a moment, or complete only in part, while it is restored or deleted. So what cannot be
 * trusted is read again as soon as the accounts are free that are locked at the moment.
 */
export async function findLinked<T extends { account: number }> (
  database: Database,
  read: () => T | undefined
): Promise<T | undefined> {
  const look = (): { locked: number[]; found: T | undefined } => {
    const locked = listLocked(database)
    return { locked, found: read() }
  }
  const options = readOneMoment(database)
  const { locked, found } = await database.transact(look, options)
  if (found !== undefined && !locked.includes(found.account)) return found
  for (const account of found === undefined ? locked : [found.account]) {
    const again = await database.transactFor(account, read, options)
    if (again?.account === account) return again
  }
}

/** Lists the locked accounts. An upload of a snapshot locks a negative number, and has no links. */
function listLocked ({ sharing, locks }: Database): number[] {
  return (sharing?.listLocked() ?? locks?.list() ?? []).filter((account) => account > 0)
}
