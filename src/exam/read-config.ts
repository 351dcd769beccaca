import { query } from 'jsonpath-rfc9535'
import type { Static } from '@sinclair/typebox'
import { catalogue } from './catalogue.ts'
import { ConfigSchema, type ExamConfig } from './config.ts'
import {
  createValidator,
  ConfigError,
  parseDuration,
  readYamlFile,
  Type,
  type FileProblem
} from './mock.ts'
import { variableOf, variablesIn } from './template.ts'

/** Reads the configuration of an exam, and lists all problems with their lines. */

const { callback, ...rest } = ConfigSchema.properties
const FileSchema = Type.Object(
  { callback: Type.Optional(callback), ...rest },
  { additionalProperties: false, description: ConfigSchema.description }
)
type ConfigFile = Static<typeof FileSchema>

/** Reads a configuration file. Throws a ConfigError with all problems. */
export async function readConfig (path: string): Promise<ConfigFile> {
  const { value, problems } = await readYamlFile(path, FileSchema, (value, unfit) => [
    ...unfit,
    ...review(withoutParts(value, unfit))
  ])
  if (problems.length > 0) throw new ConfigError(problems)
  const file = value
  if (!createValidator(FileSchema).check(file)) {
    throw new ConfigError([`${path} is not a configuration of an exam`])
  }
  return file
}

/** A configuration that was given in code, or put together from a file and flags. */
export function checkConfig (given: unknown): ExamConfig {
  const form = createValidator(ConfigSchema)
  if (!form.check(given)) throw new ConfigError(form.all(given).map(({ message }) => message))
  const problems = review(given)
  if (problems.length > 0) throw new ConfigError(problems.map(({ message }) => message))
  return given
}

const Expectations = Type.Record(
  Type.String(),
  Type.String({ description: 'why it is accepted' }),
  { description: 'a list of known findings: an id with the reason' }
)

/** Known findings from a file: an identifier with the reason. */
export async function readExpectations (path: string): Promise<Record<string, string>> {
  const { value, problems } = await readYamlFile(path, Expectations, (value, unfit) =>
    unfit.length > 0 ? unfit : unknownChecks(value, '')
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return createValidator(Expectations).check(value) ? value : {}
}

/** The configuration without the parts that are not well formed, so that the others are checked. */
function withoutParts (value: unknown, unfit: readonly FileProblem[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const parts = unfit.map(({ path }) => path.split('.')[0])
  return Object.fromEntries(Object.entries(value).filter(([name]) => !parts.includes(name)))
}

/** Longest times that a duration may mean. */
const longest = { settle: 60_000, patience: 3_600_000 } as const

/** Returns problems that the schema cannot find. */
function review (value: unknown): FileProblem[] {
  if (!createValidator(FileSchema).check(value)) return []
  const { drive = {}, observe, hooks = {}, expect = {}, callback: url, start } = value
  const problems: FileProblem[] = [...unknownChecks(expect, 'expect.')]
  const say = (path: string, message: string): void => {
    problems.push({ path, message: `${path} ${message}` })
  }
  for (const [name, action] of Object.entries({
    ...prefixed('drive', drive),
    ...prefixed('hooks', hooks)
  })) {
    if (action !== undefined) {
      reviewAction(name, action, name.startsWith('drive') ? payable : [], say)
    }
  }
  for (const [name, { reference, http }] of Object.entries(drive)) {
    if (reference !== undefined) reviewPath(`drive.${name}.reference`, reference, say)
    else if (http !== undefined) {
      say(
        `drive.${name}.reference`,
        'is required with http: a JSONPath to the reference in the answer, such as $.orderId'
      )
    }
  }
  if (observe !== undefined) reviewObserve(observe, say)
  if ((hooks.break === undefined) !== (hooks.mend === undefined)) {
    say(
      hooks.break === undefined ? 'hooks.mend' : 'hooks.break',
      'needs the other one: break and mend belong together'
    )
  }
  if (start !== undefined) reviewCommand('start.command', start.command, say)
  for (const [path, text] of [
    ['callback', url],
    ['start.ready', start?.ready]
  ] as const) {
    if (text !== undefined) reviewUrl(path, text, say)
  }
  for (const name of ['settle', 'patience'] as const) {
    if ((parseDuration(value[name] ?? 0) ?? 0) > longest[name]) {
      say(name, `is at most ${longest[name] / 1000} s`)
    }
  }
  return problems
}

type Say = (path: string, message: string) => void

const payable = ['amount', 'currency', 'phoneNumber', 'provider', 'reference']

/** An action is a request or a command, and its variables have values. */
function reviewAction (
  path: string,
  { http, command }: { http?: { url: string; body?: unknown; form?: unknown }; command?: string },
  known: readonly string[],
  say: Say
): void {
  if (http !== undefined && command !== undefined) {
    say(`${path}.command`, 'stands beside http; leave one of them out')
  }
  if (http === undefined && command === undefined) say(path, 'needs http or command')
  if (http?.body !== undefined && http.form !== undefined) {
    say(`${path}.http.form`, 'stands beside body; leave one of them out')
  }
  if (http !== undefined) reviewUrl(`${path}.http.url`, http.url, say)
  if (command !== undefined) reviewCommand(`${path}.command`, command, say)
  const names = [...known, 'port']
  for (const name of new Set(variablesIn(http))) {
    if (!names.includes(name)) {
      say(
        `${path}.http`,
        `has a variable {{${name}}} that has no value here; there are ${names.join(', ')}`
      )
    }
  }
}

/**
 * A value in the text of a command could be a command itself: the application chooses its
 * references. Only the port is filled in, which the exam chooses.
 */
function reviewCommand (path: string, command: string, say: Say): void {
  for (const name of new Set(variablesIn(command))) {
    if (name === 'port') continue
    say(
      path,
      `has a variable {{${name}}}, which the shell could run as a command; write ` +
        `"$${variableOf(name)}" in its place, a variable that the command is given`
    )
  }
}

function reviewObserve (
  { payout, refund, ...usual }: NonNullable<ConfigFile['observe']>,
  say: Say
): void {
  reviewAction('observe', usual, payable, say)
  if (!variablesIn(usual.http).includes('reference') && usual.http !== undefined) {
    say('observe.http', 'must hold {{reference}}, or it answers for no payment in particular')
  }
  for (const [kind, own] of Object.entries({ payout, refund })) {
    if (own?.command !== undefined) reviewCommand(`observe.${kind}.command`, own.command, say)
  }
  for (const [path, fields] of Object.entries({
    observe: usual,
    'observe.payout': payout,
    'observe.refund': refund
  })) {
    for (const name of ['paid', 'amount', 'effects', 'failed'] as const) {
      if (fields?.[name] !== undefined) reviewPath(`${path}.${name}`, fields[name], say)
    }
  }
}

function reviewPath (path: string, expression: string, say: Say): void {
  try {
    query({}, expression)
  } catch {
    say(path, `is no JSONPath: ${expression}; write one such as $.order.paid`)
  }
}

function reviewUrl (path: string, url: string, say: Say): void {
  if (!URL.canParse(url.replaceAll(/\{\{\s*\w+\s*\}\}/g, '1'))) {
    say(path, `must be an http or https URL, got '${url}'`)
  }
}

function prefixed<T> (prefix: string, rows: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [`${prefix}.${name}`, row]))
}

function unknownChecks (value: unknown, prefix: string): FileProblem[] {
  const ids = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return ids
    .filter((id) => !catalogue.some((row) => row.id === id))
    .map((id) => ({
      path: `${prefix}${id}`,
      message: `${prefix}${id} is not a check; momock exam --list shows all of them`
    }))
}
