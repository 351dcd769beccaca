import { parseArgs } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import { createValidator, findNearest } from '../lib/validator.ts'

/**
 * Flags as rows: each is made from the schema of its value, which says what it takes and what it is
 * when nobody gives it.
 */

export interface Flag {
  /** In camel case, as a file would write it. */
  name: string
  flag: string
  description: string
  default?: string
  schema: TSchema
}

export type GivenFlags = Record<string, unknown>

/** Understood by every command, whatever else it takes. */
export const commonFlags = ['--help', '--version']

/** The row of a flag. */
export function flagOf (name: string, schema: TSchema): Flag {
  return {
    name,
    flag: `--${dashName(name)}`,
    description: schema.description ?? '',
    ...(schema.default !== undefined && { default: String(schema.default) }),
    schema
  }
}

/** `callbackUrl` as `callback-url`. */
export function dashName (name: string): string {
  return name.replace(/[A-Z]/g, (outgoing) => `-${outgoing.toLowerCase()}`)
}

/** What the arguments of a command say: the values of its flags, and the words beside them. */
export interface ReadFlags {
  given: GivenFlags
  words: string[]
}

/**
 * Reads the arguments of a command, and says what is wrong with each that is. `words` are refused
 * unless the command takes some.
 */
export function readFlags (
  args: readonly string[],
  known: readonly Flag[],
  problems: string[],
  { command = 'momock', takesWords = false } = {}
): ReadFlags {
  const options = Object.fromEntries(
    known.map(({ flag }) => [flag.slice(2), { type: 'string' as const }])
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const read: ReadFlags = { given: {}, words: [] }
  let stray: number | undefined
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (takesWords) read.words.push(token.value)
      // What follows a flag we do not know was probably meant as its value.
      else if (token.index !== stray) {
        problems.push(
          `'${token.value}' is not understood; ${command} takes flags only, see ${command} --help`
        )
      }
    }
    if (token.kind !== 'option') continue
    const row = known.find(({ flag }) => flag === token.rawName)
    if (row !== undefined) takeFlag(row, token, read.given, problems)
    else if (commonFlags.includes(token.rawName)) {
      problems.push(`${token.rawName} takes no value, got '${token.value ?? ''}'`)
    } else {
      stray = token.index + 1
      problems.push(
        `${token.rawName} is not a ` +
          `flag${takesWords || command !== 'momock' ? ` of ${command}` : ''}${suggestion(token.rawName, [...known.map(({ flag }) => flag), ...commonFlags], command)}`
      )
    }
  }
  return read
}

function takeFlag (
  row: Flag,
  { value, inlineValue }: { value?: string; inlineValue?: boolean },
  given: GivenFlags,
  problems: string[]
): void {
  const forgotten = value === undefined || (inlineValue === false && value.startsWith('--'))
  if (forgotten) problems.push(`${row.flag} needs a value: ${row.description}`)
  else takeValue(row, value, row.flag, given, problems)
}

/**
 * Takes a text as the value of a flag, or says what is wrong with it, naming where it came from.
 */
export function takeValue (
  { name, schema, description }: Flag,
  text: string,
  source: string,
  given: GivenFlags,
  problems: string[]
): void {
  const value = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text
  if (!createValidator(schema).check(value)) {
    problems.push(`${source} must be ${description}, got '${text}'${schemeHint(schema, text)}`)
  } else given[name] = value
}

/** What people leave out when they type a URL. */
function schemeHint (schema: TSchema, text: string): string {
  const whole = `http://${text}`
  return !text.includes('://') &&
    /-url$/.test(schema.format ?? '') &&
    createValidator(schema).check(whole)
    ? `; did you mean ${whole}?`
    : ''
}

/** The name that was probably meant, or where to look. */
export function suggestion (
  name: string,
  candidates: readonly string[],
  command = 'momock'
): string {
  const near = findNearest(name, candidates)
  return near === undefined ? `; see ${command} --help` : `; did you mean ${near}?`
}

/** What the flags of a table are when nobody gives them. */
export function defaultFlags (schemas: Record<string, TSchema>): GivenFlags {
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => 'default' in schema)
      .map(([name, schema]) => [name, schema.default])
  )
}
