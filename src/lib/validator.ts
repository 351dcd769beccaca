import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import { Errors, ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { isIPv4 } from 'node:net'
import { distance } from 'fastest-levenshtein'
import { isClockTime } from './clock.ts'
import { FormatRegistry } from './typebox.ts'
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
    compiled = TypeCompiler.Compile(schema)
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
      const error = Errors(schema, [], value).First()
      return error && describeError(findInnerErrors(error)[0], name)
    },
    all: (value) => {
      const problems = new Map<string, Problem>()
      for (const error of Errors(schema, [], value)) {
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

/** Replaces the error of a union by the errors of the alternative that the value resembles. */
function findInnerErrors (error: ValueError): ValueError[] {
  if (error.type !== ValueErrorType.Union) return [error]
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
