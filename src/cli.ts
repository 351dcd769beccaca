import { exitCodes, flagsOf, helpOf, helpOfAll, lentTo, type Command } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { ConfigError, configFrom, type Config } from './config.ts'
import { presets, readFlags, suggestion, type Given } from './flags.ts'
import { version } from './version.ts'

/** The command line: which command was asked for, and how it ends. */

/** Does what the arguments say. The process ends with one of the exit codes. */
export async function run (args: readonly string[]): Promise<void> {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const named = words[0] !== undefined && !words[0].startsWith('-')
  const command = named ? commands.find(({ name }) => name === words[0]) : commands[0]
  if (command === undefined) return refuse(`'${words[0]}' is not a command${suggestion(words[0], [...commands.map(({ name }) => name), 'help'])}`)
  const rest = named ? words.slice(1) : words
  if (rest.includes('--help') || rest.includes('-h')) return print(named ? helpOf(command) : helpOfAll(commands))
  if (rest.includes('--version') || rest.includes('-v')) return print(version)
  try {
    const code = await perform(command, rest)
    if (code !== undefined) process.exitCode = code
  } catch (error) {
    fail(command, error)
  }
}

async function perform (command: Command, args: readonly string[]): Promise<number | undefined> {
  const problems: string[] = []
  const known = [...flagsOf(command), ...lentTo(command)]
  const { given, words } = readFlags(args, known, problems, { command: commandLine(command), takesWords: command.words !== undefined })
  // With a configuration to look at, its problems are told together with these.
  if (problems.length > 0 && command.settings.length === 0) throw new ConfigError(problems)
  const isOwn = ([name]: [string, unknown]): boolean => name in command.flags
  const own: Given = { ...presets(command.flags), ...Object.fromEntries(Object.entries(given).filter(isOwn)) }
  const lent = Object.fromEntries(Object.entries(given).filter((entry) => !isOwn(entry)))
  const config = (): Promise<Config> => configFrom(lent, process.env, process.cwd(), problems)
  if (problems.length > 0) await config()
  const { run } = await command.load()
  return await run({ words, flags: own, config })
}

/** What went wrong, in a sentence for what a user can mend, with a stack for what only we can. */
function fail (command: Command, error: unknown): never {
  const { name, message, stack } = error as Error
  const cannot = command === commands[0] ? 'momock cannot start:' : `${commandLine(command)} cannot run:`
  if (error instanceof ConfigError) {
    process.stderr.write(`${cannot}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`)
    process.exit(exitCodes.configuration)
  }
  // By name, because their files are not loaded before the configuration is known to be good.
  if (name === 'AddressUnusable' || name === 'LedgerUnusable') {
    process.stderr.write(`${cannot} ${message}\n`)
    process.exit(name === 'AddressUnusable' ? exitCodes.address : exitCodes.ledger)
  }
  process.stderr.write(`${stack ?? message}\n`)
  process.exit(exitCodes.failed)
}

function commandLine (command: Command): string {
  return command === commands[0] ? 'momock' : `momock ${command.name}`
}

function refuse (problem: string): void {
  process.stderr.write(`${problem}\n`)
  process.exitCode = exitCodes.configuration
}

function print (text: string): void {
  process.stdout.write(`${text}\n`)
}
