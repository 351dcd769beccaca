import { MomockError, readError } from './errors.ts'
import type { StreamOptions } from './event-stream.ts'
import type {
  EventListener,
  EventOptions,
  JournalEntry,
  MockEvent,
  RequestMatcher
} from './types.ts'

/** Largest page that the admin API gives. */
const pageSize = 1000

/** Options of a client. */
export interface ClientOptions {
  /** Token of the admin API, if the mock has one. */
  adminToken?: string
  /**
   * `'throw'`: `expect`, `reset` and `close` throw if a request had no operation or no account.
   */
  onUnmatched?: 'throw' | 'ignore'
  /** More environment variables for child processes. */
  env?: Record<string, string>
}

/** Connection to the admin API of a mock, as one account. */
export class AdminConnection {
  /** Base URL of the mock, such as http://127.0.0.1:40123. */
  readonly url: string
  /** Token of the account. Payments are made with it, too. */
  readonly token: string
  /** Options that the clients of other accounts have, too. */
  protected readonly options: ClientOptions

  constructor (url: string, token: string, options: ClientOptions = {}) {
    this.url = url.replace(/\/+$/, '')
    this.token = checkToken(token)
    this.options = options
  }

  /** Environment variables that point a child process to the mock and this account. */
  get env (): Record<string, string> {
    return { ...buildEnvironment(this.url, this.token), ...this.options.env }
  }

  /**
   * Makes any call of the admin API with the tokens it needs. The path can begin with `/__admin` or
   * with what follows it. Returns JSON, or else text.
   */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#send(method, path, body)
    const text = await response.text().catch(this.#explainNoAnswer(`${method} ${path}`))
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T
  }

  /** Downloads a file. */
  protected async download (path: string): Promise<Uint8Array> {
    const response = await this.#send('GET', path)
    const bytes = await response.arrayBuffer().catch(this.#explainNoAnswer(`GET ${path}`))
    return new Uint8Array(bytes)
  }

  /** Makes a call and returns its response. Throws if the mock refuses it or does not answer. */
  async #send (
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    headers: Record<string, string> = {}
  ): Promise<Response> {
    const fullPath = `/__admin/${path.replace(/^(\/?__admin(?=[/?]|$))?\/?/, '')}`
    const explain = this.#explainNoAnswer(`${method} ${fullPath}`)
    const { adminToken } = this.options
    const response = await fetch(this.url + fullPath, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${this.token}`,
        ...(adminToken !== undefined && { 'x-momock-admin-token': adminToken }),
        ...(body !== undefined && {
          'content-type': isFile(body) ? 'application/gzip' : 'application/json'
        })
      },
      ...(body !== undefined && { body: isFile(body) ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal })
    }).catch(explain)
    if (response.ok) return response
    const error = readError(await response.text().catch(explain))
    throw new MomockError(`${method} ${fullPath}`, response.status, error)
  }

  /**
   * Follows the events of the account, or of all accounts, from now on. It ends with the signal,
   * or when the mock stops.
   */
  async * events (options: EventOptions = {}): AsyncGenerator<MockEvent> {
    const { accounts, ...rest } = options
    yield * this.follow<MockEvent>(`/events${buildQuery({ accounts })}`, rest)
  }

  /** Follows any stream of the admin API. */
  async * follow<Message>(path: string, options: StreamOptions): AsyncGenerator<Message> {
    const { followStream } = await import('./event-stream.ts')
    const { after } = options
    const headers: Record<string, string> =
      after === undefined ? {} : { 'last-event-id': String(after) }
    const open = (signal: AbortSignal): Promise<Response> =>
      this.#send('GET', path, undefined, signal, headers)
    yield * followStream<Message>(open, options)
  }

  /**
   * Calls a listener for each event of a type, from now on until the mock stops. Resolves when no
   * event can be missed any more, to a function that ends it:
   * `const stop = await mock.on('status', (event) => { … })`.
   */
  async on<Type extends MockEvent['type']>(
    type: Type,
    listener: EventListener<Type>,
    options: Pick<EventOptions, 'accounts'> = {}
  ): Promise<() => void> {
    const { listenToEvents } = await import('./event-stream.ts')
    return await listenToEvents((inner) => this.events({ ...options, ...inner }), type, listener)
  }

  /** Returns a handler of an answer that did not come, or not to its end. */
  #explainNoAnswer (call: string): (error: unknown) => Promise<never> {
    return async (error) => {
      // Not of the network: the answer is not JSON.
      if (error instanceof SyntaxError) throw error
      const { explainNoAnswer } = await import('../lib/no-answer.ts')
      const { problem } = explainNoAnswer(error, 0)
      throw new MomockError(
        call,
        0,
        {
          code: 'UNREACHABLE',
          message: `there is no answer from ${this.url}: ${problem}`,
          hint: 'start the mock, or correct the URL'
        },
        { cause: error }
      )
    }
  }

  /** Reads all pages of a list, or one page if the filter has a limit. */
  protected async listAll<T extends object>(
    path: string,
    name: string,
    filter: Record<string, string | number | undefined>
  ): Promise<T[]> {
    const all: T[] = []
    for (let after = filter.after; ;) {
      const page = await this.call<Record<string, T[]> & { next?: number }>(
        'GET',
        path + buildQuery({ limit: pageSize, ...filter, after })
      )
      all.push(...page[name])
      if (filter.limit !== undefined || page.next === undefined) return all
      after = page.next
    }
  }

  /** Reads all pages of the journal. */
  protected async listJournal (
    method: string,
    path: string,
    matcher?: RequestMatcher,
    query: Record<string, string> = {}
  ): Promise<JournalEntry[]> {
    const all: JournalEntry[] = []
    for (;;) {
      const { requests, meta } = await this.call<{
        requests: JournalEntry[]
        meta: { total: number }
      }>(method, path + buildQuery({ ...query, limit: pageSize, before: all.at(-1)?.id }), matcher)
      all.push(...requests)
      if (requests.length === meta.total) return all
    }
  }
}

/** Throws for a text that cannot be a bearer token, so that not each call of the account fails. */
function checkToken (token: string): string {
  if (isBearerToken(token)) return token
  const fitting = token.replace(/[^!-~]+/g, '-')
  throw new MomockError(`token ${JSON.stringify(token)}`, 0, {
    code: 'BAD_REQUEST',
    message: 'this is no token: it has a space, a character that is not ASCII, or no character',
    ...(isBearerToken(fitting) && { hint: `use ${JSON.stringify(fitting)}` })
  })
}

const isBearerToken = (text: string): boolean => /^[!-~]+$/.test(text)

/** Variables that applications of merchants read: where the mock is, and the token to pay with. */
export function buildEnvironment (url: string, token: string): Record<string, string> {
  return {
    PAWAPAY_BASE_URL: url,
    PAWAPAY_API_URL: url,
    PAWAPAY_API_TOKEN: token,
    PAWAPAY_API_KEY: token,
    PAWAPAY_PUBLIC_KEY_URL: `${url}/v2/public-key/http`
  }
}

/** Writes the given parameters as the query of a URL. */
export function buildQuery (parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}

/** Tells whether a body is a file, which is sent as it is. */
function isFile (body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array
}
