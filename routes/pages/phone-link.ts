import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { Subject } from '../../src/services/customer-phone.ts'
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
export const aboutPattern = '^(deposit|checkout)/[0-9a-fA-F-]{36}$'

export function phoneLink (ids: Ids, account: Account, number: string, about?: Subject): PhoneLink {
  const part = about === undefined ? '' : `about=${wordOf(about)}&`
  return {
    number,
    path: `/__admin/phone/${number}?${part}key=${keyOf(ids, account, number, about)}`
  }
}

/** What a key looks like: whose it is, and what only the server can make. */
export function keyOf (ids: Ids, { id, name }: Account, number: string, about?: Subject): string {
  return `${id}.${ids.secret('phone', name, about === undefined ? number : `${number}/${wordOf(about)}`)}`
}

/** What an address says it is about. */
export function subjectOf (about: unknown): Subject | undefined {
  if (typeof about !== 'string' || !new RegExp(aboutPattern).test(about)) return undefined
  const [kind, id] = about.split('/')
  return { kind: kinds[kind as Subject['kind']['name']], id }
}

function wordOf ({ kind, id }: Subject): string {
  return `${kind.name}/${id}`
}
