import type { Accounts } from '../src/accounts/registry.ts'
import type { Account } from '../src/domain/account.ts'
import { availabilityOf } from '../src/domain/rules.ts'
import { operations } from '../src/domain/kinds.ts'
import type { Mover } from './mover.ts'

/** Parts that the ends of outages need. */
export interface OutageParts {
  accounts: Accounts
  mover: Mover
}

/**
 * Ends the outages of an account that are over at a time of its clock: new payments are accepted,
 * and those that waited continue. So do those whose release was interrupted. The ends are forgotten
 * last, so that a crash repeats the work.
 */
export async function endOutages (
  { accounts, mover }: OutageParts,
  id: number,
  now: number
): Promise<void> {
  const account = accounts.byId(id)
  await accounts.changes.openEndedOutages(account, now)
  for (const provider of account.outages.keys()) {
    await releasePayments(mover, account, provider, () => now)
  }
  await accounts.changes.forgetEndedOutages(account, now)
}

/**
 * Continues the payments that waited for a provider whose state was set, and notes that they do.
 * Returns their number.
 */
export async function releaseOnce (
  { accounts, mover }: OutageParts,
  account: Account,
  provider: string,
  readNow: () => number
): Promise<number> {
  const released = await releasePayments(mover, account, provider, readNow)
  const states = Object.values(account.outages.get(provider) ?? {})
  if (states.includes('OPERATIONAL')) await accounts.changes.forgetReleases(account)
  return released
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
