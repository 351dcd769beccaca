import { FormatRegistry, Type, type Static, type TSchema } from '@sinclair/typebox'
import { durationForms, parseDuration } from './duration.ts'

/** TypeBox, as this project uses it. */
export { FormatRegistry, Type } from '@sinclair/typebox'

/** Pattern of any name of a property. That of TypeBox leaves names with line ends out. */
export const anyName = '^[\\s\\S]*$'
/** Any name of a property. */
export const AnyName = Type.String({ pattern: anyName })

/** Schema of values of a type. */
export type SchemaOf<T> = TSchema & { static: T }

/** Schema of objects of a type, with all of its fields: one that is forgotten does not compile. */
export type FormOf<T> = SchemaOf<T> & { properties: { [Field in keyof T]-?: TSchema } }

/** The same schema with another description. */
export function describe<Schema extends TSchema> (description: string, schema: Schema): Schema {
  return { ...schema, description }
}

/** Closed objects: a field that is not named is refused. */
export const closed = { additionalProperties: false } as const

/** Schema of a text that is not empty. */
export function text (description: string) {
  return Type.String({ minLength: 1, description })
}

/** Schema of one of some words. */
export function choice<const Word extends string> (
  words: readonly Word[],
  options: { description?: string; default?: Word; examples?: Word[] } = {}
) {
  return Type.Union(
    words.map((word) => Type.Literal(word)),
    { description: `one of ${words.join(', ')}`, ...options }
  )
}

/**
 * Schema of a field of an answer that is one of these words; the type is their union. TypeBox does
 * not validate `enum`, so a request uses `choice`.
 */
export function answerWord<Word extends string> (...words: readonly Word[]) {
  return Type.Unsafe<Word>(Type.String({ enum: [...new Set(words)] }))
}

/** The same schema, or null: real clients send null for missing values. */
export function orNull<T extends TSchema> (schema: T) {
  return Type.Union([schema, Type.Null()], { description: `${schema.description} (or null)` })
}

FormatRegistry.Set('momock-duration', (text) => parseDuration(text) !== undefined)

/** Schema of a duration in a file or a request: `'15m'`, `'1m30s'`, `'PT15M'`, or milliseconds. */
export function duration (
  description = durationForms,
  options: { default?: string; minimum?: string; maximum?: string } = {}
) {
  return Type.Union(
    [Type.String({ format: 'momock-duration' }), Type.Number({ minimum: 0 })],
    { description, ...options }
  )
}

export const Duration = duration()
export type Duration = Static<typeof Duration>

/** Creates the schema of a name that stands in URLs. No client can ask for `.` or `..` there. */
export function createName (longest: number, examples: string[] = []) {
  return Type.String({
    pattern: `^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,${longest}}$`,
    description: `1 to ${longest} letters, digits, dots, dashes or underscores, and not . or ..`,
    ...(examples.length > 0 && { examples })
  })
}
