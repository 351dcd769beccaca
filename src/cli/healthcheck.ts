import { ConfigError } from '../config/config.ts'
import { parseDuration } from '../lib/duration.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { isMomock, probeServer } from './probe.ts'
import { findMockUrl } from './mock-url.ts'

const longestMs = 10 * 60_000

/** `momock healthcheck`: for containers without curl. */
export const run: RunCommand = async ({ flags, config, out, err }) => {
  const problems: string[] = []
  const timeoutMs = parseDuration(flags.timeout as string) ?? 0
  if (timeoutMs < 1 || timeoutMs > longestMs) {
    problems.push(`--timeout must be more than 0 and at most 10m, got '${String(flags.timeout)}'`)
  }
  // With --url the settings are not needed. They can belong to another machine.
  const url = findMockUrl(
    flags.url,
    typeof flags.url === 'string' ? { host: '', port: 0 } : await config(),
    problems
  )
  if (problems.length > 0) throw new ConfigError(problems)
  const result = await probeServer(`${url}/health`, timeoutMs)
  if (isMomock(result)) {
    out.write(`${url} is healthy\n`)
    return exitCodes.fine
  }
  const reason = result.problem ?? `another program answered GET /health with ${result.status}`
  err.write(`${url} is not healthy: ${reason}\n`)
  return exitCodes.failed
}
