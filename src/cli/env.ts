import { ConfigError } from '../config/config.ts'
import { demoToken } from '../config/configured.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { mockUrl } from './mock-url.ts'

/**
 * `momock env`: what the applications of merchants read their address and token from, under the
 * names that are in use.
 */
export const run: RunCommand = async ({ flags, config, out }) => {
  const settings = await config()
  const problems: string[] = []
  const url = mockUrl(flags.url ?? settings.publicUrl, settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const token = demoToken(settings)
  const variables = {
    PAWAPAY_BASE_URL: url,
    PAWAPAY_API_URL: url,
    PAWAPAY_API_TOKEN: token,
    PAWAPAY_API_KEY: token
  }
  for (const [name, value] of Object.entries(variables)) {
    out.write(`export ${name}=${quoted(value)}\n`)
  }
  return exitCodes.fine
}

/** A word that every shell takes as it is. */
function quoted (text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
