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

/** Continues the payments that waited for operations of a provider that are available again. */
export async function releasePayments (
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
