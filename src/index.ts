import { MomockClient } from './client/client.ts'
import { nodeProblem } from './lib/node-version.js'
import type { Config } from './config/config.ts'

/**
 * What `import 'momock'` gives: a server inside this process, or the hand on one elsewhere, for
 * tests written in JavaScript and TypeScript.
 */

export type * from './client/responses.ts'
export type * from './client/requests.ts'
export type { Config } from './config/config.ts'
export { MomockClient, MomockError, type WaitOptions } from './client/client.ts'

/** A mock in this process. */
export interface Momock extends MomockClient {
  /** Stops it and leaves no socket or timer behind. */
  close: () => Promise<void>
}

/** Starts a server, on a free port and with its ledger in memory unless told otherwise. */
export async function createMomock (options: Partial<Config> = {}): Promise<Momock> {
  const problem = nodeProblem()
  if (problem !== undefined) throw new Error(problem)
  const [
    { systemClock },
    { completeConfig: complete },
    { demoToken: tokenToTry },
    { createLogger: createLog },
    { startServer }
  ] = await Promise.all([
    import('./lib/clock.ts'),
    import('./config/config.ts'),
    import('./config/configured.ts'),
    import('./lib/logger.ts'),
    import('./server.ts')
  ])
  const config = complete({ port: 0, db: ':memory:', logLevel: 'silent', ...options })
  const server = await startServer(config, systemClock, await createLog(config.logLevel, false))
  return Object.assign(new MomockClient(server.url, tokenToTry(config), config.adminToken), {
    close: () => server.close()
  })
}

/** The hand on a mock that runs elsewhere, in a container perhaps, as the account of a token. */
export function connectMomock (
  url: string,
  token = 'test-token',
  options: { adminToken?: string } = {}
): MomockClient {
  return new MomockClient(url, token, options.adminToken)
}
