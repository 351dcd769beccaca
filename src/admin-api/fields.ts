import { Type } from '../lib/typebox.ts'
import { kinds, type KindName } from '../domain/kinds.ts'
import { DateTime, PathIdentifier } from '../wire/fields.ts'

/** Fields that several calls of the admin API share. */

/** JSON of the payments API itself; the API reference describes it. */
export type Json = Record<string, any>

export type Headers = Record<string, string | string[]>

export const kindNames = Object.values(kinds).map(({ name }) => name)

const defaultLimit = 100

/** Query parameters are always strings, so a number is a pattern. */
export const PageLimit = Type.String({
  pattern: '^([1-9][0-9]{0,2}|1000)$',
  examples: [String(defaultLimit)],
  description: `a number from 1 to 1000; the default is ${defaultLimit}`
})

export const NextPage = Type.Integer({
  description: 'present if there may be more: send it as `after` to get the next page'
})

/** Reads the page size of a list. */
export function readLimit (given: string | undefined): number {
  return given === undefined ? defaultLimit : Number(given)
}

/** Creates the schema of a number in a query or a path. */
export function createNumberText (what: string) {
  return Type.String({
    pattern: '^[0-9]{1,15}$',
    examples: ['1'],
    description: `a number: ${what}`
  })
}

/** Creates the schema of a time in a query. */
export function createDateTimeText (what: string) {
  return Type.String({ format: 'date-time', description: `an RFC 3339 date-time: ${what}` })
}

/** Creates the schema of an object of an answer with any fields. */
export function createJsonObject (description?: string) {
  return Type.Unsafe<Json>(createOpenObject(description))
}

/** Creates the schema of a body whose fields the handler validates. */
export function createOpenObject (description?: string) {
  return Type.Unsafe<Record<string, unknown>>(
    Type.Object(
      {},
      { additionalProperties: true, ...(description !== undefined && { description }) }
    )
  )
}

/** Creates the schema of an answer without a body. */
export function createEmptyAnswer (description: string) {
  return Type.Unsafe<undefined>(Type.Null({ description }))
}

/** Headers of a request or an answer, by name. */
export const HeaderMap = Type.Unsafe<Headers>(
  Type.Object({}, { additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())]) })
)

/** Name of a kind, or its word in paths: `deposit` or `deposits`. */
export const KindWord = Type.String({
  description: `one of ${kindNames.join(', ')}`,
  examples: ['deposit' satisfies KindName]
})

/** Identifier of a payment. The example is the deposit that the API reference creates. */
export const PaymentId = Type.String({
  ...PathIdentifier,
  examples: ['0b5cbd82-5299-43ea-a0a4-e2f686bce85c']
})

/** Creates the schema of a time of the machine's clock or the account's clock. */
export function createTimestamp (description: string) {
  return Type.String({ ...DateTime, description })
}
