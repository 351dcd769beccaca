import type { Accounts } from '../src/accounts/registry.ts'
import type { Account } from '../src/domain/account.ts'
import { availabilityOf } from '../src/domain/rules.ts'
import { releaseOf, type Releases } from '../src/ports/due-queue.ts'
import { operations } from '../src/domain/kinds.ts'
import type { Mover } from './mover.ts'

/** Parts that the ends of outages need. */
export interface OutageParts {
  accounts: Accounts
  mover: Mover
}

/** Parts that a release needs. */
export interface ReleaseParts {
  mover: Mover
  releases: Releases
}

/**
 * Ends the outages of an account that are over at a time of its clock: new payments are accepted,
 * and those that waited continue. The ends are forgotten last, so that a crash repeats the work.
 */
export async function endOutages (
  { accounts, mover }: OutageParts,
  id: number,
  now: number
): Promise<void> {
  const account = accounts.byId(id)
  const isEnded = (ends: object): boolean => Object.values(ends).some((end) => end <= now)
  const providers = Object.keys(account.outageEnds).filter((provider) =>
    isEnded(account.outageEnds[provider])
  )
  await accounts.changes.openEndedOutages(account, now)
  for (const provider of providers) {
    await releasePayments(mover, account, provider, () => now)
  }
  await accounts.changes.forgetEndedOutages(account, now)
}

/**
 * Continues the payments that waited for a provider whose state was set. The release is forgotten
 * then; if it fails, it is due. Returns the number of payments.
 */
export async function finishRelease (
  { mover, releases }: ReleaseParts,
  account: Account,
  provider: string,
  readNow: () => number
): Promise<number> {
  try {
    const released = await releasePayments(mover, account, provider, readNow)
    await releases.dropReleases(account.id, [releaseOf(provider)])
    return released
  } catch (error) {
    releases.announceReleases(account.id)
    throw error
  }
}

/** Finishes all releases of an account that have begun, also before a crash. */
export async function finishReleases (
  { accounts, mover, releases }: ReleaseParts & OutageParts,
  id: number,
  now: number
): Promise<void> {
  const begun = await releases.listReleases(id)
  await mover.releaseAvailable(accounts.byId(id), () => now)
  await releases.dropReleases(id, begun)
}

/** Continues the payments that waited for operations of a provider that are available again. */
async function releasePayments (
  mover: Mover,
  account: Account,
  provider: string,
  readNow: () => number
): Promise<number> {
  let released = 0
  for (const operation of operations) {
    if (availabilityOf(account, provider, operation) === 'OPERATIONAL') {
      released += await mover.releasePayments(account.id, provider, operation, readNow)
    }
  }
  return released
}
