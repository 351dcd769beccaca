import { MomockClient } from '../client/client.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { chooseClientToken } from '../config/configured.ts'
import type { CommandInput } from './command.ts'
import { findMockUrl } from './mock-url.ts'
import { isMomock, probeServer } from './probe.ts'

const probeTimeoutMs = 3000

/** Mock that a command talks to. */
export interface RunningMock {
  url: string
  settings: Config
  client: MomockClient
}

/**
 * Finds the mock of a command: that of --url, or of the settings. If none answers, it says so and
 * returns undefined. Another program must not get the requests of a command.
 */
export async function findRunningMock (
  command: string,
  { flags, config, err }: CommandInput,
  problems: string[] = []
): Promise<RunningMock | undefined> {
  const settings = await config()
  const url = findMockUrl(flags.url, settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const result = await probeServer(`${url}/health`, probeTimeoutMs)
  if (isMomock(result)) return { url, settings, client: connectTo(url, settings) }
  err.write(
    `momock ${command} cannot run: there is no momock at ${url} ` +
      `(${result.problem ?? 'another program answers'}); start one, or set the address with --url\n`
  )
  return undefined
}

/** Creates a client of a mock, with the tokens of the settings. */
export function connectTo (url: string, settings: Config): MomockClient {
  const { adminToken } = settings
  const options = adminToken === undefined ? {} : { adminToken }
  return new MomockClient(url, chooseClientToken(settings), options)
}
