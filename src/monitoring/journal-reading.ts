import { isTooDeep } from '../lib/json-limits.ts'
import { parse, unescape } from 'node:querystring'
import type { Kind, KindName } from '../domain/kinds.ts'
import { noteRequest } from '../domain/request-notes.ts'
import type { SeenRequest } from '../verification/matching.ts'
import { longestText, splitHeaders, type JournalExchange } from './request-journal.ts'

/** Journal entry as a person or a matcher reads it. */
export interface ReadExchange extends SeenRequest {
  url: string
  answer: unknown
  /** True where only the beginning of the text was kept. */
  truncated: { body: boolean; answer: boolean }
  /** Payments that the request names. */
  payments: Array<{ kind: KindName; id: string }>
  notes: string[]
}

const ignoredSignature =
  'the signature was ignored: the account does not have signedRequestsOnly, and then signature ' +
  'headers must not be sent'

/** Headers that hold credentials. */
const secrets = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-momock-admin-token',
  'x-api-key'
])
/** Query parameters that hold credentials. */
const secretParameters = new Set(['token', 'access_token', 'api_key', 'api-key', 'apikey'])

/** Tells whether a request was refused, or had no operation or no account. */
export function isRefused ({ matched, status, answer }: JournalExchange): boolean {
  return !matched || status >= 400 || answer.includes('"status":"REJECTED"')
}

/** Reads a journal entry: JSON texts become values, and secrets are hidden. */
export function readExchange ({
  method,
  url: sent,
  headers: lines,
  body,
  answer,
  status,
  called,
  signature
}: JournalExchange): ReadExchange {
  const [path, asked = ''] = splitUrl(sent)
  const query = hideSecrets(asked)
  const headers = nameHeaders(splitHeaders(lines))
  const value = parseText(showText(body))
  const ignored =
    called?.signed === true &&
    headers.signature !== undefined &&
    signature === undefined &&
    status < 400
  return {
    method,
    url: query === asked ? sent : `${path}?${query}`,
    path,
    query: parse(query),
    headers,
    ...(value !== undefined && { body: value }),
    ...(called !== undefined && { operation: called.operation }),
    status,
    answer: parseText(showText(answer)),
    truncated: { body: body.length > longestText, answer: answer.length > longestText },
    payments: called?.kind === undefined ? [] : listPayments(called.kind, path, value),
    notes: [
      ...(ignored ? [ignoredSignature] : []),
      ...(status < 400 ? noteRequest(method, path, value) : []).map(({ message }) => message)
    ]
  }
}

/** Returns headers by name in lower case; the values of a repeated header are joined. */
function nameHeaders (pairs: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let n = 0; n < pairs.length; n += 2) {
    const name = pairs[n].toLowerCase()
    const text = secrets.has(name) ? hideCredential(pairs[n + 1]) : pairs[n + 1]
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${text}` : text
  }
  return headers
}

/** Splits a URL at the question mark. */
function splitUrl (url: string): [path: string, query?: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

/** Hides the secrets in a query. */
function hideSecrets (query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name] = pair.split('=', 1)
      return name !== pair && secretParameters.has(unescape(name).toLowerCase())
        ? `${name}=[hidden]`
        : pair
    })
    .join('&')
}

function parseText (text: string): unknown {
  if (text === '') return undefined
  if (isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Hides a credential, except for its scheme. */
function hideCredential (text: string): string {
  const [, scheme = ''] = /^(\w+ )\S/.exec(text) ?? []
  return `${scheme}[hidden]`
}

const identifier = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

function listPayments (kind: Kind, path: string, body: unknown): ReadExchange['payments'] {
  const inPath = identifier.exec(path)?.[0]
  const ids =
    inPath !== undefined
      ? [inPath]
      : [body]
          .flat()
          .map((one) => (one as Record<string, unknown> | null | undefined)?.[kind.idField])
  return ids.filter((id) => typeof id === 'string').map((id) => ({ kind: kind.name, id }))
}

/** Returns a kept text as it is shown. */
function showText (text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`
}
