import { createHash } from 'node:crypto'
import type { Schema } from './schema.ts'

/** Example of a text without a format. */
export const anyText = 'text'

/**
 * Example of a value that matches a schema: required fields, and optional fields that have
 * examples. Identifiers depend only on their field, so that the example of a status check finds the
 * payment that the example of the initiation creates.
 */
export function sampleOf (schema: Schema, where: string): unknown {
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0], where)
  switch (schema.type) {
    case 'object':
      return sampleObject(schema, where)
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, (_, index) =>
        sampleOf(schema.items ?? {}, `${where}.${index}`)
      )
    case 'string':
      return sampleText(schema, where)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return null
  }
}

function sampleObject ({ properties = {}, required = [] }: Schema, where: string): Schema {
  const shown = Object.entries<Schema>(properties).filter(
    ([name, { examples }]) => required.includes(name) || examples !== undefined
  )
  return Object.fromEntries(
    shown.map(([name, schema]) => [name, sampleOf(schema, `${where}.${name}`)])
  )
}

function sampleText ({ pattern = '', format, minLength = 1 }: Schema, where: string): string {
  if (pattern.startsWith('^[0-9a-fA-F]{8}') || format === 'uuid') return identifier(where)
  if (format === 'date-time') return '2026-01-31T11:59:59Z'
  if (format === 'date') return '2026-01-31'
  if (format === 'uri') return 'https://shop.example/'
  return anyText.padEnd(minLength, '-')
}

function identifier (where: string): string {
  const hex = createHash('sha256').update(where).digest('hex')
  const [a, b, c, d, e] = [[0, 8], [8, 12], [13, 16], [17, 20], [20, 32]].map(([from, to]) =>
    hex.slice(from, to)
  )
  return `${a}-${b}-4${c}-a${d}-${e}`
}
