import { basename, relative, sep } from 'node:path'
import type { Writable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import { settings as allSettings, type Config, type Setting } from '../config/config.ts'
import { createFlag, type Flag } from '../config/flags.ts'
import { version } from '../lib/version.ts'

/** A command is a row of data. Its code is loaded when the command runs. */

/** Exit codes of the program. docs/configuration.md lists them. */
export const exitCodes = { fine: 0, failed: 1, configuration: 2, address: 3, ledger: 4 } as const

/** Surroundings of a command: output, environment variables, and the current folder. */
export interface CommandContext {
  out: Writable
  err: Writable
  env: Readonly<Record<string, string | undefined>>
  folder: string
}

/** Input of a command. */
export interface CommandInput extends CommandContext {
  words: string[]
  /** Values of the command's own flags, with defaults. */
  flags: Record<string, unknown>
  /** Loads the settings that a server with the same flags, environment and file would use. */
  config: () => Promise<Config>
}

/** Code of a command. Returns the exit code, or undefined if the process keeps running. */
export type RunCommand = (input: CommandInput) => Promise<number | undefined>

/** Row of a command. */
export interface Command {
  name: string
  summary: string
  /** Arguments other than flags, as the help text shows them. */
  words?: string
  /** Schema of each of the command's own flags, by name. */
  flags: Record<string, TSchema>
  /** Server settings that the command accepts as flags. Without any, it reads no configuration. */
  settings: readonly string[]
  /** Last part of the help text: details and exit codes. */
  notes: string
  load: () => Promise<{ run: RunCommand }>
}

/** Returns the words that this user types before a command: `npm start --` or `npx momock`. */
export function findProgramName (
  { env, folder }: CommandContext,
  file = process.argv[1] ?? ''
): string {
  if (env.npm_lifecycle_event === 'start') return 'npm start --'
  if (env.npm_command === 'exec' || file.split(sep).includes('.bin')) return 'npx momock'
  return basename(file) === 'momock' ? 'momock' : `node ${relative(folder, file)}`
}

/** Returns the rows of a command's own flags. */
export function listFlags ({ flags }: Command): Flag[] {
  return Object.entries(flags).map(([name, schema]) => createFlag(name, schema))
}

/** Returns the server settings that a command accepts. */
export function listSettings ({ settings }: Command): Setting[] {
  return allSettings.filter(({ name }) => settings.includes(name))
}

/** Returns the text of `momock NAME --help`. */
export function formatCommandHelp (command: Command): string {
  const own = listFlags(command).map((row) => ({ ...row, variable: '' }))
  const shared = listSettings(command)
  const rows: Array<{ flag: string; variable: string; what: string }> = [
    { flag: 'flag', variable: shared.length > 0 ? 'variable' : '', what: 'meaning [default]' },
    ...[...own, ...shared].map((row) => ({
      flag: row.flag,
      variable: row.variable,
      what: `${row.description}${row.default === undefined ? '' : ` [${row.default}]`}`
    })),
    { flag: '--help', variable: '', what: 'prints this text' },
    { flag: '--version', variable: '', what: 'prints the version' }
  ]
  const flagWidth = Math.max(...rows.map(({ flag }) => flag.length))
  const variableWidth = Math.max(...rows.map(({ variable }) => variable.length))
  const table = rows.map(
    ({ flag, variable, what }) =>
      `  ${flag.padEnd(flagWidth)}  ${variable.padEnd(variableWidth)}  ${what}`
  )
  const usage = [
    'momock',
    command.name,
    ...(own.length + shared.length > 0 ? ['[flags]'] : []),
    ...(command.words === undefined ? [] : [command.words])
  ]
  return `${usage.join(' ')}: ${command.summary}

${table.join('\n')}

${command.notes}`
}

/** Returns the text of `momock --help`: all commands, and the flags of `momock start`. */
export function formatProgramHelp (commands: readonly Command[]): string {
  const usages = commands.map(
    ({ name, words = '', summary }) => `  momock ${`${name} ${words}`.padEnd(20)} ${summary}`
  )
  const [, ...flags] = formatCommandHelp({ ...commands[0], notes: '' })
    .trimEnd()
    .split('\n')
  return `momock ${version}: a mock server for a merchant mobile-money payments API

${usages.join('\n')}

Run momock COMMAND --help for the details of a command. Without a command, momock starts the
server with these flags:
${flags.join('\n')}

A flag overrides its variable. A variable overrides the configuration file. The file overrides the
default. An empty variable counts as not set. PORT and HOST are used if MOMOCK_PORT and MOMOCK_HOST
are not set. NO_COLOR=1 disables colours, FORCE_COLOR=1 enables them.
Exit codes: 0 success, or stopped by a signal. 1 a check failed, or an internal error. 2 wrong
arguments or wrong configuration. 3 the address cannot be used. 4 the ledger cannot be used.`
}
