import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import type { ValueError } from '@sinclair/typebox/errors'
import { distance } from 'fastest-levenshtein'
import { compiler, errors, FormatRegistry } from './typebox.ts'

/** Checks values against TypeBox schemas and says what is wrong in words a person can act on. */

export interface Problem {
  rule: 'missing' | 'unknown' | 'invalid'
  /** Dotted: payer.accountDetails.provider; empty for the whole value. */
  path: string
  message: string
  /**
   * Of the value that is wrong or missing; of the object, where it has a field that is not known.
   */
  schema: TSchema
}

export interface Validator<T extends TSchema = TSchema> {
  check: (value: unknown) => value is Static<T>
  first: (value: unknown) => Problem | undefined
  all: (value: unknown) => Problem[]
}

const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Without a zone, or with that of UTC; some clients leave out seconds that are zero. */
const utcDateTime = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?[Zz]?$/

FormatRegistry.Set('date-time', (text) => dateTime.test(text) && isDay(text.slice(0, 10)))
FormatRegistry.Set('utc-date-time', (text) => utcDateTime.test(text) && isDay(text.slice(0, 10)))
FormatRegistry.Set('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text))
FormatRegistry.Set('http-url', isHttpUrl)
/** One that a path can be written after. */
FormatRegistry.Set('base-url', (text) => isHttpUrl(text) && !/[?#]/.test(text))

/**
 * A checker for a schema. It is compiled when a value is first checked with it, so that a start
 * costs nothing; to say what is wrong it need not be.
 */
export function createValidator<T extends TSchema> (schema: T): Validator<T> {
  let compiled: TypeCheck<T> | undefined
  return {
    check: (value): value is Static<T> =>
      (compiled ??= compiler().TypeCompiler.Compile(schema)).Check(value),
    first: (value) => {
      const error = errors().Errors(schema, [], value).First()
      return error && problem(innermost(error)[0])
    },
    all: (value) => {
      const problems = new Map<string, Problem>()
      for (const error of [...errors().Errors(schema, [], value)].flatMap(innermost)) {
        const found = problem(error)
        if (!problems.has(found.path)) problems.set(found.path, found)
      }
      return [...problems.values()]
    }
  }
}

/**
 * Where a value can only have been meant as one of the alternatives, what is wrong is what that one
 * says of it.
 */
function innermost (error: ValueError): ValueError[] {
  if (error.type !== errors().ValueErrorType.Union) return [error]
  const meant = alternative(error.schema.anyOf, error.value)
  const inner = meant === undefined ? [] : [...error.errors[meant]]
  return inner.length === 0 ? [error] : inner.flatMap(innermost)
}

/**
 * The only one of these that a value can have been meant as: the only list or object, or the only
 * one that is not null.
 */
function alternative (schemas: TSchema[], value: unknown): number | undefined {
  const isMeant = ({ type }: TSchema): boolean =>
    typeof value === 'object'
      ? type === (Array.isArray(value) ? 'array' : 'object')
      : type !== 'null'
  const [first, ...others] =
    value === null ? [] : schemas.flatMap((schema, index) => (isMeant(schema) ? [index] : []))
  return others.length === 0 ? first : undefined
}

function problem (error: ValueError): Problem {
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
        message: `${path} is required${rule(error.schema, ': ')}`
      }
    case ValueErrorType.ObjectAdditionalProperties: {
      const near = findNearest(keys.at(-1) ?? '', Object.keys(error.schema.properties ?? {}))
      return {
        rule: 'unknown',
        path,
        schema: error.schema,
        message:
          `${clip(path)} is not supported ` +
          `here${near === undefined ? '' : `; did you mean ${near}?`}`
      }
    }
    default:
      return {
        rule: 'invalid',
        path,
        schema: error.schema,
        message:
          `${path === '' ? 'the value' : /^\d+$/.test(path) ? `element ${path}` : path} must ` +
          `be ${rule(error.schema, '') || error.message.replace(/^Expected /, '')}, got ` +
          `${showValue(error.value)}`
      }
  }
}

function rule (schema: TSchema, lead: string): string {
  return schema.description === undefined ? '' : lead + schema.description
}

/** The candidate that was probably meant, if one is near enough. */
export function findNearest (name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  // Two mistakes in a name of three letters would be almost any name.
  let least = name.length <= 3 ? 2 : Math.max(3, Math.ceil(name.length / 2))
  for (const candidate of candidates) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase())
    if (far < least) [best, least] = [candidate, far]
  }
  return best
}

/** A value as it was sent, short enough to say back. */
export function showValue (value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return clip(JSON.stringify(value) ?? 'nothing')
}

function clip (text: string): string {
  return text.length <= 60 ? text : text.slice(0, 60) + '…'
}

/**
 * Is it an http or https URL, written out? A browser reads more as one than a merchant means, such
 * as 'http:shop.example', or blanks around it; where such an address is passed on, everybody who
 * reads it may read it differently.
 */
export function isHttpUrl (text: string): boolean {
  return /^https?:\/\/[^\s/\\?#]/i.test(text) && !/\p{Cc}|\s$/u.test(text) && URL.canParse(text)
}

function isDay (day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
