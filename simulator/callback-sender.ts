import { loadLazily } from '../src/lib/lazy.ts'
import type { Accounts } from '../src/accounts/registry.ts'
import type { SystemClock } from '../src/lib/clock.ts'
import type { Delivery, Exchange } from '../src/ports/ledger.ts'
import type { Keys } from '../src/security/keys.ts'
import type { ReadLimits } from '../src/security/receiver-certificate.ts'
import {
  callbackHeader,
  type CallbackTargets
} from '../src/security/callback-targets.ts'
import {
  aimAt,
  isListenersOnly,
  type Listener,
  type Listeners
} from '../src/listening/listeners.ts'
import type { Signer } from '../src/security/signature.ts'
import { sinkHeaders } from '../src/security/sink-links.ts'
import { otherHost } from '../src/domain/callback-faults.ts'
import { signatureTime } from './callback-faults.ts'

/** Parts of a URL that a signature covers. */
type SignedTarget = Pick<URL, 'host' | 'pathname' | 'protocol'>

/** Returns the signed headers of a callback. */
type SignCallback = (
  url: SignedTarget,
  body: string,
  signer: Signer
) => Promise<Record<string, string>>

const contentType = 'application/json; charset=UTF-8'
/** Most connections to one receiver. */
export const connections = 32

/** Parts that the sender needs. */
export interface CallbackSenderParts {
  accounts: Accounts
  keys: Keys
  systemClock: SystemClock
  targets: CallbackTargets
  /** Programs that fetch callbacks of their accounts. */
  listeners: Listeners
  /** Time that a receiver has to answer. */
  timeoutMs: number
  /** Certificates of authorities that receivers may use besides the public ones, as PEM. */
  trusted: readonly string[]
}

/** Sends one callback to its receiver and returns the response. */
export class CallbackSender {
  readonly #parts: CallbackSenderParts
  /** The HTTP client and the signer. The first callback loads them: a start must not wait. */
  readonly #open = loadLazily(async () => {
    const [{ openClient }, { signRequest }, { SigningThread }] = await Promise.all([
      import('./callback-client.ts'),
      import('../src/security/signature.ts'),
      import('../src/security/signing-thread.ts')
    ])
    const thread = new SigningThread()
    const signCallback: SignCallback = (url, body, signer) =>
      signRequest('POST', url, contentType, body, { ...signer, signText: thread.signText })
    return { client: await openClient(this.#parts, connections), signCallback, thread }
  })

  constructor (parts: CallbackSenderParts) {
    this.#parts = parts
  }

  /** Sends a callback. Every failure is a result, so that the callback is tried again. */
  async sendCallback (delivery: Delivery, stop: AbortSignal): Promise<Exchange> {
    const { account, url, body, fault = {} } = delivery
    const request: Exchange['request'] = { headers: {}, body: fault.forgedBody ?? body }
    const { keys, targets, listeners, timeoutMs } = this.#parts
    try {
      const listener = listeners.find(account, body)
      if (listener !== undefined) return await this.#hand(listener, delivery, request, stop)
      if (isListenersOnly(url)) throw new Error('the account has no callback URL, and no listener')
      const target = targets.readTarget(url)
      const { client, signCallback } = await this.#open()
      request.headers = await this.#headers(delivery, target.url, signCallback)
      if (target.isAdminCall) request.headers[callbackHeader] = 'true'
      if (target.isSink) Object.assign(request.headers, sinkHeaders(keys, account))
      stop.throwIfAborted()
      return { request, ...(await client.exchange(target.url, request, stop)) }
    } catch (error) {
      return {
        request,
        error:
          error === 'late'
            ? `no answer within ${timeoutMs / 1000} s`
            : await this.#explainError(url, error as NodeJS.ErrnoException, stop)
      }
    }
  }

  /** Hands a callback to a listener, signed for the host and the path that it wants. */
  async #hand (
    listener: Listener,
    delivery: Delivery,
    request: Exchange['request'],
    stop: AbortSignal
  ): Promise<Exchange> {
    const { signCallback } = await this.#open()
    const { host, pathname, search } = aimAt(listener, new URL(delivery.url))
    const { protocol } = new URL(delivery.url)
    const headers = await this.#headers(delivery, { protocol, host, pathname }, signCallback)
    request.headers = { host, ...headers }
    stop.throwIfAborted()
    const handed = {
      method: 'POST',
      path: pathname + search,
      headers: request.headers,
      body: Buffer.from(request.body)
    }
    const { timeoutMs, listeners } = this.#parts
    const result = await listeners.hand(listener, handed, timeoutMs, stop)
    if ('error' in result) return { request, error: result.error }
    const { status, headers: answered = {}, body = '' } = result
    return { request, status, response: { headers: answered, body } }
  }

  async #explainError (
    url: string,
    error: NodeJS.ErrnoException,
    stop: AbortSignal
  ): Promise<string> {
    const { targets, timeoutMs } = this.#parts
    const code = error.code ?? ''
    const reason = reasons[code] ?? (await explainTls(url, error, targets, { timeoutMs, stop }))
    return `${reason ?? error.message}${code === '' ? '' : ` (${code})`}`
  }

  async close (): Promise<void> {
    const opened = await this.#open.current()
    await Promise.all([opened?.client.close(), opened?.thread.close()])
  }

  /** Returns signed headers. Each attempt is signed: a signature is valid for one minute. */
  #headers (
    { account, body, fault = {} }: Delivery,
    url: SignedTarget,
    signCallback: SignCallback
  ): Promise<Record<string, string>> | Record<string, string> {
    const { accounts, keys, systemClock } = this.#parts
    const { settings } = accounts.byId(account)
    const { signedCallbacks = true, signatureEncoding = 'der', callbackSource } = settings
    const source: Record<string, string> | undefined =
      callbackSource === undefined ? undefined : { 'x-forwarded-for': callbackSource }
    if (!signedCallbacks || fault.unsigned === true) {
      return { 'content-type': contentType, ...source }
    }
    const key = fault.wrongKey === true ? keys.wrongKey : keys.signing
    const now = signatureTime(fault, systemClock.now())
    const { protocol, pathname } = url
    const host = fault.otherHost === true ? otherHost : url.host
    // One that is tampered with has the signature of the true body.
    const text = fault.tampered === true ? body : (fault.forgedBody ?? body)
    const signer = { key, now, encoding: signatureEncoding }
    const signed = signCallback({ protocol, host, pathname }, text, signer)
    return source === undefined ? signed : signed.then((headers) => ({ ...headers, ...source }))
  }
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
  limits: ReadLimits
): Promise<string | undefined> {
  if (!url.startsWith('https:')) return undefined
  const { explainTlsError } = await import('../src/security/receiver-certificate.ts')
  return await explainTlsError(url, error, lookUp, limits)
}
