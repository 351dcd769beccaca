import type { Database } from './database.ts'

/**
 * Finds what a link leads to. The link does not tell its account, and the rows of an account may be
 * gone for a moment, or complete only in part, while it is restored or deleted. So what cannot be
 * trusted is read again as soon as the accounts are free that are locked at the moment.
 */
export async function findLinked<T extends { account: number }> (
  database: Database,
  read: () => Promise<T | undefined>
): Promise<T | undefined> {
  const look = async (): Promise<{ locked: number[]; found: T | undefined }> => {
    const locked = await listLocked(database)
    return { locked, found: await read() }
  }
  const { locked, found } = await database.readMoment(undefined, look)
  if (found !== undefined && !locked.includes(found.account)) return found
  for (const account of found === undefined ? locked : [found.account]) {
    const again = await database.readMoment(account, read)
    if (again?.account === account) return again
  }
}

/** Lists the locked accounts. An upload of a snapshot locks a negative number, and has no links. */
async function listLocked ({ sharing, locks }: Database): Promise<number[]> {
  const locked = (await sharing?.listLocked()) ?? locks?.list() ?? []
  return locked.filter((account) => account > 0)
}
