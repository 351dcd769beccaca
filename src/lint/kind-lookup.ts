import { kinds, type Kind, type KindName } from '../domain/kinds.ts'

/** Finds the kind of a path: /v2/payouts/bulk belongs to payouts. */
export function findKindByPath (path: string): Kind | undefined {
  const [first, second] = path.split('/').filter((part) => part !== '')
  return Object.values(kinds).find((kind) => kind.path === (/^v\d+$/.test(first) ? second : first))
}

/** Finds a kind by its name in the journal. */
export function findKind (name: string): Kind | undefined {
  return isKindName(name) ? kinds[name] : undefined
}

function isKindName (name: string): name is KindName {
  return Object.hasOwn(kinds, name)
}
