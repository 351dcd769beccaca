import { buildEnvironment } from '../client/admin-connection.ts'
import { ConfigError } from '../config/config.ts'
import { chooseClientToken } from '../config/configured.ts'
import { quoteWord } from '../lib/shell.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { findMockUrl } from './mock-url.ts'

/** `momock env`: prints address and token under the variable names that merchants use. */
export const run: RunCommand = async ({ flags, config, out }) => {
  const settings = await config()
  const problems: string[] = []
  const url = findMockUrl(flags.url ?? settings.publicUrl, settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const token = chooseClientToken(settings)
  for (const [name, value] of Object.entries(buildEnvironment(url, token))) {
    out.write(`export ${name}=${quoteWord(value)}\n`)
  }
  return exitCodes.fine
}
