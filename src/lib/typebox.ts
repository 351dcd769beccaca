import type { TSchema } from '@sinclair/typebox'
import { Type } from './typebox-parts.ts'

/** TypeBox, as this project uses it. */
export { compiler, errors, FormatRegistry, Type } from './typebox-parts.ts'

/** Pattern of any name of a property. That of TypeBox leaves names with line ends out. */
export const anyName = '^[\\s\\S]*$'
/** Any name of a property. */
export const AnyName = Type.String({ pattern: anyName })

/** Schema of values of a type. */
export type SchemaOf<T> = TSchema & { static: T }

/** Schema of objects of a type, with all of its fields: one that is forgotten does not compile. */
export type FormOf<T> = SchemaOf<T> & { properties: { [Field in keyof T]-?: TSchema } }

/** Creates the schema of one of some words. */
export function createChoice<const Word extends string> (
  words: readonly Word[],
  options: { description?: string; default?: Word; examples?: Word[] } = {}
) {
  return Type.Union(
    words.map((word) => Type.Literal(word)),
    { description: `one of ${words.join(', ')}`, ...options }
  )
}
