import { isObject } from '../lib/json.ts'
import type { Contract, Schema } from './contract.ts'
import { showName, showValue } from './redaction.ts'

/** Differences between an answer and its schema: field sets, types and enums, not values. */

export type DifferenceKind =
  | 'unknown-field'
  | 'missing-field'
  | 'wrong-type'
  | 'unknown-value'
  | 'unknown-code'
  | 'unknown-status'
  | 'other-status'
  | 'other-code'
  | 'other-outcome'
  | 'no-answer'
  | 'not-json'

/** Side that has more. `first` and `second` are the two servers of a comparison. */
export type Side = 'server' | 'schema' | 'first' | 'second' | 'neither'

export interface Difference {
  kind: DifferenceKind
  /** Path in the answer, such as `data.payer.type` or `countries[].prefix`; '' for all of it. */
  field: string
  more: Side
  message: string
}

type Resolve = Contract['resolve']

/** Compares a value with a schema. */
export function compareWithSchema (value: unknown, schema: Schema, resolve: Resolve): Difference[] {
  return removeRepeats(compareValue(value, schema, '', resolve))
}

function compareValue (
  value: unknown,
  unresolved: Schema,
  field: string,
  resolve: Resolve
): Difference[] {
  const schema = resolve(unresolved)
  if (schema.anyOf !== undefined) {
    const each = schema.anyOf.map((alternative) => compareValue(value, alternative, field, resolve))
    return each.reduce((best, other) => (other.length < best.length ? other : best))
  }
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [wrongType(value, types, field)]
  }
  const words = schema.const === undefined ? schema.enum : [schema.const]
  if (words !== undefined && !words.includes(value)) return [unknownWord(value, words, field)]
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? []
      : value.flatMap((item) => compareValue(item, items, `${field}[]`, resolve))
  }
  return isObject(value) ? compareObject(value, schema, field, resolve) : []
}

function compareObject (
  value: Record<string, unknown>,
  schema: Schema,
  field: string,
  resolve: Resolve
): Difference[] {
  const { properties = {}, required = [], additionalProperties } = schema
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  const others = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name))
  const isMap = typeof additionalProperties === 'object'
  const isOpen = isMap || additionalProperties === true || schema.properties === undefined
  return [
    ...missing.map((name) => missingField(joinPath(field, name))),
    ...known.flatMap(([name, inner]) =>
      compareValue(inner, properties[name], joinPath(field, name), resolve)
    ),
    ...(isMap
      ? others.flatMap(([, inner]) =>
        compareValue(inner, additionalProperties, joinPath(field, '*'), resolve)
      )
      : []),
    ...(isOpen ? [] : others.map(([name]) => unknownField(joinPath(field, showName(name)))))
  ]
}

function missingField (field: string): Difference {
  return {
    kind: 'missing-field',
    field,
    more: 'schema',
    message: `the schema requires \`${field}\`, the server does not send it`
  }
}

function unknownField (field: string): Difference {
  return {
    kind: 'unknown-field',
    field,
    more: 'server',
    message: `the server sends \`${field}\`, the schema does not have it`
  }
}

function wrongType (value: unknown, types: readonly string[], field: string): Difference {
  const place = field === '' ? 'as the answer' : `at \`${field}\``
  const [wanted, sent] = [types.map(withArticle).join(' or '), withArticle(jsonTypeOf(value))]
  const message = `the schema has ${wanted} ${place}, the server sends ${sent}`
  return { kind: 'wrong-type', field, more: 'neither', message }
}

function unknownWord (value: unknown, words: readonly unknown[], field: string): Difference {
  const isCode = /code$/i.test(field)
  const sent = `the server sends \`${showValue(value)}\` in \`${field}\``
  const message = `${sent}, the schema has only ${words.join(', ')}`
  return { kind: isCode ? 'unknown-code' : 'unknown-value', field, more: 'server', message }
}

/** Returns the type of a value in the words of JSON Schema. */
export function jsonTypeOf (value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isOfType (value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : jsonTypeOf(value) === type
}

export function withArticle (type: string): string {
  if (type === 'null') return type
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

export function joinPath (field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}

/** Removes repeats: several elements of a list can have the same difference. */
export function removeRepeats (differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((difference) => [difference.message, difference])).values()]
}
