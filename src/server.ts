import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { App } from './app.ts'
import { createApp } from './app.ts'
import type { Machine } from './clock.ts'
import type { Config } from './config.ts'

/** A server that listens. */
export interface Server {
  app: App
  url: string
  /** Stops accepting, finishes what is in flight, closes the ledger. Who does not finish in time is cut off. */
  close: () => Promise<void>
}

/** It cannot listen where it was told to; the message says why and what to do. */
export class AddressUnusable extends Error {
  override name = 'AddressUnusable'
}

/** A request that has begun has this long to end once the server stops. */
const patienceMs = 2500
/** A connection that is kept open between requests is closed this soon after its last one. */
const lingerMs = 50

/** Puts the server together and lets it listen; ready when it returns. */
export async function startServer (config: Config, machine: Machine, log: Logger): Promise<Server> {
  const app = await createApp(config, machine, log)
  try {
    await app.http.listen({ port: config.port, host: config.host })
  } catch (error) {
    await app.close()
    throw new AddressUnusable(explain(config, error as NodeJS.ErrnoException))
  }
  const url = urlOf(app.http.server.address() as AddressInfo)
  app.links.base = url
  await app.start()
  return { app, url, close: () => close(app) }
}

async function close (app: App): Promise<void> {
  const { server } = app.http
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs)
  // Node closes the connections that are idle when it stops, but not those that become so afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), lingerMs)
  try {
    await app.close()
  } finally {
    clearTimeout(impatience)
    clearInterval(sweep)
  }
}

function explain ({ port, host }: Config, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE': return `port ${port} on ${host} is taken by another program; stop that one, or choose another port with --port (0 picks a free one)`
    case 'EACCES': return `port ${port} on ${host} may not be used by this user; choose a port above 1023 with --port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': return `${host} is not an address of this machine; use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for every network it is on`
    default: return `it cannot listen on port ${port} of ${host} (${message}); choose others with --port and --host`
  }
}

/** The address as somebody on this machine would type it. */
function urlOf ({ address, family, port }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::'
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
