import type { Static } from '@sinclair/typebox'
import type { CallbackView } from '../../../src/admin-api/callbacks.ts'
import { isLoopback } from '../../../src/lib/hosts.ts'

type Callback = Static<typeof CallbackView>
type Attempt = Callback['attempts'][number]

/** Advice by the error of an attempt without an answer. */
const errorAdvice: Array<[error: RegExp, advice: string]> = [
  [/ECONNREFUSED/, 'No server listens there. Start your application, and check the port.'],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'The host name of the URL is unknown to this server. Check its spelling.'
  ],
  [/certificate|TLS|SSL/i, 'Trust the authority of the receiver with --callbacks-ca.'],
  [/no answer within|TIMEOUT/i, 'The receiver is too slow. Answer first, and do the work later.'],
  [/ECONNRESET|UND_ERR_SOCKET/, 'The receiver closed the connection. Read its log.'],
  [/HPE_|Parse Error/, 'The receiver does not use HTTP. Check the port and the scheme of the URL.']
]

/** Advice by the status of an answer. The first row that fits is used. */
const statusAdvice: Array<[from: number, to: number, advice: string]> = [
  [300, 399, 'The receiver redirects. Redirects are not followed: set the final URL.'],
  [
    401,
    403,
    'The receiver refuses the sender. Leave the path of callbacks open, and verify the signature.'
  ],
  [404, 404, 'The receiver has no such path. Check the path of the callback URL.'],
  [405, 405, 'The receiver does not take POST at this path. Callbacks are POST requests.'],
  [413, 413, 'The receiver takes no body of this size. Raise its limit.'],
  [415, 415, 'The receiver does not take JSON. Callbacks have Content-Type: application/json.'],
  [400, 499, 'The receiver refuses the content. Compare its checks with the body below.'],
  [500, 599, 'The receiver failed. Read its log.']
]

/** Plain advice about a callback that has not arrived; undefined if there is nothing to do. */
export function adviceFor ({ url, attempts, state }: Callback): string | undefined {
  const last = attempts.at(-1)
  if (last === undefined || state === 'ACKNOWLEDGED') return undefined
  const advice = adviceAbout(last)
  return advice === undefined ? undefined : `${advice}${hostAdvice(url, last)}`
}

function adviceAbout ({ status, error = '' }: Attempt): string | undefined {
  if (status !== undefined) {
    const row = statusAdvice.find(([from, to]) => status >= from && status <= to)
    return row === undefined ? undefined : `The answer was ${status}. ${row[2]}`
  }
  const [, advice = 'Check that the receiver runs, and that this server can reach its URL.'] =
    errorAdvice.find(([pattern]) => pattern.test(error)) ?? []
  return `There was no answer: ${error}. ${advice}`
}

/** A loopback URL means the container itself, if this server runs in one. */
function hostAdvice (url: string, { status }: Attempt): string {
  const host = URL.parse(url)?.hostname ?? ''
  if (status !== undefined || !isLoopback(host)) return ''
  return ` If this server runs in a container, ${host} is the container: use host.docker.internal.`
}
