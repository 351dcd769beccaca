import type { TSchema } from '@sinclair/typebox'
import { createValidator, findNearest, type Problem } from '../../src/lib/validator.ts'
import { anyText, sampleOf } from '../../src/openapi/sample.ts'

/** Hints for requests that do not match their schema. Loaded with the first such request. */

/** Part of the request that is wrong. Values in an address are not written as JSON. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

/** Examples where the schema itself cannot have any. */
const written: Record<string, unknown> = {
  'momock-duration': '10s',
  'http-url': 'http://127.0.0.1:3000/callbacks'
}

/**
 * Sentence that tells how to correct the first problem: the name that was probably meant, the
 * possible values, or an example.
 */
export function hintFor (
  schema: TSchema,
  value: unknown,
  place: RequestPart = 'body'
): string | undefined {
  const problems = createValidator(schema).all(value)
  const [problem] = problems
  return problem && (hintOnProblem(problem, problems, value, place) ?? exampleOr(schema))
}

function hintOnProblem (
  { rule, path, schema }: Problem,
  problems: readonly Problem[],
  value: unknown,
  place: RequestPart
): string | undefined {
  const [holder, name] = splitPath(path)
  if (rule === 'unknown') return hintOnUnknown(name, schema)
  if (rule === 'invalid') return hintOnInvalid(name, schema, valueAt(value, path), place)
  return hintOnMissing(
    name,
    schema,
    problems
      .filter((other) => other.rule === 'unknown' && splitPath(other.path)[0] === holder)
      .map((other) => splitPath(other.path)[1]),
    place
  )
}

/** Example of a value that matches a schema, or undefined if none is known. */
export function exampleFor (
  schema: TSchema,
  name = '',
  place: RequestPart = 'body'
): string | undefined {
  const example = adminSample(schema)
  if (example === anyText || !createValidator(schema).check(example)) return undefined
  if (place !== 'body') {
    return name === ''
      ? undefined
      : place === 'querystring'
        ? `?${name}=${String(example)}`
        : String(example)
  }
  return name === '' || /^\d+$/.test(name)
    ? JSON.stringify(example)
    : `${JSON.stringify(name)}: ${JSON.stringify(example)}`
}

function hintOnUnknown (name: string, { properties = {} }: TSchema): string {
  const known = Object.keys(properties)
  const near = findNearest(name, known)
  if (near !== undefined) return `write ${near} in place of ${name.slice(0, 60)}`
  return known.length === 0 ? 'leave it out' : `leave it out; there is ${known.join(', ')}`
}

/** A missing field may be misspelled. */
function hintOnMissing (
  name: string,
  schema: TSchema,
  unknownFields: readonly string[],
  place: RequestPart
): string | undefined {
  const near = findNearest(name, unknownFields)
  if (near !== undefined) return `did you mean ${name} where you wrote ${near.slice(0, 60)}?`
  return withExample(schema, name, place)
}

function hintOnInvalid (
  name: string,
  schema: TSchema,
  value: unknown,
  place: RequestPart
): string | undefined {
  const { values, isAll } = choicesOf(schema)
  const words = values.map(String)
  if (typeof value === 'string' && words.includes(value) && !values.includes(value)) {
    return `write ${value} without quotes`
  }
  const near = typeof value === 'string' ? findNearest(value, words) : undefined
  if (near !== undefined) return `did you mean ${near}?`
  if (isAll) return `use ${words.join(' or ')}`
  return withExample(schema, name, place)
}

function withExample (schema: TSchema, name: string, place: RequestPart): string | undefined {
  const example = exampleFor(schema, name, place)
  // An empty list or object shows nothing.
  return example === undefined || /(^|: )(\[\]|\{\})$/.test(example)
    ? undefined
    : `such as ${example}`
}

/** The whole schema, if the part has no better description. */
function exampleOr (schema: TSchema): string {
  return schema.examples === undefined
    ? 'GET /__admin/docs shows what it takes'
    : `such as ${JSON.stringify(schema.examples[0])}`
}

function adminSample (schema: TSchema): unknown {
  const { format } = (schema.anyOf as TSchema[] | undefined)?.[0] ?? schema
  return schema.examples === undefined && format in written
    ? written[format]
    : sampleOf(schema, 'admin')
}

/** Lists the values that a field can have, and tells whether these are all, null aside. */
function choicesOf (schema: TSchema): { values: unknown[]; isAll: boolean } {
  if (schema.anyOf === undefined) {
    const values = schema.enum ?? ('const' in schema ? [schema.const] : [])
    return { values, isAll: values.length > 0 }
  }
  const alternatives = (schema.anyOf as TSchema[])
    .filter(({ type }) => type !== 'null')
    .map((one) => choicesOf(one))
  return {
    values: alternatives.flatMap(({ values }) => values),
    isAll: alternatives.every(({ isAll }) => isAll)
  }
}

function valueAt (value: unknown, path: string): unknown {
  let here = value
  for (const key of path === '' ? [] : path.split('.')) {
    here = (here as Record<string, unknown> | null | undefined)?.[key]
  }
  return here
}

/** The path of the object that holds something, and the name it has there. */
function splitPath (path: string): [holder: string, name: string] {
  const end = path.lastIndexOf('.')
  return [path.slice(0, Math.max(end, 0)), path.slice(end + 1)]
}
