import { basename, relative, sep } from 'node:path'
import type { Writable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import { settings as allSettings, type Config, type Setting } from '../config/config.ts'
import { flagOf, type Flag } from '../config/flags.ts'
import { version } from '../lib/version.ts'

/** What a command is: a row of data, and a file that is loaded when the command is asked for. */

/** How the program ends; documented in the README. */
export const exitCodes = { fine: 0, failed: 1, configuration: 2, address: 3, ledger: 4 } as const

/**
 * Where a command finds itself: what it writes to, the variables, and the folder that paths start
 * from.
 */
export interface CommandContext {
  out: Writable
  err: Writable
  env: Readonly<Record<string, string | undefined>>
  folder: string
}

/** What a command was asked. */
export interface CommandInput extends CommandContext {
  words: string[]
  /** The values of its own flags, those that nobody gave as they are by default. */
  flags: Record<string, unknown>
  /**
   * The settings of the server, as a start with the same flags, environment and file would have
   * them.
   */
  config: () => Promise<Config>
}

/** Does it. The number is the exit code; nothing, if the process goes on. */
export type RunCommand = (asked: CommandInput) => Promise<number | undefined>

export interface Command {
  name: string
  summary: string
  /** What it takes beside flags, as help shows it. */
  words?: string
  /** The schema of each flag of its own, by name. */
  flags: Record<string, TSchema>
  /**
   * The settings of the server that it takes as flags too; without any it does not look at the
   * configuration.
   */
  settings: readonly string[]
  /** What else its help says: examples, and how it ends. */
  notes: string
  load: () => Promise<{ run: RunCommand }>
}

/**
 * The words that this user types before those of a command: `npm start --` in a clone, `npx momock`
 * where it is installed.
 */
export function programName ({ env, folder }: CommandContext, file = process.argv[1] ?? ''): string {
  if (env.npm_lifecycle_event === 'start') return 'npm start --'
  if (env.npm_command === 'exec' || file.split(sep).includes('.bin')) return 'npx momock'
  return basename(file) === 'momock' ? 'momock' : `node ${relative(folder, file)}`
}

/** The rows of a command's own flags. */
export function listFlags ({ flags }: Command): Flag[] {
  return Object.entries(flags).map(([name, schema]) => flagOf(name, schema))
}

/** The settings of the server that a command takes. */
export function sharedSettings ({ settings }: Command): Setting[] {
  return allSettings.filter(({ name }) => settings.includes(name))
}

/** What `momock NAME --help` says. */
export function commandHelp (command: Command): string {
  const own = listFlags(command)
  const lent = sharedSettings(command)
  const rows: Array<{ flag: string; variable: string; what: string }> = [
    { flag: 'flag', variable: lent.length > 0 ? 'variable' : '', what: 'what it is [default]' },
    ...[...own, ...lent].map((row) => ({
      flag: row.flag,
      variable: (row as Partial<Setting>).variable ?? '',
      what: `${row.description}${row.default === undefined ? '' : ` [${row.default}]`}`
    })),
    { flag: '--help', variable: '', what: 'this text' },
    { flag: '--version', variable: '', what: 'the version' }
  ]
  const width = (column: 'flag' | 'variable'): number =>
    Math.max(...rows.map((row) => row[column].length))
  const usage = [
    'momock',
    command.name,
    ...(own.length + lent.length > 0 ? ['[flags]'] : []),
    ...(command.words === undefined ? [] : [command.words])
  ]
  return `${usage.join(' ')}: ${command.summary}

${rows.map(({ flag, variable, what }) => `  ${flag.padEnd(width('flag'))}  ${variable.padEnd(width('variable'))}  ${what}`).join('\n')}

${command.notes}`
}

/** What `momock --help` says: every command, and the flags of the one that starts the server. */
export function programHelp (commands: readonly Command[]): string {
  const usages = commands.map(
    ({ name, words = '', summary }) => `  momock ${`${name} ${words}`.padEnd(20)} ${summary}`
  )
  const [, ...flags] = commandHelp({ ...commands[0], notes: '' })
    .trimEnd()
    .split('\n')
  return `momock ${version}: a mock of a merchant mobile-money payments API

${usages.join('\n')}

momock COMMAND --help says more of one. Without a command it starts the server, and takes:
${flags.join('\n')}

A flag wins over its variable, a variable over the configuration file, the file over the default. A variable that is
empty counts as not set; PORT and HOST count where MOMOCK_PORT and MOMOCK_HOST are not set.
Exit codes: 0 done, or stopped in order; 1 what was checked is not in order, or an error of ours; 2 bad arguments or
bad configuration; 3 the address cannot be used; 4 the ledger cannot be used.`
}
