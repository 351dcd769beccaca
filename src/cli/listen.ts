import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '../config/config.ts'
import type { HandlerAnswer, ListenerAdded, ListenerRequest } from '../admin-api/listeners.ts'
import { MomockError } from '../client/errors.ts'
import type { KindName } from '../domain/kinds.ts'
import { readContent } from '../listening/callback-content.ts'
import { Handler } from '../listening/handler.ts'
import type { HandedMessage } from '../listening/listeners.ts'
import { showText } from '../lib/terminal-text.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { stopOnSignals } from './interruption.ts'
import { findRunningMock, type RunningMock } from './running-mock.ts'

/**
 * `momock listen`: fetches the callbacks of an account over a connection of its own, posts them to
 * a handler, and reports its answers. It connects again until Ctrl-C.
 */
export const run: RunCommand = async (input) => {
  const { out, err, words, flags } = input
  const problems: string[] = []
  const wish = readWish(words, flags, problems)
  const mock = await findRunningMock('listen', input, problems)
  if (mock === undefined) return exitCodes.address
  const { stop, release } = stopOnSignals()
  const print = (stream: Writable) => (line: string): void => {
    stream.write(`${showText(line)}\n`)
  }
  try {
    const listener = new ListeningProgram(mock, wish, {
      write: print(out),
      note: print(err),
      json: flags.json === true
    })
    await listener.run(stop)
    return exitCodes.fine
  } finally {
    release()
  }
}

interface Printer {
  write: (line: string) => void
  note: (line: string) => void
  json: boolean
}

/** Waits before the next connection, in milliseconds; the last one repeats. */
const waits = [500, 1000, 2000, 5000]

class ListeningProgram {
  readonly #mock: RunningMock
  readonly #wish: ListenerRequest
  readonly #print: Printer
  readonly #handler: Handler
  /** Number of the last callback that came. */
  #last = 0

  constructor (mock: RunningMock, wish: ListenerRequest, print: Printer) {
    this.#mock = mock
    this.#wish = wish
    this.#print = print
    this.#handler = new Handler(wish.url, mock.url)
  }

  async run (stop: AbortSignal): Promise<void> {
    const { client, url } = this.#mock
    let added = await this.#add()
    const { note } = this.#print
    const whose = `${describe(this.#wish)} of ${client.token} at ${url}`
    note(`${whose} go to ${this.#wish.url}; Ctrl-C stops it`)
    for (let failures = 0; !stop.aborted;) {
      const isOpened = await this.#follow(added, stop)
      if (stop.aborted) break
      failures = isOpened ? 0 : failures + 1
      if (isOpened) note(`the connection to ${url} has ended; it is opened again`)
      await sleep(waits[Math.min(failures, waits.length - 1)], undefined, { signal: stop })
        .catch(() => {})
      added = (isOpened ? added : await this.#addAgain(stop)) ?? added
    }
    await client.call('DELETE', `/listeners/${added.id}`).catch(() => {})
    await this.#handler.close()
  }

  async #add (): Promise<ListenerAdded> {
    this.#last = 0
    return await this.#mock.client.call('POST', '/listeners', this.#wish)
  }

  /** Adds the listener anew: the mock has forgotten it, or has started again. */
  async #addAgain (stop: AbortSignal): Promise<ListenerAdded | undefined> {
    if (stop.aborted) return undefined
    return await this.#add().catch((error: unknown) => {
      if (error instanceof MomockError && error.status !== 0 && error.status < 500) throw error
      return undefined
    })
  }

  /** Follows a stream to its end. Returns false if it could not be opened. */
  async #follow ({ id, timeoutMs }: ListenerAdded, stop: AbortSignal): Promise<boolean> {
    const path = `/listeners/${id}/callbacks`
    let isOpened = false
    try {
      const follow = { signal: stop, after: this.#last, onOpen: () => { isOpened = true } }
      for await (const message of this.#mock.client.follow<HandedMessage>(path, follow)) {
        this.#last = Math.max(this.#last, message.n)
        this.#pass(id, message, timeoutMs).catch((error: Error) => this.#print.note(error.message))
      }
    } catch (error) {
      if (!(error instanceof MomockError)) throw error
      if (error.status === 401 || error.status === 403) throw error
    }
    return isOpened
  }

  /** Passes a callback to the handler, prints the result, and reports the answer. */
  async #pass (id: string, message: HandedMessage, timeoutMs: number): Promise<void> {
    const { client } = this.#mock
    const passed = await this.#handler.pass(message, timeoutMs)
    const { result, durationMs, signature } = passed
    const { taken } = await client.call<{ taken: boolean }>('POST', `/listeners/${id}/answers`, {
      n: message.n,
      ...result
    } satisfies HandlerAnswer)
    const { kind, id: payment, status } = readContent(passed.body.toString())
    if (this.#print.json) {
      const { n, path } = message
      const line = { n, kind, id: payment, status, path, ...result, durationMs, signature, taken }
      this.#print.write(JSON.stringify(line))
      return
    }
    const answer = 'error' in result ? result.error : `${result.status} in ${durationMs} ms`
    const what = [kind ?? 'callback', payment, status].filter(Boolean).join(' ')
    const late = taken ? '' : ', too late'
    this.#print.write(`${what} → ${message.path} ${answer}${late}; ${signature.because}`)
  }
}

function describe ({ kinds, metadata }: ListenerRequest): string {
  const conditions = Object.entries(metadata ?? {}).map(([name, value]) => `${name}=${value}`)
  return [
    kinds === undefined ? 'all callbacks' : `callbacks of ${kinds.join(', ')}`,
    ...(conditions.length === 0 ? [] : [`with ${conditions.join(', ')}`])
  ].join(' ')
}

/** Reads the arguments of the command. */
function readWish (
  words: string[],
  flags: Record<string, unknown>,
  problems: string[]
): ListenerRequest {
  const [url = ''] = words
  if (words.length !== 1 || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
    problems.push('name the http or https URL of your handler: momock listen URL')
  }
  const metadata = readMetadata(flags.metadata as string | undefined, problems)
  const { kind, host } = flags as { kind?: string; host?: string }
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    url,
    ...(host !== undefined && { host }),
    ...(kind !== undefined && { kinds: kind.split(',') as KindName[] }),
    ...(metadata !== undefined && { metadata })
  }
}

function readMetadata (
  text: string | undefined,
  problems: string[]
): Record<string, string> | undefined {
  if (text === undefined) return undefined
  const pairs = text.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair))
  if (pairs.includes(null)) {
    problems.push("--metadata must be pairs such as 'developer=anna,shop=7'")
  }
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])))
}
