import type { Difference } from './body-comparison.ts'

/** Writes a difference as a text: `amount: wanted 16, got "15.00"`. */
export function describeDifference ({ field, wanted, got }: Difference): string {
  const value = got === undefined ? 'it is absent' : `got ${JSON.stringify(got)}`
  return `${field}: wanted ${JSON.stringify(wanted)}, ${value}`
}
