import type { Accounts } from '../src/accounts/registry.ts'
import type { Account } from '../src/domain/account.ts'
import type { Releases } from '../src/ports/due-queue.ts'
import type { Mover } from './mover.ts'

/** Parts that the ends of outages need. */
export interface OutageParts {
  accounts: Accounts
  mover: Mover
  releases: Releases
}

/**
 * Ends the outages of an account that are over at a time of its clock: new payments are accepted,
 * and those that waited continue. The release begins with the same edit, so a crash repeats it.
 */
export async function endOutages (
  parts: OutageParts,
  account: Account,
  now: number
): Promise<void> {
  await parts.accounts.changes.endOutages(account, now)
  await finishReleases(parts, account, () => now)
}

/**
 * Continues the payments that waited for operations which are available now, and forgets the
 * releases that have begun, also before a crash. If it fails, they are due. Returns the number of
 * payments.
 */
export async function finishReleases (
  { mover, releases }: Omit<OutageParts, 'accounts'>,
  account: Account,
  readNow: () => number
): Promise<number> {
  try {
    const begun = await releases.listReleases(account.id)
    const released = await mover.releaseAvailable(account, readNow)
    await releases.dropReleases(account.id, begun)
    return released
  } catch (error) {
    releases.announceReleases(account.id)
    throw error
  }
}
