import type { TString } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import { DateTime } from '../../src/wire/fields.ts'

/** What lists have in common: everything in a query is a text. */

const defaultLimit = 100

export const PageLimit = Type.String({
  pattern: '^([1-9][0-9]{0,2}|1000)$',
  examples: [String(defaultLimit)],
  description: `a number from 1 to 1000, ${defaultLimit} when left out`
})

/** How many somebody wants. */
export function readLimit (given: string | undefined): number {
  return given === undefined ? defaultLimit : Number(given)
}

export function NumberText (what: string): TString {
  return Type.String({
    pattern: '^[0-9]{1,15}$',
    examples: ['1'],
    description: `a number: ${what}`
  })
}

export function DateTimeText (what: string): TString {
  return Type.String({
    format: DateTime.format as string,
    description: `an RFC 3339 date-time: ${what}`
  })
}
