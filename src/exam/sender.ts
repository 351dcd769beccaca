import type { Socket } from 'node:net'
import type { PaymentRecord } from './callback.ts'
import { TargetProblem } from './check.ts'
import type { Exchange } from './evidence.ts'
import { mostBytes, openSockets, send, type Message, type NoAnswer } from './http.ts'
import { callbackAddresses, systemClock, type MomockClient } from './mock.ts'
import type { Settings } from './settings.ts'

/** Sender of the exam's own callbacks, which keeps the answers. */

/** Way to sign and send a callback. */
export interface Posting {
  /** Signed by the server, by somebody else in its name, or not at all. */
  key?: 'own' | 'wrong' | 'none'
  /** Age of the signature, in milliseconds; it has expired after a minute. */
  ageMs?: number
  /** Host that it is signed for; the merchant's own one, when left out. */
  host?: string
  /**
   * Address that it comes from, in X-Forwarded-For: a published one if it is genuine, none if it is
   * forged or if this is null.
   */
  source?: string | null
  headers?: Record<string, string>
  /** Changes the message after it was signed. */
  alter?: (message: { headers: Record<string, string>; body: string }) => {
    headers: Record<string, string>
    body: string
  }
}

export class CallbackSender {
  readonly exchanges: Exchange[] = []
  readonly #mock: MomockClient
  readonly #url: string
  readonly #timeoutMs: number
  readonly #stop: AbortSignal

  constructor (mock: MomockClient, { config, limits }: Settings, stop: AbortSignal) {
    this.#mock = mock
    this.#url = config.callback
    this.#timeoutMs = limits.callbackTimeoutMs
    this.#stop = stop
  }

  /** Posts a callback to the merchant, signed like the service by default. */
  async post (
    label: string,
    body: string | PaymentRecord,
    posting: Posting = {}
  ): Promise<Exchange> {
    const message = await this.#message(body, posting)
    return await this.#exchange(label, message)
  }

  /**
   * Posts many callbacks at the same moment, each over its own connection. The connections are
   * opened before the bodies are created. Equal bodies are signed once.
   */
  async postAtOnce (
    label: string,
    count: number,
    makeBodies: () => Promise<readonly PaymentRecord[]>
  ): Promise<Exchange[]> {
    const sockets = await openSockets(this.#url, count, this.#timeoutMs).catch((error: Error) => {
      throw new TargetProblem(`${this.#url}: ${error.message}`)
    })
    const bodies = await makeBodies()
    const signed = new Map(
      [...new Set(bodies)].map((body): [PaymentRecord, Promise<Message>] => [
        body,
        this.#message(body, {})
      ])
    )
    const messages = await Promise.all(bodies.flatMap((body) => signed.get(body) ?? []))
    return await Promise.all(
      messages.map((message, n) => this.#exchange(label, message, sockets[n]))
    )
  }

  async #message (
    body: string | PaymentRecord,
    posting: Posting
  ): Promise<Message> {
    const { key = 'own', ageMs = 0, host, headers = {}, alter } = posting
    const { source = isGenuine(posting) ? callbackAddresses[0] : null } = posting
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const plain = { headers: { 'content-type': 'application/json; charset=UTF-8' }, body: text }
    const at = new Date(systemClock.now() - ageMs).toISOString()
    const signed =
      key === 'none'
        ? plain
        : await this.#mock.signCallback({
          url: host === undefined ? this.#url : urlAt(host, this.#url),
          body: text,
          wrongKey: key === 'wrong',
          ...(ageMs !== 0 && { at })
        })
    const { headers: sent, body: last } = alter === undefined ? signed : alter(signed)
    const from = source === null ? undefined : { 'x-forwarded-for': source }
    const all = { ...sent, ...from, ...headers }
    return { method: 'POST', url: this.#url, headers: all, body: last }
  }

  async #exchange (label: string, message: Message, socket?: Socket): Promise<Exchange> {
    this.#stop.throwIfAborted()
    const at = systemClock.now()
    const request = { ...message, body: message.body ?? '' }
    const exchange: Exchange = await send(message, this.#timeoutMs, {
      stop: this.#stop,
      ...(socket !== undefined && { socket })
    }).then(
      ({ status, headers, body, durationMs, isCut }) => {
        if (isCut) {
          throw new TargetProblem(
            `${message.url} answered a callback with more than ${mostBytes / 1024} KiB; is it ` +
              'the URL that takes callbacks?',
            true
          )
        }
        return {
          label,
          at,
          request,
          status,
          response: { headers, body: body.slice(0, 2048) },
          durationMs
        }
      },
      (error: NoAnswer) => ({
        label,
        at,
        request,
        error: error.message,
        durationMs: error.durationMs
      })
    )
    this.exchanges.push(exchange)
    return exchange
  }
}

/** Would the service send it like this? */
function isGenuine ({ key = 'own', ageMs = 0, host, alter }: Posting): boolean {
  return key === 'own' && ageMs <= 0 && host === undefined && alter === undefined
}

function urlAt (host: string, url: string): string {
  const moved = new URL(url)
  moved.host = host
  moved.port = ''
  return moved.href
}
