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
  close: () => Promise<void>
}

/** The address is taken; the message says what to do. */
export class AddressInUse extends Error {
  override name = 'AddressInUse'
}

/** Puts the server together and lets it listen; ready when it returns. */
export async function startServer (config: Config, machine: Machine, log: Logger): Promise<Server> {
  const app = await createApp(config, machine, log)
  try {
    await app.http.listen({ port: config.port, host: config.host })
  } catch (error) {
    await app.close()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new AddressInUse(`port ${config.port} on ${config.host} is taken by another program; stop that one, or choose another port with --port (0 picks a free one)`)
  }
  const url = urlOf(app.http.server.address() as AddressInfo)
  app.links.base = url
  await app.start()
  return { app, url, close: () => app.close() }
}

/** The address as somebody on this machine would type it. */
function urlOf ({ address, family, port }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::'
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
