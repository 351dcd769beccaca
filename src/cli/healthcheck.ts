import { baseOf, urlOf } from '../address.ts'
import { parseDuration } from '../duration.ts'
import { exitCodes, type Run } from './command.ts'
import { ask, isMomock } from './visit.ts'

/** `momock healthcheck`: for containers, which have no curl. */
export const run: Run = async ({ flags, config, out, err }) => {
  const url = typeof flags.url === 'string' ? baseOf(flags.url) : await config().then(({ host, port }) => urlOf(host, port))
  const visit = await ask(`${url}/health`, parseDuration(flags.timeout as string) ?? 0)
  if (isMomock(visit)) {
    out.write(`${url} is healthy\n`)
    return exitCodes.fine
  }
  err.write(`${url} is not healthy: ${visit.problem ?? `GET /health was answered with ${visit.status}, and not by momock`}\n`)
  return exitCodes.failed
}
