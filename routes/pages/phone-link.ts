import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { PhoneSubject } from '../../src/services/customer-phone.ts'
import type { Ids } from '../../src/lib/ids.ts'

/**
 * A link to the phone of one number, for one account: its key opens nothing else, and only that
 * much of the phone as the link is about.
 */

export interface PhoneLink {
  number: string
  path: string
}

/** What a link can be about, as its address says it; without it, the whole phone. */
export const subjectPattern = '^(deposit|checkout)/[0-9a-fA-F-]{36}$'

export function createPhoneLink (
  ids: Ids,
  account: Account,
  number: string,
  about?: PhoneSubject
): PhoneLink {
  const part = about === undefined ? '' : `about=${wordOf(about)}&`
  return {
    number,
    path: `/__admin/phone/${number}?${part}key=${phoneKey(ids, account, number, about)}`
  }
}

/** What a key looks like: whose it is, and what only the server can make. */
export function phoneKey (
  ids: Ids,
  { id, name }: Account,
  number: string,
  about?: PhoneSubject
): string {
  return `${id}.${ids.secret('phone', name, about === undefined ? number : `${number}/${wordOf(about)}`)}`
}

/** What an address says it is about. */
export function readSubject (about: unknown): PhoneSubject | undefined {
  if (typeof about !== 'string' || !new RegExp(subjectPattern).test(about)) return undefined
  const [kind, id] = about.split('/')
  return { kind: kinds[kind as PhoneSubject['kind']['name']], id }
}

function wordOf ({ kind, id }: PhoneSubject): string {
  return `${kind.name}/${id}`
}
