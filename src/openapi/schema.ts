import { anyName } from '../lib/typebox.ts'

/** A JSON schema of the document, or any other part of the document. */
export type Schema = Record<string, any>

/** Patterns of any name of a property: that of TypeBox, and our own. */
const anyNames = ['^(.*)$', anyName]
const ownFormats = ['momock-duration', 'utc-date-time']

/** Converts a schema of TypeBox and our validator to plain JSON Schema 2020-12. */
export function toPlainSchema (value: unknown): Schema {
  return tidy(JSON.parse(JSON.stringify(value))) as Schema
}

function tidy (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const { patternProperties, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, tidy(inner)])
  ) as Schema
  if (patternProperties !== undefined) {
    const any = anyNames.find((pattern) => pattern in patternProperties)
    if (any !== undefined) schema.additionalProperties = patternProperties[any]
    else schema.patternProperties = patternProperties
  }
  if (schema.format === 'http-url') schema.format = 'uri'
  // Our own formats are explained in the description.
  if (ownFormats.includes(schema.format)) delete schema.format
  const { anyOf, ...rest } = schema
  return isChoice(anyOf)
    ? { ...rest, type: anyOf[0].type, enum: anyOf.map((choice) => choice.const) }
    : schema
}

/** Alternatives that are all constants of one type are a list of values. */
function isChoice (anyOf: unknown): anyOf is Schema[] {
  return (
    Array.isArray(anyOf) &&
    anyOf.every((choice) => 'const' in choice && choice.type === anyOf[0].type)
  )
}

/** Moves all schemas with a name to the components, and puts references in their places. */
export function withComponents (document: Schema, named: Map<string, Schema>): Schema {
  const names = new Map([...named].reverse().map(([name, schema]) => [canonical(schema), name]))
  const used: Schema = {}
  const refer = (value: unknown, root = false): unknown => {
    if (Array.isArray(value)) return value.map((inner) => refer(inner))
    if (typeof value !== 'object' || value === null) return value
    const name = root ? undefined : names.get(canonical(value))
    if (name === undefined) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, refer(inner)]))
    }
    if (!(name in used)) {
      used[name] = true
      used[name] = refer(named.get(name), true)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const { components, ...rest } = refer(document, true) as Schema
  return { ...rest, components: { ...components, schemas: sorted(used) } }
}

/** Returns the target of a reference, or the schema itself. */
export function resolveReference (document: Schema, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : document.components.schemas[name]
}

const spelled = new WeakMap<object, string>()

/**
 * The same text for the same value, in whatever order its keys are. Each part is spelled once,
 * however often it is looked at from further out.
 */
function canonical (value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = spelled.get(value)
  if (text === undefined) {
    text = Array.isArray(value)
      ? `[${value.map(canonical).join()}]`
      : `{${Object.keys(value)
          .sort()
          .map((key) => `${JSON.stringify(key)}:${canonical((value as Schema)[key])}`)
          .join()}}`
    spelled.set(value, text)
  }
  return text
}

function sorted (object: object): Schema {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
