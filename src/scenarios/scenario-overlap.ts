import { versions } from '../domain/api-version.ts'
import { isKindName, kinds } from '../domain/kinds.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { coversPattern } from '../domain/number-pattern.ts'
import { toList, type Scenario } from '../domain/scenario.ts'
import { payableKinds } from '../domain/kinds.ts'

/** Finds scenarios that can never be used, because earlier ones match all their payments. */

type When = Scenario['when']

/**
 * Tells whether the first scenario matches all payments of the second, so that the second is never
 * used.
 */
export function overlaps (first: Scenario, second: Scenario, catalogue: Catalogue): boolean {
  const { times, every, forMs, probability = 1 } = first
  if ((times ?? every ?? forMs) !== undefined || probability < 1) return false
  if (!isWithin(subjectsOf(first.when), subjectsOf(second.when))) return false
  return (Object.keys(first.when) as Array<keyof When>).every((field) =>
    covers(field, first.when, second.when, catalogue)
  )
}

/** Does a field let everything through that the second scenario is about? */
function covers (field: keyof When, first: When, second: When, { providers }: Catalogue): boolean {
  switch (field) {
    case 'kind':
      return isWithin(subjectsOf(first), subjectsOf(second))
    case 'version':
      return isWithin(toList(first.version), toList(second.version) ?? versions)
    case 'provider':
      return isWithin(toList(first.provider), toList(second.provider))
    case 'country':
      return isWithin(
        toList(first.country),
        toList(second.country) ??
          toList(second.provider)?.map((provider) => providers.get(provider)?.country ?? '')
      )
    case 'currency':
      return isWithin(
        toList(first.currency),
        toList(second.currency) ??
          toList(second.provider)?.flatMap((provider) =>
            Object.keys(providers.get(provider)?.currencies ?? { '': 1 })
          )
      )
    case 'phoneNumber':
      return (
        toList(second.phoneNumber)?.every((pattern) =>
          toList(first.phoneNumber)?.some((wider) => coversPattern(wider, pattern))
        ) ?? false
      )
    case 'amount':
      return (
        second.amount !== undefined && isInside(boundsOf(second.amount), boundsOf(first.amount))
      )
    case 'clientReferenceId':
      return first.clientReferenceId === second.clientReferenceId
    case 'metadata':
      return Object.entries(first.metadata ?? {}).every(
        ([name, value]) => second.metadata?.[name] === value
      )
  }
}

/** What a scenario is for. Without `kind`, it is not for checkouts and statements. */
function subjectsOf ({ kind }: When): readonly string[] {
  return toList(kind) ?? payableKinds
}

function isWithin (outer: readonly string[] = [], inner: readonly string[] | undefined): boolean {
  return inner?.every((value) => outer.includes(value)) ?? false
}

function boundsOf (amount: When['amount']): [from: number, to: number] {
  if (typeof amount !== 'object') return [Number(amount), Number(amount)]
  return [Number(amount.from ?? 0), Number(amount.to ?? Infinity)]
}

function isInside ([from, to]: [number, number], [least, most]: [number, number]): boolean {
  return from >= least && to <= most
}

/** Tells whether one of the API versions that a scenario is for has one of its kinds. */
export function isKnownToVersion ({ kind, version }: When): boolean {
  const asked = toList(version) ?? versions
  // A statement is no kind of payment.
  return subjectsOf({ kind }).some(
    (subject) =>
      !isKindName(subject) || kinds[subject].versions.some((version) => asked.includes(version))
  )
}
