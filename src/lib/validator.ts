import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import type { ValueError } from '@sinclair/typebox/errors'
import { isIPv4 } from 'node:net'
import { distance } from 'fastest-levenshtein'
import { isClockTime } from './clock.ts'
import { compiler, errors, FormatRegistry } from './typebox.ts'
import { showUrls } from './url.ts'

/** Checks values against TypeBox schemas, with messages that name the field and the rule. */

/** One violation of a schema. */
export interface Problem {
  rule: 'missing' | 'unknown' | 'invalid'
  /** Dotted path: payer.accountDetails.provider. Empty for the whole value. */
  path: string
  message: string
  /** Schema of the wrong or missing value; for an unknown field, schema of its object. */
  schema: TSchema
}

/** Validator of one schema. */
export interface Validator<T extends TSchema = TSchema> {
  check: (value: unknown) => value is Static<T>
  first: (value: unknown) => Problem | undefined
  all: (value: unknown) => Problem[]
}

/** Problems of one value that are listed. Nobody reads more, and a name takes 40 µs to explain. */
const mostProblems = 100

const zone = '([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)'
/** A leap second (:60) is refused: no clock here can show it. */
const timeOfDay = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?'
const dateTime = new RegExp(`^\\d{4}-\\d{2}-\\d{2}[Tt]${timeOfDay}${zone}$`)

/** Date and time in UTC, with or without `Z`. Some clients leave out the seconds. */
const utcDateTime = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?[Zz]?$/

FormatRegistry.Set(
  'date-time',
  (text) => dateTime.test(text) && isDay(text.slice(0, 10)) && isClockTime(Date.parse(text))
)
FormatRegistry.Set('utc-date-time', (text) => utcDateTime.test(text) && isDay(text.slice(0, 10)))
FormatRegistry.Set('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text))
FormatRegistry.Set('http-url', isHttpUrl)
FormatRegistry.Set('ipv4', isIPv4)
/** A URL that a path can follow. */
FormatRegistry.Set('base-url', (text) => isHttpUrl(text) && !/[?#]/.test(text))

/** Compiled schemas: a process with many servers, as in tests, compiles each one once. */
const compiledSchemas = new WeakMap<TSchema, TypeCheck<any>>()

/** Compiles a schema, or returns what an earlier call has compiled. */
export function compileSchema<T extends TSchema> (schema: T): TypeCheck<T> {
  let compiled: TypeCheck<T> | undefined = compiledSchemas.get(schema)
  if (compiled === undefined) {
    compiled = compiler().TypeCompiler.Compile(schema)
    compiledSchemas.set(schema, compiled)
  }
  return compiled
}

/**
 * Creates the validator of a schema. `name` stands for the whole value in messages. The schema is
 * compiled by the first check, not at start-up. The messages do not need the compiled schema.
 */
export function createValidator<T extends TSchema> (
  schema: T,
  name = 'the value'
): Validator<T> {
  let compiled: TypeCheck<T> | undefined
  return {
    check: (value): value is Static<T> => (compiled ??= compileSchema(schema)).Check(value),
    first: (value) => {
      if (fitsSimply(schema, value)) return undefined
      const error = errors().Errors(schema, [], value).First()
      return error && describeError(findInnerErrors(error)[0], name)
    },
    all: (value) => {
      if (fitsSimply(schema, value)) return []
      const problems = new Map<string, Problem>()
      for (const error of errors().Errors(schema, [], value)) {
        if (problems.size >= mostProblems) break
        for (const inner of findInnerErrors(error)) {
          const found = describeError(inner, name)
          if (!problems.has(found.path)) problems.set(found.path, found)
        }
      }
      return [...problems.values()]
    }
  }
}

/** Keywords of a schema that `fitsSimply` knows. */
const simpleKeywords = new Set(
  (
    'type const anyOf minLength maxLength pattern format minimum maximum exclusiveMinimum ' +
    'default description properties required additionalProperties items patternProperties'
  ).split(' ')
)

/**
 * Returns true if the value certainly fits. Knows only the schemas of settings: false can also mean
 * that the schema has something else, or that a list has an element. Loading the errors of TypeBox
 * takes 4 % of a start, and most starts have valid settings.
 */
function fitsSimply (schema: TSchema, value: unknown): boolean {
  if (!Object.keys(schema).every((keyword) => simpleKeywords.has(keyword))) return false
  if ('const' in schema) return value === schema.const
  if ('anyOf' in schema) return schema.anyOf.some((one: TSchema) => fitsSimply(one, value))
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isInteger(value) && fitsLimits(schema, Number(value))
    case 'number':
      return Number.isFinite(value) && fitsLimits(schema, Number(value))
    case 'array':
      return Array.isArray(value) && value.length === 0
    case 'string':
      return typeof value === 'string' && fitsText(schema, value)
    case 'object':
      return isPlainObject(value) && fitsFields(schema, value)
    default:
      return false
  }
}

function fitsLimits (
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum: above = -Infinity }: TSchema,
  value: number
): boolean {
  return value >= minimum && value <= maximum && value > above
}

function fitsText ({ minLength, maxLength, pattern, format }: TSchema, text: string): boolean {
  return (
    text.length >= (minLength ?? 0) &&
    text.length <= (maxLength ?? Infinity) &&
    (pattern === undefined || new RegExp(pattern).test(text)) &&
    (format === undefined || FormatRegistry.Get(format)?.(text) === true)
  )
}

function fitsFields (schema: TSchema, value: Record<string, unknown>): boolean {
  if ('patternProperties' in schema) return Object.keys(value).length === 0
  const required: string[] = schema.required ?? []
  return (
    schema.additionalProperties === false &&
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.keys(value).every(
      (name) =>
        Object.hasOwn(schema.properties, name) && fitsSimply(schema.properties[name], value[name])
    )
  )
}

function isPlainObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Replaces the error of a union by the errors of the alternative that the value resembles. */
function findInnerErrors (error: ValueError): ValueError[] {
  if (error.type !== errors().ValueErrorType.Union) return [error]
  const meant = findAlternative(error.schema.anyOf, error.value)
  const inner = meant === undefined ? [] : [...error.errors[meant]]
  return inner.length === 0 ? [error] : inner.flatMap(findInnerErrors)
}

/** Returns the only alternative with the type of the value, or undefined if several fit. */
function findAlternative (schemas: TSchema[], value: unknown): number | undefined {
  const isMeant = ({ type }: TSchema): boolean =>
    typeof value === 'object'
      ? type === (Array.isArray(value) ? 'array' : 'object')
      : type !== 'null'
  const [first, ...others] =
    value === null ? [] : schemas.flatMap((schema, index) => (isMeant(schema) ? [index] : []))
  return others.length === 0 ? first : undefined
}

function describeError (error: ValueError, name: string): Problem {
  const keys = error.path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const path = keys.join('.')
  const { ValueErrorType } = errors()
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return {
        rule: 'missing',
        path,
        schema: error.schema,
        message: `${path} is required${describeRule(error.schema, ': ')}`
      }
    case ValueErrorType.ObjectAdditionalProperties: {
      const near = findNearest(keys.at(-1) ?? '', Object.keys(error.schema.properties ?? {}))
      return {
        rule: 'unknown',
        path,
        schema: error.schema,
        message:
          `${clipText(path)} is not supported ` +
          `here${near === undefined ? '' : `; did you mean ${near}?`}`
      }
    }
    default:
      return {
        rule: 'invalid',
        path,
        schema: error.schema,
        message:
          `${path === '' ? name : /^\d+$/.test(path) ? `element ${path}` : path} must ` +
          `be ${describeRule(error.schema, '') || error.message.replace(/^Expected /, '')}, got ` +
              showValue(error.value)
      }
  }
}

