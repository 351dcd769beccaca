import type { Agent } from 'undici'
import type { Accounts } from '../src/accounts/registry.ts'
import type { SystemClock } from '../src/lib/clock.ts'
import type { Delivery, Exchange } from '../src/domain/ports.ts'
import type { Keys } from '../src/security/keys.ts'
import { signRequest } from '../src/security/signature.ts'
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

/** Sends one callback to its receiver and returns the response. */
export class CallbackSender {
  readonly #accounts: Accounts
  readonly #keys: Keys
  readonly #systemClock: SystemClock
  readonly #timeoutMs: number
  readonly #ownUrls: () => string[]
  #client: Promise<Client> | undefined

  /** A receiver has `timeoutMs` to answer. `ownUrls` are the URLs of this server. */
  constructor (
    accounts: Accounts,
    keys: Keys,
    systemClock: SystemClock,
    timeoutMs: number,
    ownUrls: () => string[]
  ) {
    this.#ownUrls = ownUrls
    this.#accounts = accounts
    this.#keys = keys
    this.#systemClock = systemClock
    this.#timeoutMs = timeoutMs
  }

  /** Sends a callback. Every failure is a result, so that the callback is tried again. */
  async sendCallback (delivery: Delivery, stop: AbortSignal): Promise<Exchange> {
    const { account, url, body, fault = {} } = delivery
    const request: Exchange['request'] = { headers: {}, body }
    const late = AbortSignal.timeout(this.#timeoutMs)
    try {
      const { undici, agent } = await this.#openClient()
      const ownHeaders = sinkHeaders(this.#keys, account, url, this.#ownUrls())
      request.headers = { ...this.#headers(delivery), ...ownHeaders }
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
          ? `no answer within ${this.#timeoutMs / 1000} s`
          : explainError(error as NodeJS.ErrnoException)
      }
    }
  }

  /** Loads the HTTP client with the first callback. A failure is not kept: the next one tries. */
  async #openClient (): Promise<Client> {
    this.#client ??= openClient(this.#timeoutMs)
    try {
      return await this.#client
    } catch (error) {
      this.#client = undefined
      throw error
    }
  }

  async close (): Promise<void> {
    await (await this.#client)?.agent.destroy()
  }

  /** Returns signed headers. Each attempt is signed: a signature is valid for one minute. */
  #headers ({ account, url, body, fault = {} }: Delivery): Record<string, string> {
    const { signedCallbacks = true, signatureEncoding = 'der' } =
      this.#accounts.byId(account).settings
    if (!signedCallbacks || fault.unsigned === true) return { 'content-type': contentType }
    const key = fault.wrongKey === true ? this.#keys.forged : this.#keys.signing
    return signRequest('POST', url, contentType, body, {
      key,
      now: signatureTime(fault, this.#systemClock.now()),
      encoding: signatureEncoding
    })
  }
}

/** Loads the HTTP client, which a start must not wait for. */
async function openClient (timeoutMs: number): Promise<Client> {
  const undici = await import('undici')
  return {
    undici,
    agent: new undici.Agent({ connections, pipelining: 1, connect: { timeout: timeoutMs } })
  }
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
    // The body broke off or took too long: the part that came is kept.
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

function explainError (error: NodeJS.ErrnoException): string {
  const code = error.code ?? ''
  return `${reasons[code] ?? error.message}${code === '' ? '' : ` (${code})`}`
}
