import { subjectPattern } from '../../src/admin-api/phone.ts'
import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { PhoneSubject } from '../../src/services/customer-phone.ts'

/**
 * Link to the phone of one number of one account. Its key opens nothing else. With a subject, it
 * opens only the payments of that subject.
 */
export interface PhoneLink {
  number: string
  path: string
  /** Query of the link, with its question mark. */
  query: string
  /** Path and query. */
  url: string
}

export function createPhoneLink (
  ids: Ids,
  account: Account,
  number: string,
  about?: PhoneSubject
): PhoneLink {
  const path = `/__admin/phone/${number}`
  const subject = about === undefined ? '' : `about=${writeSubject(about)}&`
  const query = `?${subject}key=${createPhoneKey(ids, account, number, about)}`
  return { number, path, query, url: path + query }
}

/** Creates the key of a link: the id of the account, and a secret of this server. */
export function createPhoneKey (
  ids: Ids,
  { id, name }: Account,
  number: string,
  about?: PhoneSubject
): string {
  const subject = about === undefined ? number : `${number}/${writeSubject(about)}`
  return `${id}.${ids.secret('phone', name, subject)}`
}

/** Reads the subject of a link; undefined means the whole phone. */
export function readSubject (about: string | undefined): PhoneSubject | undefined {
  if (about === undefined || !new RegExp(subjectPattern).test(about)) return undefined
  const [kind, id] = about.split('/')
  return { kind: kind === 'deposit' ? kinds.deposit : kinds.checkout, id }
}

function writeSubject ({ kind, id }: PhoneSubject): string {
  return `${kind.name}/${id}`
}
