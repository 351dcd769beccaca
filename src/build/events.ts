import { nameForLog } from '../accounts/sandbox-tokens.ts'
import { EventFeed } from '../monitoring/event-feed.ts'
import type { Setup } from './setup.ts'
import type { Storage } from './storage.ts'

/** Builds the feed of events. Most runs need none, so its first listener loads it. */
export function buildEventFeed (
  { observation, systemClock }: Setup,
  { accounts, database }: Storage
): EventFeed {
  return new EventFeed({
    observation,
    systemClock,
    // The account can be deleted while one of its callbacks is on its way.
    nameAccount: (id) => {
      const account = accounts.find(id)
      return account === undefined ? `deleted account ${id}` : nameForLog(account)
    },
    watchTransactions: (observer) => {
      database.observer = observer
    }
  })
}
