import { baseOf, urlOf } from '../lib/url.ts'
import type { Config } from '../config/config.ts'

/**
 * Where the mock is: at the URL that was given, or where the settings say; a problem, if these do
 * not know it.
 */
export function mockUrl (
  given: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  problems: string[]
): string {
  if (typeof given === 'string') return baseOf(given)
  if (port === 0) {
    problems.push(
      'port 0 picks a free one, which cannot be known here; say where the mock is with --url'
    )
  }
  return urlOf(host, port)
}
