import pino from 'pino'
import { machine } from './clock.ts'
import type { Config } from './config.ts'
import { complete } from './config.ts'
import { startServer } from './server.ts'

/** What `import 'momock'` gives: a server inside this process, for tests written in JavaScript and TypeScript. */

export type { Config } from './config.ts'

export interface Momock {
  /** Where it listens, such as http://127.0.0.1:40123. */
  url: string
  /** The token of the default account. */
  token: string
  /** Stops it and leaves no socket or timer behind. */
  close: () => Promise<void>
}

/** Starts a server, on a free port and with its ledger in memory unless told otherwise. */
export async function createMomock (options: Partial<Config> = {}): Promise<Momock> {
  const config = complete({ port: 0, db: ':memory:', logLevel: 'silent', ...options })
  const server = await startServer(config, machine, pino({ level: config.logLevel }))
  return { url: server.url, token: config.token, close: () => server.close() }
}
