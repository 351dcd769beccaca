import type { Writable } from 'node:stream'
import { exitCodes, listFlags, listSettings, type Command, type CommandContext } from './command.ts'
import { startCommand } from './start-command.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { readDefaults, readFlags, type GivenFlags } from '../config/flags.ts'
import { combineConfig, findConfigFile } from '../config/load-config.ts'
import { findNearest } from '../lib/validator.ts'
import { showLines, showText } from '../lib/terminal-text.ts'
import { version } from '../lib/package.ts'

/** Runs the command line. Returns the exit code, or undefined if the process keeps running. */
export async function runProgram (
  args: readonly string[],
  context: CommandContext
): Promise<number | undefined> {
  const { out, err } = context
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const isNamed = words[0] !== undefined && !words[0].startsWith('-')
  const command = await findCommand(isNamed ? words[0] : startCommand.name)
  if (command === undefined) {
    const { commands } = await import('./commands.ts')
    const names = [...commands.map(({ name }) => name), 'help']
    const near = findNearest(words[0], names)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    const given = showText(words[0])
    err.write(`'${given}' is not a command${hint}\nthe commands are ${names.join(', ')}\n`)
    return exitCodes.configuration
  }
  const rest = isNamed ? words.slice(1) : words
  const common = commonFlags.find(({ flags }) => flags.some((flag) => rest.includes(flag)))
  if (common !== undefined) {
    out.write(`${await common.answer(isNamed ? command : undefined, out)}\n`)
    return exitCodes.fine
  }
  try {
    return await runCommand(command, rest, context)
  } catch (error) {
    return reportFailure(command, error, err)
  }
}

/** Finds a command. A start loads no other commands. */
async function findCommand (name: string): Promise<Command | undefined> {
  if (name === startCommand.name) return startCommand
  const { commands } = await import('./commands.ts')
  return commands.find((command) => command.name === name)
}

/** Flags that work with every command and ignore all other arguments. */
const commonFlags: Array<{
  flags: string[]
  answer: (command: Command | undefined, out: Writable) => Promise<string>
}> = [
  {
    flags: ['--help', '-h'],
    answer: async (command, out) => {
      const [{ commands }, { findWidth, formatCommandHelp, formatProgramHelp }] = await Promise.all(
        [import('./commands.ts'), import('./help.ts')]
      )
      const width = findWidth(out)
      return command === undefined
        ? formatProgramHelp(commands, width)
        : formatCommandHelp(command, width)
    }
  },
  { flags: ['--version', '-v'], answer: async () => version }
]

async function runCommand (
  command: Command,
  args: readonly string[],
  context: CommandContext
): Promise<number | undefined> {
  const problems: string[] = []
  const known = [...listFlags(command), ...listSettings(command)]
  const { given, words } = readFlags(args, known, problems, {
    command: formatName(command),
    takesWords: command.words !== undefined
  })
  const isOwn = ([name]: [string, unknown]): boolean => name in command.flags
  const flags: GivenFlags = {
    ...readDefaults(command.flags),
    ...Object.fromEntries(Object.entries(given).filter(isOwn))
  }
  const settings = Object.fromEntries(Object.entries(given).filter((entry) => !isOwn(entry)))
  const config = (): Promise<Config> =>
    combineConfig(settings, context.env, context.folder, [...problems])
  // Reports the problems of the flags and of the configuration together.
  if (problems.length > 0 && command.settings.length > 0) await config()
  if (problems.length > 0) throw new ConfigError(problems)
  const { run } = await command.load()
  const named = (settings.config ?? context.env.MOMOCK_CONFIG) as string | undefined
  const configFile = findConfigFile(named, context.folder)
  return await run({ ...context, words, flags, config, configFile })
}

/** Prints an error and returns its exit code. Only an internal error is shown with its stack. */
function reportFailure (command: Command, error: unknown, err: Writable): number {
  const { name, message, stack } = error as Error
  const intro =
    command === startCommand ? 'momock cannot start:' : `${formatName(command)} cannot run:`
  if (error instanceof ConfigError) {
    err.write(`${intro}\n${error.problems.map((problem) => `  ${showLines(problem)}\n`).join('')}`)
    return exitCodes.configuration
  }
  // Compares names: the classes are in files that are not loaded before the configuration is valid.
  if (name === 'AddressUnusable' || name === 'LedgerUnusable') {
    err.write(`${intro} ${showLines(message)}\n`)
    return name === 'AddressUnusable' ? exitCodes.address : exitCodes.ledger
  }
  if (name === 'MomockError') err.write(`${intro} ${showLines(message)}\n`)
  else err.write(`${showLines(stack ?? message)}\n`)
  return exitCodes.failed
}

function formatName (command: Command): string {
  return command === startCommand ? 'momock' : `momock ${command.name}`
}
