import type { CallbackFault, ForgeryFault } from '../src/domain/callback-faults.ts'
import type { OutgoingCallback } from '../src/ports/ledger.ts'

/**
 * Faults of callbacks: pure functions from the correct callback to the one that is sent instead.
 */

/** Time after which a callback that waits for the next payment is sent without it. */
const longestHoldMs = 60_000

/**
 * The callbacks a scenario makes of one: later, more than one, none, or not quite as they should
 * be. One that claims something else has a forged body.
 */
export function applyFault (
  outgoing: OutgoingCallback,
  callback: CallbackFault,
  forgedBody?: string
): OutgoingCallback[] {
  if (callback.drop === true) return []
  const {
    delayMs = 0,
    duplicates = 0,
    afterNext = false,
    extraFields,
    drop: _,
    beforeAnswer: __,
    ...fault
  } = callback
  const due = outgoing.due + delayMs
  const sent: OutgoingCallback = {
    ...outgoing,
    due: afterNext ? due + longestHoldMs : due,
    body: addFields(outgoing.body, extraFields),
    ...(afterNext && { held: true }),
    ...(Object.keys(fault).length > 0 && {
      fault: {
        ...fault,
        ...(forgedBody !== undefined && { forgedBody: addFields(forgedBody, extraFields) })
      }
    })
  }
  return Array.from({ length: 1 + duplicates }, () => sent)
}

function addFields (body: string, fields: Record<string, unknown> | undefined): string {
  return fields === undefined ? body : JSON.stringify({ ...JSON.parse(body), ...fields })
}

const amounts = ['amount', 'requestedAmount', 'depositedAmount']

/** Puts more money into a body, wherever it has amounts. */
export function raiseAmounts (body: string): string {
  const record: unknown = JSON.parse(body)
  return JSON.stringify(record, (name, value: unknown) =>
    amounts.includes(name) && typeof value === 'string' ? `9${value}` : value
  )
}

/** Time of creation that a signature claims. */
export function signatureTime ({ staleMs = 0 }: ForgeryFault, now: number): number {
  return now - staleMs
}