function describeRule (schema: TSchema, lead: string): string {
  return schema.description === undefined ? '' : lead + schema.description
}

/** A longer name resembles none of ours. To compare one of 1 MB would take more than a second. */
const longestName = 100

/** Returns the candidate with the most similar name, or undefined if none is similar. */
export function findNearest (name: string, candidates: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  let best: string | undefined
  // A name of three letters with two typing errors resembles almost any other name.
  let least = name.length <= 3 ? 2 : Math.max(3, Math.ceil(name.length / 2))
  for (const candidate of candidates) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase())
    if (far < least) [best, least] = [candidate, far]
  }
  return best
}

/** Most characters of a value that are read to show it. */
const mostRead = 4096

/** Formats a received value for an error message. */
export function showValue (value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  // A clipped URL would hide where its password ends.
  return clipText(showUrls((JSON.stringify(value) ?? 'nothing').slice(0, mostRead)))
}

function clipText (text: string): string {
  return text.length <= 60 ? text : text.slice(0, 60) + '…'
}

/**
 * Returns true for a complete http or https URL. Stricter than `URL.canParse`, which also accepts
 * 'http:shop.example' and surrounding spaces: other programs may read those differently.
 */
export function isHttpUrl (text: string): boolean {
  return /^https?:\/\/[^\s/\\?#]/i.test(text) && !/\p{Cc}|\s$/u.test(text) && URL.canParse(text)
}

/** The last valid day, because most times are of the same one: 1.4 µs of a v1 `POST`. */
let lastDay = ''

function isDay (day: string): boolean {
  if (day === lastDay) return true
  const date = new Date(`${day}T00:00:00Z`)
  const isValid = isClockTime(date.getTime()) && date.toISOString().startsWith(day)
  if (isValid) lastDay = day
  return isValid
}
