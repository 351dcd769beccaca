import { families } from '../reports/exam/families.ts'
import type { Check } from './check.ts'
import { endpointChecks } from './endpoint.ts'
import { idempotencyChecks } from './idempotency.ts'
import { recoveryChecks } from './recovery.ts'
import { requestChecks } from './request.ts'
import { signatureChecks } from './signature.ts'
import { stateChecks } from './state.ts'
import { trustChecks } from './trust.ts'

export { families }

/** Every check, in the order of the catalogue. */
export const catalogue: readonly Check[] = [
  ...signatureChecks,
  ...trustChecks,
  ...idempotencyChecks,
  ...stateChecks,
  ...recoveryChecks,
  ...endpointChecks,
  ...requestChecks
]

/** Selects checks by identifiers or families, and lists the words that select nothing. */
export function select (words: readonly string[]): { checks: Check[]; unknown: string[] } {
  const wanted = words.map((word) => word.toUpperCase())
  const fits = (word: string, { id }: Check): boolean => id === word || id.startsWith(`${word}-`)
  return {
    checks: catalogue.filter(
      (row) => wanted.length === 0 || wanted.some((word) => fits(word, row))
    ),
    unknown: words.filter((_, n) => !catalogue.some((row) => fits(wanted[n], row)))
  }
}
