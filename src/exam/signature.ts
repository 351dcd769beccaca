import type { Check } from './check.ts'
import { forgeryChecks } from './signature-forgeries.ts'
import { honestChecks } from './signature-honest.ts'

/** SIG: is a callback believed because of its signature, and only because of that? */

/** Checks of the signature, in the order of the catalogue. */
export const signatureChecks: readonly Check[] = [...forgeryChecks, ...honestChecks].toSorted(
  (one, other) => one.id.localeCompare(other.id)
)
