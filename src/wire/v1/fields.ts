import type { Static } from '@sinclair/typebox'
import { Type } from '../../lib/typebox.ts'
import { amountPattern } from '../../domain/amount.ts'
import type { MetadataEntry } from '../../domain/payment-request.ts'
import { Refused } from '../../domain/refusal.ts'
import { Amount, maxMetadata } from '../fields.ts'
import { uniqueNames } from '../wire.ts'

/** What the requests of the earlier generation share. */

export const Metadata = Type.Array(
  Type.Object(
    {
      fieldName: Type.String({ minLength: 1, description: 'a name' }),
      fieldValue: Type.String({ description: 'a string' }),
      isPII: Type.Optional(Type.Boolean({ description: 'true or false' }))
    },
    { description: '{ fieldName, fieldValue, isPII }' }
  ),
  { maxItems: maxMetadata, description: `a list of at most ${maxMetadata} objects` }
)

/** Some clients send the amount as a number. */
export const LooseAmount = Type.Union([Amount, Type.Number({ minimum: 0 })], {
  description: Amount.description
})

/** Reads an amount that may have come as a number. */
export function readAmount (amount: string | number): string {
  const text = String(amount)
  if (!new RegExp(amountPattern).test(text)) {
    throw new Refused('INVALID', `amount must be ${Amount.description}, got ${text}`)
  }
  return text
}

/** Reads metadata; no name may be given twice. */
export function readMetadata (entries: Static<typeof Metadata>): MetadataEntry[] | undefined {
  return uniqueNames(
    entries.map(({ fieldName, fieldValue, isPII }) => ({
      name: fieldName,
      value: fieldValue,
      ...(isPII === true && { isPII })
    }))
  )
}
