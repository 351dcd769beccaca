import { findMeantProvider } from '../domain/similar-provider.ts'
import { isMetadata, isPhoneNumber, type Field, type LintFacts } from './journal-entry.ts'

/** Corrects the value of a field for v2. Collects provider codes that cannot be corrected. */
export function correctField (
  { path, name, value }: Field,
  { providers }: LintFacts,
  unknown: Set<string>
): unknown {
  if (isMetadata(path)) return value
  if (name === 'amount' && typeof value === 'number') return String(value)
  if (typeof value !== 'string') return value
  if (isPhoneNumber(path)) return value.replace(/\D/g, '')
  if (name !== 'provider' || providers.includes(value)) return value
  const suggested = findMeantProvider(value, providers)
  if (suggested === undefined) unknown.add(value)
  return suggested ?? value
}
