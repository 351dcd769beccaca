import { Agent, request } from 'undici'
import { explainNoAnswer } from '../lib/no-answer.ts'
import { stopwatch, systemClock } from '../lib/clock.ts'
import type { HandedMessage, HandlerResult } from './listeners.ts'
import { explainCallback } from '../security/explanation.ts'
import { verifyingKeys, type PublishedKey } from '../security/keys.ts'

/** Bytes of the answer of a handler that are reported. */
const reportedBytes = 2048

/** What became of a callback. */
export interface Passed {
  body: Buffer
  result: HandlerResult
  durationMs: number
  signature: { valid: boolean; because: string }
}

/** Handler of an application: it gets callbacks byte for byte, with their original host. */
export class Handler {
  readonly #url: URL
  readonly #keysUrl: string
  readonly #agent = new Agent()
  #keys: PublishedKey[] = []

  /** `service` is the mock or the relay whose keys verify the callbacks. */
  constructor (url: string, service: string) {
    this.#url = new URL(url)
    this.#keysUrl = `${service}/public-key/http`
  }

  /** Posts a callback. Every failure is a result. */
  async pass (message: HandedMessage, timeoutMs: number): Promise<Passed> {
    const body = Buffer.from(message.body, 'base64')
    const signature = await this.#explain(message, body)
    const began = stopwatch()
    const result = await this.#post(message, body, timeoutMs)
    return { body, result, durationMs: Math.round(stopwatch() - began), signature }
  }

  close (): Promise<void> {
    return this.#agent.destroy()
  }

  /** Path of a callback at the handler, which may have one of its own. */
  #target (path: string): string {
    const { pathname, search } = this.#url
    return pathname === '/' ? path : pathname + search
  }

  async #post (
    { method, path, headers }: HandedMessage,
    body: Buffer,
    timeoutMs: number
  ): Promise<HandlerResult> {
    try {
      const answer = await request(this.#url.origin + this.#target(path), {
        dispatcher: this.#agent,
        method: method as 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(timeoutMs)
      })
      const text = await answer.body.text()
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(
          Object.entries(answer.headers).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, value]]
          )
        ),
        body: Buffer.from(text).subarray(0, reportedBytes).toString()
      }
    } catch (error) {
      const { name, message } = error as Error
      const { problem, code } = explainNoAnswer({ name, message, cause: error }, timeoutMs)
      return { error: `${problem} (${code})` }
    }
  }

  /** Explains the signature, as the handler sees the request. */
  async #explain (
    { method, path, headers }: HandedMessage,
    body: Buffer
  ): Promise<{ valid: boolean; because: string }> {
    const keyid = /;keyid="([^"]*)"/.exec(headers['signature-input'] ?? '')?.[1]
    if (!this.#keys.some(({ id }) => id === keyid)) this.#keys = await this.#fetchKeys()
    const target = this.#target(path)
    const { host: authority } = headers
    const message = { method, target, scheme: 'http', authority, headers } as const
    const now = systemClock.now()
    const terms = { keys: verifyingKeys(this.#keys), now, encoding: 'both' } as const
    const { valid, problems, hints } = explainCallback(message, body, terms)
    return {
      valid,
      because: valid
        ? 'its signature is valid'
        : `its signature is not valid: ${[problems[0], hints[0]].filter(Boolean).join('; ')}`
    }
  }

  async #fetchKeys (): Promise<PublishedKey[]> {
    const response = await fetch(this.#keysUrl).catch(() => undefined)
    return response?.ok === true ? ((await response.json()) as PublishedKey[]) : []
  }
}
