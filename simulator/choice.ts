import type { Catalogue } from '../src/domain/catalog.ts'
import { isFailureCode } from '../src/domain/failures.ts'
import type { Kind } from '../src/domain/kinds.ts'
import type { Details } from '../src/domain/payment.ts'
import type { Script } from './script.ts'
import { completes, fails, hangs } from './script.ts'

/** Which script a payment follows, and why: a sandbox test number decides, any other number completes. */
export function chooseScript (kind: Kind, details: Details, catalogue: Catalogue): { script: Script, why: string } {
  const outcome = catalogue.testOutcome(kind.name, details.phoneNumber)
  if (outcome === undefined) return { script: completes, why: 'nothing else matched' }
  const why = `${details.phoneNumber} is a sandbox test number: ${outcome}`
  const name = `test-number:${outcome}`
  if (outcome === 'PENDING') return { script: hangs(name), why }
  return { script: isFailureCode(outcome) ? fails(name, outcome) : { ...completes, name }, why }
}
