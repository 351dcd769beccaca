import type { FastifyRequest } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import { showUrls } from '../../src/lib/url.ts'
import { tarEnd, writeTarEntry } from '../../src/lib/tar.ts'
import { Type } from '../../src/lib/typebox.ts'
import { version } from '../../src/lib/package.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import { archiveType, sendArchive } from './reports.ts'
import type { AdminParts } from './parts.ts'

/** Archive for bug reports: the answers of other admin calls as files, without secrets. */

const pageSize = 200
/** Most pages of a list; the newest values come first. */
const maxPages = 50

/** Files with one answer. */
const views: Record<string, string> = {
  account: '/account',
  clock: '/clock',
  scenarios: '/scenarios',
  providers: '/providers',
  wallets: '/wallets',
  'set-aside': '/set-aside',
  'status-checks': '/status-checks',
  invariants: '/invariants'
}

/** Files with a list, a value per line, and the field that asks for the next page. */
const lists: Record<string, { path: string; next: 'after' | 'before' }> = {
  payments: { path: '/payments?order=newest', next: 'after' },
  callbacks: { path: '/callbacks?order=newest', next: 'after' },
  requests: { path: '/requests?', next: 'before' }
}

/** Call that returns the archive. */
export function bundleRoute (app: TypedApp, { systemClock, ids }: AdminParts): void {
  app.get(
    '/bundle',
    {
      config: adminCall(
        'getBundle',
        'Download an archive for bug reports',
        'A tar.gz with the payments, callbacks and requests of this account, newest first and at ' +
          `most ${pageSize * maxPages} of each, its settings, scenarios, outages, wallets and ` +
          'clock, its invariants, the seed and the versions. Tokens, and passwords and values ' +
          'of queries in URLs, are hidden. Phone numbers are included.'
      ),
      schema: {
        response: {
          200: {
            description: 'The archive.',
            content: { [archiveType]: { schema: Type.String() } }
          }
        }
      }
    },
    async (request, reply) => {
      const facts = {
        momock: version,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        seed: ids.seed,
        written: new Date(systemClock.now()).toISOString()
      }
      const files = writeFiles(app, request, facts)
      return sendArchive(reply, packFiles(files, systemClock.now()), 'momock-bundle.tar.gz')
    }
  )
}

async function * packFiles (
  files: AsyncIterable<[name: string, text: string]>,
  time: number
): AsyncIterable<Buffer> {
  for await (const [name, text] of files) {
    yield writeTarEntry(`momock-bundle/${name}`, Buffer.from(text), time)
  }
  yield tarEnd
}

async function * writeFiles (
  app: TypedApp,
  request: FastifyRequest,
  facts: object
): AsyncIterable<[name: string, text: string]> {
  const hide = buildMask(request.account)
  const ask = (path: string): Promise<object> => askFor(app, request, path)
  yield ['server.json', writeJson(hide(facts))]
  for (const [name, path] of Object.entries(views)) {
    yield [`${name}.json`, writeJson(hide(await ask(path)))]
  }
  for (const [name, { path, next }] of Object.entries(lists)) {
    let text = ''
    let position = ''
    for (let page = 0; page < maxPages; page++) {
      const answer = await ask(`${path}&limit=${pageSize}${position}`)
      const { values, following } = readPage(answer, name)
      text += values.map((value) => `${JSON.stringify(hide(value))}\n`).join('')
      if (following === undefined) break
      position = `&${next}=${following}`
    }
    yield [`${name}.jsonl`, text]
  }
}

/**
 * Makes a call of the admin API. A call that is refused gives a problem with its answer, which the
 * archive shows: a failed call must not look like an empty list.
 */
async function askFor (
  app: TypedApp,
  { headers }: FastifyRequest,
  path: string
): Promise<object> {
  const { authorization, host, 'x-momock-admin-token': adminToken } = headers
  const url = `/__admin${path}`
  const { statusCode, body } = await app.inject({
    url,
    headers: {
      ...(host !== undefined && { host }),
      ...(authorization !== undefined && { authorization }),
      ...(adminToken !== undefined && { 'x-momock-admin-token': adminToken })
    }
  })
  const answer: unknown = readAnswer(body)
  return statusCode === 200 && typeof answer === 'object' && answer !== null
    ? answer
    : { problem: `GET ${url} was answered with ${statusCode}`, answer }
}

function readAnswer (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads a page of a list: its values, or the problem in their place. */
function readPage (answer: object, name: string): { values: unknown[]; following?: unknown } {
  const fields = new Map<string, unknown>(Object.entries(answer))
  const values = fields.get(name)
  return Array.isArray(values) ? { values, following: fields.get('next') } : { values: [answer] }
}

function writeJson (value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/**
 * Returns a function that hides the tokens of an account, by field and inside of texts, and the
 * passwords and query values of URLs.
 */
function buildMask ({ settings }: Account): (value: unknown) => unknown {
  const tokens = (settings.tokens ?? []).map(({ token }) => token)
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return tokens.reduce((text, token) => text.replaceAll(token, '[hidden]'), showUrls(value))
    }
    if (Array.isArray(value)) return value.map(hide)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        name === 'token' ? '[hidden]' : hide(field)
      ])
    )
  }
  return hide
}
