import type { Agent, Dispatcher } from 'undici'
import type { LookupFunction } from 'node:net'
import type { Exchange } from '../src/ports/ledger.ts'

/** HTTP client of the callbacks. */

/** Bytes of a response body that are kept. */
const keptBytes = 2048
/** Bytes of a response body that are read, so that the connection can be used again. */
const readBytes = 64 * 1024

type Answer = Required<Pick<Exchange, 'status' | 'response'>>
type Finish = (error: unknown, answer?: Answer) => void

/** What the client needs to know. */
export interface ClientSettings {
  targets: { lookUp: LookupFunction }
  /** Time that a receiver has to answer. */
  timeoutMs: number
  /** Certificates of authorities that receivers may use besides the public ones, as PEM. */
  trusted: readonly string[]
}

/** Loads the HTTP client and creates its connections. */
export async function openClient (
  { targets, timeoutMs, trusted }: ClientSettings,
  connections: number
): Promise<CallbackClient> {
  const { Agent } = await import('undici')
  // A list of authorities replaces the public ones, so they are in it, too.
  const ca = trusted.length === 0 ? undefined : [...(await publicRoots()), ...trusted]
  const connect = { timeout: timeoutMs, lookup: targets.lookUp, ca }
  // The time limit of the reader counts; without its own, the client is faster.
  const noLimits = { headersTimeout: 0, bodyTimeout: 0 }
  const agent = new Agent({ connections, pipelining: 1, connect, ...noLimits })
  return new CallbackClient(agent, timeoutMs)
}

async function publicRoots (): Promise<readonly string[]> {
  return (await import('node:tls')).rootCertificates
}

/** Sends requests and reads the beginning of their answers. */
export class CallbackClient {
  readonly #agent: Agent
  readonly #timeoutMs: number

  constructor (agent: Agent, timeoutMs: number) {
    this.#agent = agent
    this.#timeoutMs = timeoutMs
  }

  /** Sends a request. Throws 'late' if there is no answer in time, or the error of the client. */
  exchange (
    { origin, pathname, search }: URL,
    { headers, body }: Exchange['request'],
    stop: AbortSignal
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader(this.#timeoutMs, stop, (error, answer) =>
        answer === undefined ? reject(error) : resolve(answer)
      )
      const path = pathname + search
      this.#agent.dispatch({ origin, path, method: 'POST', headers, body }, reader)
    })
  }

  close (): Promise<void> {
    return this.#agent.destroy()
  }
}

/**
 * Reads the answer to one request. The status decides, even if the body is cut off or takes too
 * long: its beginning is kept. The client calls the reader directly. A stream for each body and
 * signals for the time limit took a tenth of the time of a callback.
 */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #finish: Finish
  readonly #stop: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #onStop = (): void => this.#abort(this.#stop.reason)
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status: number | undefined
  #headers: Record<string, string | string[]> = {}
  #read = 0
  #isOver = false

  constructor (timeoutMs: number, stop: AbortSignal, finish: Finish) {
    this.#finish = finish
    this.#stop = stop
    this.#timer = setTimeout(() => this.#abort('late'), timeoutMs)
    stop.addEventListener('abort', this.#onStop)
  }

  onRequestStart (controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the request has ended'))
  }

  onResponseStart (
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>
  ): void {
    // An answer with a status below 200 precedes the real one.
    if (status < 200) return
    this.#status = status
    // The client gives no header without a value.
    this.#headers = headers as Record<string, string | string[]>
  }

  onResponseData (_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < keptBytes) this.#chunks.push(chunk)
    this.#read += chunk.length
    if (this.#read > readBytes) this.#abort(undefined)
  }

  onResponseEnd (): void {
    this.#end(undefined)
  }

  onResponseError (_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #abort (reason: unknown): void {
    this.#end(reason)
    this.#controller?.abort(new Error('the request has ended'))
  }

  #end (error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#stop.removeEventListener('abort', this.#onStop)
    if (this.#status === undefined) return this.#finish(error)
    const body = Buffer.concat(this.#chunks).subarray(0, keptBytes).toString('utf8')
    this.#finish(undefined, { status: this.#status, response: { headers: this.#headers, body } })
  }
}
