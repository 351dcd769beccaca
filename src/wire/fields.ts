import type { TSchema } from '@sinclair/typebox'
import { uuidPattern } from '../lib/ids.ts'
import { AnyName, closed, Type } from '../lib/typebox.ts'
import { amountPattern } from '../domain/amount.ts'

/**
 * Fields that both versions share. The description is the rule in words: a caller reads it when the
 * rule is broken. The examples together make a request that is accepted.
 */

const uuidV4 =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'

export const maxMetadata = 10

export const Identifier = Type.String({
  minLength: 36,
  maxLength: 36,
  pattern: uuidV4,
  description: 'a UUIDv4 of 36 characters'
})
export const PathIdentifier = Type.String({
  pattern: uuidPattern,
  description: 'a UUID of 36 characters'
})
export const Amount = Type.String({
  minLength: 1,
  maxLength: 23,
  pattern: amountPattern,
  examples: ['15.00'],
  description:
    "an amount in quotes such as '15' or '15.50': at most 18 digits before the point and 4 " +
    'after it, at least one on both sides, no sign and no leading zeroes'
})
export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  examples: ['ZMW'],
  description: 'an ISO 4217 code of three upper-case letters'
})
export const Country = Type.String({
  pattern: '^[A-Z]{3}$',
  examples: ['ZMB'],
  description: 'an ISO 3166-1 alpha-3 code of three upper-case letters'
})
export const PhoneNumber = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['260763456789'],
  description: 'a string of digits with the country code'
})
export const ProviderCode = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['MTN_MOMO_ZMB'],
  description: 'the code of a provider, such as MTN_MOMO_ZMB'
})
export const Message = Type.String({
  minLength: 4,
  maxLength: 22,
  pattern: '^[a-zA-Z0-9 ]+$',
  examples: ['Order 1234'],
  description: '4 to 22 letters, digits and spaces'
})
export const DateTime = Type.String({
  format: 'date-time',
  examples: ['2026-01-31T11:59:59Z'],
  description: 'an RFC 3339 date-time'
})
export const ReturnUrl = Type.String({
  format: 'http-url',
  maxLength: 2048,
  examples: ['https://shop.example/thanks'],
  description: 'an http or https URL such as https://shop.example/thanks'
})
export const PreAuthorisationCode = Type.String({
  maxLength: 36,
  description: 'a string of 1 to 36 characters'
})
export const ClientReferenceId = Type.String({
  maxLength: 256,
  description: 'a string of at most 256 characters'
})

/** The keys callbacks are signed with, the one in use first. */
export const PublicKeys = Type.Array(
  Type.Object({
    id: Type.String({ description: 'its keyid in signatures' }),
    key: Type.String({ description: 'the key as PEM' })
  })
)

/** The metadata of a record: each name with its value. */
export const MetadataObject = Type.Record(AnyName, Type.String(), {
  description: 'each name with its value'
})

/** Identifier in an answer: as it was sent, if it was sent. */
export const Echo = Type.String({ maxLength: 36, description: 'the identifier, as it was sent' })

export const FailureReason = failureSchema(Type.String({ description: 'why, in one word' }))

/** Why something was refused or failed: a code and a sentence. */
export function failureSchema<Code extends TSchema> (code: Code) {
  return Type.Object(
    { failureCode: code, failureMessage: Type.String({ description: 'why, in a sentence' }) },
    closed
  )
}
