import { findSimilarProvider } from '../domain/similar-provider.ts'
import { findNearest } from '../lib/validator.ts'
import { isMetadata, isPhoneNumber, type Field, type LintFacts } from './journal-entry.ts'

/** Suggests a provider for an unknown code. */
export function suggestProvider (code: string, providers: readonly string[]): string | undefined {
  return findSimilarProvider(code, providers) ?? findNearest(code, providers)
}

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
  const suggested = suggestProvider(value, providers)
  if (suggested === undefined) unknown.add(value)
  return suggested ?? value
}
