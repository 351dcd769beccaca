import type { Account } from '../src/domain/account.ts'
import type { Ids } from '../src/ids.ts'

/** A link to the phone of one number, for one account: its key opens nothing else. */

export interface PhoneLink {
  number: string
  path: string
}

export function phoneLink (ids: Ids, account: Account, number: string): PhoneLink {
  return { number, path: `/__admin/phone/${number}?key=${keyOf(ids, account, number)}` }
}

/** What a key looks like: whose it is, and what only the server can make. */
export function keyOf (ids: Ids, { id, name }: Account, number: string): string {
  return `${id}.${ids.secret('phone', name, number)}`
}
