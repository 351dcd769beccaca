import { Type, type TSchema } from '@sinclair/typebox'

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

/** Creates the schema of a name that stands in URLs. No client can ask for `.` or `..` there. */
export function createName (longest: number, examples: string[] = []) {
  return Type.String({
    pattern: `^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,${longest}}$`,
    description: `1 to ${longest} letters, digits, dots, dashes or underscores, and not . or ..`,
    ...(examples.length > 0 && { examples })
  })
}
