import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { baseOf, urlOf } from './lib/url.ts'
import type { App } from './app.ts'
import { createApp } from './app.ts'
import type { SystemClock } from './lib/clock.ts'
import type { Config } from './config/config.ts'

/** A server that listens. */
export interface Server {
  app: App
  /** Where it listens; the links it gives out begin with `app.links.base`. */
  url: string
  /**
   * Stops accepting, finishes what is in flight, closes the ledger. Who does not finish in time is
   * cut off.
   */
  close: () => Promise<void>
}

/** It cannot listen where it was told to; the message says why and what to do. */
export class AddressUnusableError extends Error {
  override name = 'AddressUnusable'
}

/** A request that has begun has this long to end once the server stops. */
const patienceMs = 2500
/** A connection without a request is closed this soon once the server stops. */
const lingerMs = 50

/** Puts the server together and lets it listen; ready when it returns. */
export async function startServer (
  config: Config,
  systemClock: SystemClock,
  log: Logger
): Promise<Server> {
  const app = await createApp(config, systemClock, log)
  const connections = trackConnections(app)
  let url: string
  try {
    await listen(app, config)
    const { address, port } = app.http.server.address() as AddressInfo
    url = urlOf(address, port)
    app.links.base = baseOf(config.publicUrl ?? url)
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
    throw new AddressUnusableError(explainAddress(config, error as NodeJS.ErrnoException))
  }
}

/** Every connection there is, as long as there is. */
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
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs)
  const sweep = setInterval(() => {
    // Node closes the connections that are idle when it stops, but not those that become so
    // afterwards,
    server.closeIdleConnections()
    // and one on which nothing was ever said does not count as idle to it.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }, lingerMs)
  try {
    await app.close()
  } finally {
    clearTimeout(impatience)
    clearInterval(sweep)
  }
}

/** Why it cannot listen where the configuration says, and what to do. */
export function explainAddress (
  { port, host }: Config,
  { code, message }: NodeJS.ErrnoException
): string {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `port ${port} on ${host} is taken by another program; stop that one, or choose another ` +
        'port with --port (0 picks a free one)'
      )
    case 'EACCES':
      return (
        `port ${port} on ${host} may not be used by this user; choose a port above 1023 with ` +
        '--port'
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return (
        `${host} is not an address of this machine; use --host 127.0.0.1 for this machine ` +
        'only, or --host 0.0.0.0 for every network it is on'
      )
    default:
      return (
        `it cannot listen on port ${port} of ${host} (${message}); choose others with --port ` +
        'and --host'
      )
  }
}
