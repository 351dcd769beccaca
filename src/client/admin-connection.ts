import { MomockError, readError } from './momock-error.ts'
import type { RequestMatcher } from './requests.ts'
import type { JournalEntry } from './responses.ts'

/** Largest page that the admin API gives. */
const pageSize = 1000

/** Connection to the admin API of a mock, as one account. */
export class AdminConnection {
  /** Base URL of the mock, such as http://127.0.0.1:40123. */
  readonly url: string
  /** Token of the account. Payments are made with it, too. */
  readonly token: string
  readonly #adminToken: string | undefined

  constructor (url: string, token: string, adminToken?: string) {
    this.url = url.replace(/\/+$/, '')
    this.token = token
    this.#adminToken = adminToken
  }

  /** Makes any call under `/__admin` with the tokens it needs. Returns JSON, or else text. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/__admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(this.#adminToken !== undefined && { 'x-momock-admin-token': this.#adminToken }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) {
      throw new MomockError(`${method} /__admin${path}`, response.status, readError(text))
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T
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

/** Writes the given parameters as the query of a URL. */
export function buildQuery (parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}
