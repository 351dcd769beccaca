import { basename, relative, sep } from 'node:path'
import type { Writable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import { settings as allSettings, type Config, type Setting } from '../config/config.ts'
import { createFlag, type Flag } from '../config/flags.ts'

/** A command is a row of data. Its code is loaded when the command runs. */

/** Exit codes of the program. */
export const exitCodes = { fine: 0, failed: 1, configuration: 2, address: 3, ledger: 4 } as const
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const noMock = 'no mock at this address'

/** Headings of the commands in the help text of the program. */
export const groups = { run: 'Run the mock', use: 'Use it', check: 'Check your application' }

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
  /** Path of the configuration file that they come from, if there is one. */
  configFile: string | undefined
}

/** Code of a command. Returns the exit code, or undefined if the process keeps running. */
export type RunCommand = (input: CommandInput) => Promise<number | undefined>

/** Row of a command. */
export interface Command {
  name: string
  group: keyof typeof groups
  summary: string
  /** Arguments other than flags, as the help text shows them. */
  words?: string
  /** Schema of each of the command's own flags, by name. */
  flags: Record<string, TSchema>
  /** Server settings that the command accepts as flags. Without any, it reads no configuration. */
  settings: readonly string[]
  /** Lines of examples for the help text. */
  examples: readonly string[]
  /** Last part of the help text. */
  notes?: string
  /** What its exit codes mean. Without one for 2, the arguments or the configuration are wrong. */
  exits: Partial<Record<ExitCode, string>>
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

/** Returns what the exit codes of a command mean, in their order. */
export function listExits ({ exits }: Pick<Command, 'exits'>): Array<[code: string, text: string]> {
  return Object.entries({ 2: 'wrong arguments or wrong configuration', ...exits })
}

/** Returns the rows of a command's own flags. */
export function listFlags ({ flags }: Command): Flag[] {
  return Object.entries(flags).map(([name, schema]) => createFlag(name, schema))
}

/** What settings mean for a command that talks to a server and is none. */
const clientTexts: Readonly<Record<string, string>> = {
  host: 'the address of the mock',
  port: 'the port of the mock, up to 65535',
  token: 'the token to send, without spaces',
  adminToken: 'the admin token of the mock, without spaces'
}

/** Returns the server settings that a command accepts. */
export function listSettings ({ flags, settings }: Command): Setting[] {
  const texts = 'url' in flags ? clientTexts : {}
  return allSettings
    .filter(({ name }) => settings.includes(name))
    .map((setting) => ({ ...setting, description: texts[setting.name] ?? setting.description }))
}
