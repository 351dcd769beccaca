import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../../src/lib/json.ts'
import { createValidator, findNearest, showValue, type Problem } from '../../src/lib/validator.ts'
import { sampleOf } from '../../src/openapi/sample.ts'

/** A body that matches a schema, and how it differs from the one that was sent. */
export interface CorrectedBody {
  body: unknown
  changes: string[]
}

/** Rounds of corrections: the schema of a new value can want more. */
const mostRounds = 8

type JsonObject = Record<string, unknown>

/**
 * Corrects a body so that it matches a schema: names and words with typing errors become the
 * nearest known ones, missing and invalid values become examples, unknown fields are left out.
 */
export function correctBody (schema: TSchema, sent: unknown): CorrectedBody | undefined {
  const validator = createValidator(schema)
  const changes: string[] = []
  let body: unknown = isObject(sent) || Array.isArray(sent) ? structuredClone(sent) : {}
  for (let round = 0; round < mostRounds; round++) {
    const problems = validator.all(body)
    if (problems.length === 0) return { body, changes }
    for (const problem of problems) {
      if (problem.path === '') {
        body = sampleOf(schema, 'body')
        changes.push('the body is an example')
        break
      }
      const change = correctField(body, problem, problems)
      if (change !== undefined) changes.push(change)
    }
  }
  return undefined
}

/** Corrects one field, and says how. An earlier correction may have done it. */
function correctField (
  body: unknown,
  { rule, path, schema }: Problem,
  problems: readonly Problem[]
): string | undefined {
  const keys = path.split('.')
  const name = keys.at(-1) ?? ''
  const holder = findHolder(body, keys)
  if (holder === undefined) return undefined
  const value = holder[name]
  if (rule === 'unknown') {
    if (!Object.hasOwn(holder, name)) return undefined
    delete holder[name]
    return `${path} is left out`
  }
  const misspelled = rule === 'missing' ? findMisspelled(name, path, holder, problems) : undefined
  if (misspelled !== undefined) {
    holder[name] = holder[misspelled]
    delete holder[misspelled]
    return `${path} in place of ${misspelled}`
  }
  const corrected = correctValue(schema, value, path)
  holder[name] = corrected
  return rule === 'missing'
    ? `${path} is added`
    : `${path} is ${showValue(corrected)} in place of ${showValue(value)}`
}

/** Finds the unknown field that was probably meant to have this name. */
function findMisspelled (
  name: string,
  path: string,
  holder: JsonObject,
  problems: readonly Problem[]
): string | undefined {
  const prefix = path.slice(0, path.length - name.length)
  const unknown = problems
    .filter((problem) => problem.rule === 'unknown' && problem.path.startsWith(prefix))
    .map((problem) => problem.path.slice(prefix.length))
    .filter((field) => Object.hasOwn(holder, field))
  return findNearest(name, unknown)
}

/** A value that matches a schema and is as near as possible to the one that was sent. */
function correctValue (schema: TSchema, value: unknown, path: string): unknown {
  const { check } = createValidator(schema)
  const words = [schema.enum ?? schema.anyOf?.map((one: TSchema) => one.const) ?? schema.const]
    .flat()
    .filter((word) => typeof word === 'string')
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  const candidates = [
    findNearest(text, words),
    text,
    text.trim(),
    text.replace(/[\s+()-]/g, ''),
    text.replace(',', '.'),
    text.toUpperCase()
  ]
  const near = candidates.find((candidate) => candidate !== undefined && check(candidate))
  // Two different values get different identifiers.
  return near ?? sampleOf(schema, `${path} ${text}`)
}

function findHolder (body: unknown, keys: readonly string[]): JsonObject | undefined {
  let holder = body
  for (const key of keys.slice(0, -1)) {
    holder = isObject(holder) || Array.isArray(holder) ? (holder as JsonObject)[key] : undefined
  }
  return isObject(holder) || Array.isArray(holder) ? (holder as JsonObject) : undefined
}
