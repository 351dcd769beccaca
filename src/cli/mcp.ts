import { ConfigError } from '../config/config.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { findMockUrl } from './mock-url.ts'
import { connectTo } from './running-mock.ts'

/**
 * `momock mcp`: serves tools for assistants over standard input and output. The mock need not run
 * yet: each call says so until it does.
 */
export const run: RunCommand = async ({ flags, config }) => {
  const problems: string[] = []
  const settings = await config()
  const client = connectTo(findMockUrl(flags.url, settings, problems), settings)
  if (problems.length > 0) throw new ConfigError(problems)
  const { serveStdio } = await import('../mcp/server.ts')
  await serveStdio({
    call: async (method, path, body) => await client.call(method, path, body),
    allowsChanges: flags.allowChanges === true
  })
  return exitCodes.fine
}
