import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { baseOf, urlOf } from './lib/url.ts'
import { createApp, type App, type AppOptions } from './app.ts'
import type { SystemClock } from './lib/clock.ts'
import type { Config } from './config/config.ts'

/** Running server. */
export interface Server {
  app: App
  /** Address it listens on. Links begin with `app.links.base` instead. */
  url: string
  /**
   * Stops accepting requests, finishes open requests, and closes the ledger. Requests that take too
   * long are cut off.
   */
  close: () => Promise<void>
}

/** Error for an address that cannot be used. The message contains the reason and the fix. */
export class AddressUnusableError extends Error {
  override name = 'AddressUnusable'
}

/** Time that open requests have to finish when the server stops. */
const openRequestsMs = 2500
/** Interval at which idle connections are closed while the server stops. */
const sweepMs = 50

/** Creates the server and listens. It is ready when the promise resolves. */
export async function startServer (
  config: Config,
  systemClock: SystemClock,
  log: Logger,
  options: AppOptions = {}
): Promise<Server> {
  const app = await createApp(config, systemClock, log, options)
  for (const note of app.scenarioLibrary.notes) log.warn(note)
  const connections = trackConnections(app)
  let url: string
  try {
    await listen(app, config)
    const { address, port } = app.http.server.address() as AddressInfo
    url = urlOf(address, port)
    app.links.base = baseOf(config.publicUrl ?? url)
    app.links.listening = url
    await app.start()
  } catch (error) {
    await app.close()
    throw error
  }
  return { app, url, close: () => close(app, connections) }
}

async function listen (app: App, config: Config): Promise<void> {
  try {
    await app.http.listen({ port: config.port, host: config.host })
  } catch (error) {
    const { problem, fix } = explainAddress(config, error as NodeJS.ErrnoException)
    throw new AddressUnusableError(`${problem}; ${fix}`)
  }
}

/** Returns the set of open connections. */
function trackConnections (app: App): Set<Socket> {
  const connections = new Set<Socket>()
  app.http.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

async function close (app: App, connections: Set<Socket>): Promise<void> {
  const { server } = app.http
  const impatience = setTimeout(() => server.closeAllConnections(), openRequestsMs)
  const sweep = setInterval(() => {
    // Node closes connections that are idle at the stop, but not those that become idle later,
    // and not those that never sent a request.
    server.closeIdleConnections()
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }, sweepMs)
  try {
    await app.close()
  } finally {
    clearTimeout(impatience)
    clearInterval(sweep)
  }
}

/** Explains why the server cannot listen on its address, and how to fix it. */
export function explainAddress (
  { port, host }: Pick<Config, 'port' | 'host'>,
  { code, message }: NodeJS.ErrnoException
): { problem: string; fix: string } {
  switch (code) {
    case 'EADDRINUSE':
      return {
        problem: `port ${port} on ${host} is used by another program`,
        fix: 'stop that program, or choose another port with --port (0 uses any free port)'
      }
    case 'EACCES':
      return {
        problem: `this user cannot use port ${port} on ${host}`,
        fix: 'choose a port above 1023 with --port'
      }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        problem: `${host} is not an address of this machine`,
        fix: 'use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all of its networks'
      }
    default:
      return {
        problem: `the server cannot listen on port ${port} of ${host} (${message})`,
        fix: 'choose another address with --port and --host'
      }
  }
}
