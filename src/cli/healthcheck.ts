import { ConfigError } from '../config/config.ts'
import { parseDuration } from '../lib/duration.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { probe, isMomock } from './probe.ts'
import { mockUrl } from './mock-url.ts'

const longestMs = 10 * 60_000

/** `momock healthcheck`: for containers, which have no curl. */
export const run: RunCommand = async ({ flags, config, out, err }) => {
  const problems: string[] = []
  const timeoutMs = parseDuration(flags.timeout as string) ?? 0
  if (timeoutMs < 1 || timeoutMs > longestMs) {
    problems.push(
      `--timeout must be more than nothing and at most 10m, got '${String(flags.timeout)}'`
    )
  }
  // With a URL the settings do not matter, and may be those of another machine.
  const url = mockUrl(
    flags.url,
    typeof flags.url === 'string' ? { host: '', port: 0 } : await config(),
    problems
  )
  if (problems.length > 0) throw new ConfigError(problems)
  const visit = await probe(`${url}/health`, timeoutMs)
  if (isMomock(visit)) {
    out.write(`${url} is healthy\n`)
    return exitCodes.fine
  }
  err.write(
    `${url} is not healthy: ` +
      `${visit.problem ?? `GET /health was answered with ${visit.status}, and not by momock`}\n`
  )
  return exitCodes.failed
}
