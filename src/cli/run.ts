import type { Writable } from 'node:stream'
import {
  exitCodes,
  listFlags,
  commandHelp,
  programHelp,
  sharedSettings,
  type Command,
  type CommandContext
} from './command.ts'
import { commands } from './commands.ts'
import { ConfigError, configFrom, type Config } from '../config/config.ts'
import { defaultFlags, readFlags, suggestion, type GivenFlags } from '../config/flags.ts'
import { version } from '../lib/version.ts'

/** The command line: which command was asked for, and how it ends. */

/** Does what the arguments say. Gives the exit code; nothing, if the process goes on. */
export async function runProgram (
  args: readonly string[],
  place: CommandContext
): Promise<number | undefined> {
  const { out, err } = place
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const named = words[0] !== undefined && !words[0].startsWith('-')
  const command = named ? commands.find(({ name }) => name === words[0]) : commands[0]
  if (command === undefined) {
    err.write(
      `'${words[0]}' is not a ` +
        `command${suggestion(words[0], [...commands.map(({ name }) => name), 'help'])}\n`
    )
    return exitCodes.configuration
  }
  const rest = named ? words.slice(1) : words
  const asked = commonAnswers.find(({ flags }) => flags.some((flag) => rest.includes(flag)))
  if (asked !== undefined) {
    out.write(`${asked.answer(named ? command : undefined)}\n`)
    return exitCodes.fine
  }
  try {
    return await runCommand(command, rest, place)
  } catch (error) {
    return reportFailure(command, error, err)
  }
}

/** What is answered whatever else is asked. */
const commonAnswers: Array<{ flags: string[]; answer: (command: Command | undefined) => string }> =
  [
    {
      flags: ['--help', '-h'],
      answer: (command) => (command === undefined ? programHelp(commands) : commandHelp(command))
    },
    { flags: ['--version', '-v'], answer: () => version }
  ]

async function runCommand (
  command: Command,
  args: readonly string[],
  place: CommandContext
): Promise<number | undefined> {
  const problems: string[] = []
  const known = [...listFlags(command), ...sharedSettings(command)]
  const { given, words } = readFlags(args, known, problems, {
    command: commandLine(command),
    takesWords: command.words !== undefined
  })
  const isOwn = ([name]: [string, unknown]): boolean => name in command.flags
  const own: GivenFlags = {
    ...defaultFlags(command.flags),
    ...Object.fromEntries(Object.entries(given).filter(isOwn))
  }
  const lent = Object.fromEntries(Object.entries(given).filter((entry) => !isOwn(entry)))
  const config = (): Promise<Config> => configFrom(lent, place.env, place.folder, problems)
  // With a configuration to look at, its problems are told together with these.
  if (problems.length > 0 && command.settings.length > 0) await config()
  if (problems.length > 0) throw new ConfigError(problems)
  const { run } = await command.load()
  return await run({ ...place, words, flags: own, config })
}

/** What went wrong, in a sentence for what a user can mend, with a stack for what only we can. */
function reportFailure (command: Command, error: unknown, err: Writable): number {
  const { name, message, stack } = error as Error
  const cannot =
    command === commands[0] ? 'momock cannot start:' : `${commandLine(command)} cannot run:`
  if (error instanceof ConfigError) {
    err.write(`${cannot}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`)
    return exitCodes.configuration
  }
  // By name, because their files are not loaded before the configuration is known to be good.
  if (name === 'AddressUnusable' || name === 'LedgerUnusable') {
    err.write(`${cannot} ${message}\n`)
    return name === 'AddressUnusable' ? exitCodes.address : exitCodes.ledger
  }
  err.write(`${stack ?? message}\n`)
  return exitCodes.failed
}

function commandLine (command: Command): string {
  return command === commands[0] ? 'momock' : `momock ${command.name}`
}
