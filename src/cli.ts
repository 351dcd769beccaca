import { machine } from './clock.ts'
import { ConfigError, loadConfig, settings } from './config.ts'
import type { Server } from './server.ts'
import { version } from './version.ts'

/** The command line: what was asked for, how it starts, how it ends. */

/** How the program ends; documented in the README. */
export const exitCodes = { fine: 0, bug: 1, configuration: 2, address: 3, ledger: 4 } as const

/** How often a server that npm started looks whether npm is still there. */
const orphanCheckMs = 500

/** Does what the arguments say. The process ends with one of the exit codes. */
export async function run (args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(help())
  if (args.includes('--version') || args.includes('-v')) return print(version)
  if (args[0] === 'validate') return await check(args.slice(1))
  const starting = start(args)
  stopOnSignals(starting)
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent()
  await starting.catch(fail)
}

/** Says what is wrong with the files that were named. */
async function check (paths: readonly string[]): Promise<void> {
  const { validate } = await import('./validate.ts')
  const { checked, problems } = paths.length === 0 ? { checked: 0, problems: ['name the files to check: momock validate FILE…'] } : await validate(paths)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exit(exitCodes.configuration)
  print(`${checked} ${checked === 1 ? 'file is' : 'files are'} fine`)
}

async function start (args: readonly string[]): Promise<Server> {
  const config = await loadConfig(args, process.env, process.cwd())
  const [{ createLog }, { startServer }, { announce }] = await Promise.all([import('./log.ts'), import('./server.ts'), import('./banner.ts')])
  const terminal = process.stdout.isTTY
  const server = await startServer(config, machine, await createLog(config.logLevel, terminal))
  announce(server, config, terminal)
  return server
}

/** The first signal ends it in order, also while it is still starting; the second at once. */
function stopOnSignals (starting: Promise<Server>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(exitCodes.bug)
      stopping = true
      starting.then((server) => server.close()).then(() => process.exit(exitCodes.fine), fail)
    })
  }
}

/** The shell that npm puts in between does not pass a signal on: when it is gone, so are we. */
function stopWithParent (): void {
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM') }, orphanCheckMs).unref()
}

/** What went wrong, in a sentence for what a user can mend, with a stack for what only we can. */
function fail (error: unknown): never {
  const { name, message, stack } = error as Error
  if (error instanceof ConfigError) {
    process.stderr.write(`momock cannot start:\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`)
    process.exit(exitCodes.configuration)
  }
  // By name, because their files are not loaded before the configuration is known to be good.
  if (name === 'AddressUnusable' || name === 'LedgerUnusable') {
    process.stderr.write(`momock cannot start: ${message}\n`)
    process.exit(name === 'AddressUnusable' ? exitCodes.address : exitCodes.ledger)
  }
  process.stderr.write(`${stack ?? message}\n`)
  process.exit(exitCodes.bug)
}

function help (): string {
  const rows = settings.map(({ flag, variable, description, default: preset }) =>
    `  ${flag.padEnd(15)} ${variable.padEnd(21)} ${description}${preset === undefined ? '' : ` [${preset}]`}`)
  return `momock ${version}: a mock of a merchant mobile-money payments API

usage: momock [flags]             starts the server
       momock validate FILE…     checks scenario and configuration files

  flag            variable              what it is [default]
${rows.join('\n')}
  --help                                this text
  --version                             the version

A flag wins over its variable, a variable over the configuration file, the file over the default. A variable that is
empty counts as not set; PORT and HOST count where MOMOCK_PORT and MOMOCK_HOST are not set.
Exit codes: 0 stopped in order, 2 bad configuration, 3 the address cannot be used, 4 the ledger cannot be used, 1 anything else.`
}

function print (text: string): void {
  process.stdout.write(`${text}\n`)
}
