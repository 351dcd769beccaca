import type { Agent } from 'undici'
import type { Accounts } from '../src/accounts/registry.ts'
import type { SystemClock } from '../src/lib/clock.ts'
import type { Delivery, Exchange } from '../src/domain/ports.ts'
import type { Keys } from '../src/security/keys.ts'
import { signRequest } from '../src/security/signature.ts'
import { sinkHeaders } from '../src/security/sink-links.ts'
import { signatureTime, tamperBody } from './callback-faults.ts'

const contentType = 'application/json; charset=UTF-8'
/**
 * So much of an answer is kept, in bytes; and so much is read, so that the connection can be used
 * again.
 */
const keptBytes = 2048
const readBytes = 64 * 1024
/** At most this many connections to one place. */
export const connections = 32

type Client = { undici: typeof import('undici'); agent: Agent }

/** Takes one callback to its receiver and brings back what that said. */
export class CallbackSender {
  readonly #accounts: Accounts
  readonly #keys: Keys
  readonly #systemClock: SystemClock
  readonly #timeoutMs: number
  #client: Promise<Client> | undefined

  /** A receiver has `timeoutMs` to answer. */
  constructor (accounts: Accounts, keys: Keys, systemClock: SystemClock, timeoutMs: number) {
    this.#accounts = accounts
    this.#keys = keys
    this.#systemClock = systemClock
    this.#timeoutMs = timeoutMs
  }

  async sendCallback (delivery: Delivery, stop: AbortSignal): Promise<Exchange> {
    const { undici, agent } = await (this.#client ??= openClient(this.#timeoutMs))
    const { account, url, fault = {} } = delivery
    const request = {
      headers: { ...this.#headers(delivery), ...sinkHeaders(this.#keys, account, url) },
      body: fault.tampered === true ? tamperBody(delivery.body) : delivery.body
    }
    const late = AbortSignal.timeout(this.#timeoutMs)
    try {
      const answer = await undici.request(url, {
        method: 'POST',
        ...request,
        dispatcher: agent,
        signal: AbortSignal.any([late, stop])
      })
      // The status decides, whatever becomes of the rest.
      return {
        request,
        status: answer.statusCode,
        response: { headers: definite(answer.headers), body: await readBeginning(answer.body) }
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

  async close (): Promise<void> {
    await (await this.#client)?.agent.destroy()
  }

  /**
   * Signed anew at every attempt: a signature counts for a minute of the machine's time, whatever
   * the account's clock shows.
   */
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

/** The HTTP client is loaded with the first callback: a start should not wait for it. */
async function openClient (timeoutMs: number): Promise<Client> {
  const undici = await import('undici')
  return {
    undici,
    agent: new undici.Agent({ connections, pipelining: 1, connect: { timeout: timeoutMs } })
  }
}

/** The beginning of an answer's body. The rest is read on for a while, and it may have no end. */
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
    // It broke off, or took too long: what came is kept.
  }
  return Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
}

function definite (
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
