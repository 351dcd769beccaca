import { baseOf, urlOf } from '../lib/url.ts'
import type { Config } from '../config/config.ts'

/** Returns the URL of the mock: the given URL, or the URL of the settings. */
export function findMockUrl (
  given: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  problems: string[]
): string {
  if (typeof given === 'string') return baseOf(given)
  if (port === 0) {
    problems.push('port 0 uses any free port, so the address is not known; set it with --url')
  }
  return urlOf(host, port)
}
