import { systemClock } from '../lib/clock.ts'
import type { Config } from '../config/config.ts'
import type { Server } from '../server.ts'
import { exitCodes, type RunCommand } from './command.ts'

/** `momock start`: the server, from its first line to the signal that ends it. */

/** How often a server that npm started looks whether npm is still there. */
const orphanCheckMs = 500

export const run: RunCommand = async ({ config }) => {
  const starting = config().then(start)
  stopOnSignals(starting)
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent()
  await starting
  return undefined
}

async function start (config: Config): Promise<Server> {
  const [{ createLogger: createLog }, { startServer }, { printBanner: announce }] =
    await Promise.all([import('../lib/logger.ts'), import('../server.ts'), import('../banner.ts')])
  const terminal = process.stdout.isTTY
  const server = await startServer(config, systemClock, await createLog(config.logLevel, terminal))
  announce(server, config, terminal)
  return server
}

/** The first signal ends it in order, also while it is still starting; the second at once. */
function stopOnSignals (starting: Promise<Server>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(exitCodes.failed)
      stopping = true
      // One that cannot start says so itself.
      starting.then(
        (server) => server.close().then(() => process.exit(exitCodes.fine), unexpected),
        () => {}
      )
    })
  }
}

/** The shell that npm puts in between does not pass a signal on: when it is gone, so are we. */
function stopWithParent (): void {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    // Once: a second signal would end it at once.
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, orphanCheckMs).unref()
}

function unexpected (error: Error): never {
  process.stderr.write(`${error.stack ?? error.message}\n`)
  process.exit(exitCodes.failed)
}
