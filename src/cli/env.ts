import { baseOf, urlOf } from '../address.ts'
import { ConfigError } from '../config.ts'
import { tokenToTry } from '../configured.ts'
import { exitCodes, type Run } from './command.ts'

/** `momock env`: what the applications of merchants read their address and token from, under the names that are in use. */
export const run: Run = async ({ flags, config, out }) => {
  const settings = await config()
  const given = flags.url ?? settings.publicUrl
  if (given === undefined && settings.port === 0) throw new ConfigError(['port 0 picks a free one, which cannot be known here; say where the mock is with --url'])
  const url = typeof given === 'string' ? baseOf(given) : urlOf(settings.host, settings.port)
  const token = tokenToTry(settings)
  const variables = { PAWAPAY_BASE_URL: url, PAWAPAY_API_URL: url, PAWAPAY_API_TOKEN: token, PAWAPAY_API_KEY: token }
  for (const [name, value] of Object.entries(variables)) out.write(`export ${name}=${quoted(value)}\n`)
  return exitCodes.fine
}

/** A word that every shell takes as it is. */
function quoted (text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
