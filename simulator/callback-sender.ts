import { loadLazily } from '../src/lib/lazy.ts'
import type { Agent } from 'undici'
import type { Accounts } from '../src/accounts/registry.ts'
import type { SystemClock } from '../src/lib/clock.ts'
import type { Delivery, Exchange } from '../src/domain/ports.ts'
import type { Keys } from '../src/security/keys.ts'
import { signRequest } from '../src/security/signature.ts'
import type { CallbackTargets } from '../src/security/callback-targets.ts'
import { sinkHeaders } from '../src/security/sink-links.ts'
import { signatureTime, tamperBody } from './callback-faults.ts'

const contentType = 'application/json; charset=UTF-8'
/** Bytes of a response body that are kept. */
const keptBytes = 2048
/** Bytes of a response body that are read, so that the connection can be used again. */
const readBytes = 64 * 1024
/** Most connections to one receiver. */
export const connections = 32

type Client = { undici: typeof import('undici'); agent: Agent }

/** Parts that the sender needs. */
export interface CallbackSenderParts {
  accounts: Accounts
  keys: Keys
  systemClock: SystemClock
  targets: CallbackTargets
  /** Time that a receiver has to answer. */
  timeoutMs: number
  /** Certificates of authorities that receivers may use besides the public ones, as PEM. */
  trusted: readonly string[]
}

/** Sends one callback to its receiver and returns the response. */
export class CallbackSender {
  readonly #parts: CallbackSenderParts
  /** The HTTP client, which the first callback loads. */
  readonly #openClient = loadLazily(() => openClient(this.#parts))

  constructor (parts: CallbackSenderParts) {
    this.#parts = parts
  }

  /** Sends a callback. Every failure is a result, so that the callback is tried again. */
  async sendCallback (delivery: Delivery, stop: AbortSignal): Promise<Exchange> {
    const { account, url, body, fault = {} } = delivery
    const request: Exchange['request'] = { headers: {}, body }
    const { keys, targets, timeoutMs } = this.#parts
    const late = AbortSignal.timeout(timeoutMs)
    try {
      targets.check(url)
      const { undici, agent } = await this.#openClient()
      request.headers = {
        ...this.#headers(delivery),
        ...(targets.isSink(url) && sinkHeaders(keys, account))
      }
      if (fault.tampered === true) request.body = tamperBody(body)
      const answer = await undici.request(url, {
        method: 'POST',
        ...request,
        dispatcher: agent,
        signal: AbortSignal.any([late, stop])
      })
      // The status decides, even if the body breaks off.
      return {
        request,
        status: answer.statusCode,
        response: { headers: dropUndefined(answer.headers), body: await readBeginning(answer.body) }
      }
    } catch (error) {
      return {
        request,
        error: late.aborted
          ? `no answer within ${timeoutMs / 1000} s`
          : await this.#explainError(url, error as NodeJS.ErrnoException)
      }
    }
  }

  async #explainError (url: string, error: NodeJS.ErrnoException): Promise<string> {
    const { targets, timeoutMs } = this.#parts
    const code = error.code ?? ''
    const reason = reasons[code] ?? (await explainTls(url, error, targets, timeoutMs))
    return `${reason ?? error.message}${code === '' ? '' : ` (${code})`}`
  }

  async close (): Promise<void> {
    await (await this.#openClient.current())?.agent.destroy()
  }

  /** Returns signed headers. Each attempt is signed: a signature is valid for one minute. */
  #headers ({ account, url, body, fault = {} }: Delivery): Record<string, string> {
    const { accounts, keys, systemClock } = this.#parts
    const { settings } = accounts.byId(account)
    const { signedCallbacks = true, signatureEncoding = 'der', callbackSource } = settings
    const source: Record<string, string> =
      callbackSource === undefined ? {} : { 'x-forwarded-for': callbackSource }
    if (!signedCallbacks || fault.unsigned === true) {
      return { 'content-type': contentType, ...source }
    }
    const key = fault.wrongKey === true ? keys.forged : keys.signing
    const headers = signRequest('POST', url, contentType, body, {
      key,
      now: signatureTime(fault, systemClock.now()),
      encoding: signatureEncoding
    })
    return { ...headers, ...source }
  }
}

/** Loads the HTTP client, which a start must not wait for. */
async function openClient ({ targets, timeoutMs, trusted }: CallbackSenderParts): Promise<Client> {
  const undici = await import('undici')
  // A list of authorities replaces the public ones, so they are in it, too.
  const ca = trusted.length === 0 ? undefined : [...(await publicRoots()), ...trusted]
  return {
    undici,
    agent: new undici.Agent({
      connections,
      pipelining: 1,
      connect: { timeout: timeoutMs, lookup: targets.lookUp, ca }
    })
  }
}

async function publicRoots (): Promise<readonly string[]> {
  return (await import('node:tls')).rootCertificates
}

/** Returns the beginning of a response body, which may have no end. */
async function readBeginning (body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of body) {
      if (read < keptBytes) chunks.push(chunk)
      read += chunk.length
      if (read > readBytes) break
    }
  } catch {
    // The body was cut off or took too long: the received part is kept.
  }
  return Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
}

/** Removes headers without a value. */
function dropUndefined (
  headers: Record<string, string | string[] | undefined>
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined
    )
  )
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the receiver',
  UND_ERR_SOCKET: 'connection closed by the receiver before it answered',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'could not connect in time'
}

/** Explains a refused certificate. The explanation is loaded with the first such error. */
async function explainTls (
  url: string,
  error: NodeJS.ErrnoException,
  { lookUp }: CallbackTargets,
  timeoutMs: number
): Promise<string | undefined> {
  if (!url.startsWith('https:')) return undefined
  const { explainTlsError } = await import('../src/security/receiver-certificate.ts')
  return await explainTlsError(url, error, lookUp, timeoutMs)
}
