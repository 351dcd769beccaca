import { kinds, type Kind, type KindName } from '../domain/kinds.ts'

/** The kind whose path a request goes to: that of /v2/payouts/bulk is the payout. */
export function findKindByPath (path: string): Kind | undefined {
  const [first, second] = path.split('/').filter((part) => part !== '')
  return Object.values(kinds).find((kind) => kind.path === (/^v\d+$/.test(first) ? second : first))
}

/** The kind of a payment that the journal names. */
export function findKind (name: string): Kind | undefined {
  return isKindName(name) ? kinds[name] : undefined
}

function isKindName (name: string): name is KindName {
  return Object.hasOwn(kinds, name)
}
