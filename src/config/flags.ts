import { parseArgs } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import { showUrls } from '../lib/url.ts'
import { createValidator, findNearest } from '../lib/validator.ts'

/** Command-line flags. Each flag is a row that is derived from the schema of its value. */

/** One flag. */
export interface Flag {
  /** Name in camel case, as in the configuration file. */
  name: string
  flag: string
  description: string
  default?: string
  /** Another name that is accepted. */
  alias?: string
  schema: TSchema
}

/** Values of flags by name. */
export type GivenFlags = Record<string, unknown>

/** Flags of every command. */
export const commonFlags = ['--help', '--version']

/** Creates the row of a flag. */
export function createFlag (name: string, schema: TSchema): Flag {
  return {
    name,
    flag: `--${toDashes(name)}`,
    description: schema.description ?? '',
    ...(schema.default !== undefined && { default: String(schema.default) }),
    ...(schema.alias !== undefined && { alias: `--${schema.alias}` }),
    schema
  }
}

/** Converts `callbackUrl` to `callback-url`. */
export function toDashes (name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Parsed arguments of a command: values of its flags, and other words. */
export interface ReadFlags {
  given: GivenFlags
  words: string[]
}

/** Reads the arguments of a command and adds a problem for each wrong one. */
export function readFlags (
  args: readonly string[],
  known: readonly Flag[],
  problems: string[],
  { command = 'momock', takesWords = false } = {}
): ReadFlags {
  const options = Object.fromEntries(
    known.flatMap(({ flag, alias = flag, schema }) => {
      const type = isSwitch(schema) ? ('boolean' as const) : ('string' as const)
      return [flag, alias].map((name) => [name.slice(2), { type }])
    })
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const read: ReadFlags = { given: {}, words: [] }
  let valueOfUnknown: number | undefined
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (takesWords) read.words.push(token.value)
      // The word after an unknown flag is probably its value.
      else if (token.index !== valueOfUnknown) {
        problems.push(`'${token.value}' is not a flag; see ${command} --help`)
      }
    }
    if (token.kind !== 'option') continue
    const row = known.find(({ flag, alias }) => [flag, alias].includes(token.rawName))
    if (row !== undefined) takeFlag(row, token, read.given, problems)
    else if (commonFlags.includes(token.rawName)) {
      problems.push(`${token.rawName} takes no value, got '${token.value ?? ''}'`)
    } else {
      valueOfUnknown = token.index + 1
      const owner = takesWords || command !== 'momock' ? ` of ${command}` : ''
      const candidates = [...known.map(({ flag }) => flag), ...commonFlags]
      problems.push(
        `${token.rawName} is not a flag${owner}${suggestName(token.rawName, candidates, command)}`
      )
    }
  }
  return read
}

/** Whether a flag takes no value. */
function isSwitch ({ type }: TSchema): boolean {
  return type === 'boolean'
}

function takeFlag (
  row: Flag,
  { value, inlineValue }: { value?: string; inlineValue?: boolean },
  given: GivenFlags,
  problems: string[]
): void {
  if (isSwitch(row.schema)) {
    if (value === undefined) given[row.name] = true
    else problems.push(`${row.flag} takes no value, got '${value}'`)
    return
  }
  const isMissing = value === undefined || (inlineValue === false && value.startsWith('--'))
  if (isMissing) problems.push(`${row.flag} needs a value: ${row.description}`)
  else takeValue(row, value, row.flag, given, problems)
}

/** Checks a text and stores it as the value of a flag. `source` is named in the problem. */
export function takeValue (
  { name, schema, description }: Flag,
  text: string,
  source: string,
  given: GivenFlags,
  problems: string[]
): void {
  const value = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text
  // `first` needs no compiled schema, which pays only for many values.
  if (createValidator(schema).first(value) !== undefined) {
    const hint = suggestScheme(schema, text)
    problems.push(`${source} must be ${description}, got '${showUrls(text)}'${hint}`)
  } else given[name] = value
}

/** Suggests `http://` for a URL without a scheme. */
function suggestScheme (schema: TSchema, text: string): string {
  const whole = `http://${text}`
  return !text.includes('://') &&
    /-url$/.test(schema.format ?? '') &&
    createValidator(schema).first(whole) === undefined
    ? `; did you mean ${whole}?`
    : ''
}

/** Suggests the candidate with the most similar name, or the help text. */
export function suggestName (
  name: string,
  candidates: readonly string[],
  command = 'momock'
): string {
  const near = findNearest(name, candidates)
  return near === undefined ? `; see ${command} --help` : `; did you mean ${near}?`
}

/** Returns the default values of flags. */
export function readDefaults (schemas: Record<string, TSchema>): GivenFlags {
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => 'default' in schema)
      .map(([name, schema]) => [name, schema.default])
  )
}
