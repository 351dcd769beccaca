import type { Logger } from 'pino'
import { systemClock } from '../lib/clock.ts'
import { showLines } from '../lib/terminal-text.ts'
import type { AppOptions } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Server } from '../server.ts'
import { exitCodes, type RunCommand } from './command.ts'

/** Interval at which a server that npm started checks that npm is still running. */
const parentCheckMs = 500

/** Server, and the log that it writes. */
export type LoggingServer = Server & { log: Logger }

/** `momock start`: runs the server until a signal stops it. */
export const run: RunCommand = async ({ config, configFile, flags }) => {
  const stop = new AbortController()
  const options = { fresh: flags.fresh === true, stop: stop.signal }
  const starting = config().then(async (settings) => {
    if (flags.watch !== true) return await start(settings, options)
    const { startWatching } = await import('./watch.ts')
    return await startWatching({ settings, config, configFile, start, options })
  })
  stopOnSignals(starting, stop)
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent()
  await starting
  return undefined
}

async function start (config: Config, options: AppOptions): Promise<LoggingServer> {
  const [{ startServer }, { createLogger }, { printBanner, printEnd }] = await Promise.all([
    import('../server.ts'),
    import('../lib/logger.ts'),
    import('../banner.ts')
  ])
  const isPretty = (config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty'
  const log = await createLogger(config.logLevel, isPretty)
  const eventLines = isPretty && log.isLevelEnabled('info')
  const server = await startServer(config, systemClock, log, { ...options, eventLines })
  const stopPrinting = eventLines ? await printEvents(server) : () => {}
  await printBanner(server, config, isPretty)
  return {
    ...server,
    log,
    close: async () => {
      await server.close()
      stopPrinting()
      if (isPretty) printEnd(config)
    }
  }
}

/** Prints a line per event. Returns a function that prints the last ones and stops. */
async function printEvents ({ app }: Server): Promise<() => void> {
  const [events, { EventPrinter, scheduleOnTimer }, { hasColours }] = await Promise.all([
    app.openEvents(),
    import('./event-printer.ts'),
    import('../lib/colour.ts')
  ])
  const printer = new EventPrinter({
    write: (text) => process.stdout.write(text),
    colours: hasColours(process.stdout, process.env),
    schedule: scheduleOnTimer
  })
  const unlisten = events.listen((event) => printer.print(event))
  return () => {
    unlisten()
    printer.flush()
  }
}

/** The first signal stops the server in order, also during the start. The second exits at once. */
function stopOnSignals (starting: Promise<Server>, stop: AbortController): void {
  let stopping = false
  let hasStarted = false
  // A failed start reports its own error.
  starting.then(() => (hasStarted = true), () => {})
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(exitCodes.failed)
      stopping = true
      // A server that runs still answers for the time of --stop-delay.
      if (!hasStarted) stop.abort()
      // A failed start reports its own error.
      starting.then(
        (server) => server.close().then(() => process.exit(exitCodes.fine), exitWithError),
        () => {}
      )
    })
  }
}

/** Stops with the parent process: the shell that npm uses does not forward signals. */
function stopWithParent (): void {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    // Sends one signal only, because the second one exits at once.
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, parentCheckMs).unref()
}

function exitWithError (error: Error): never {
  process.stderr.write(`${showLines(error.stack ?? error.message)}\n`)
  process.exit(exitCodes.failed)
}
