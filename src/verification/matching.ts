import type { Static } from '@sinclair/typebox'
import { uuidPattern } from '../lib/ids.ts'
import { choice, closed, Type } from '../lib/typebox.ts'
import { operationIds } from '../domain/known-codes.ts'
import { kinds } from '../domain/kinds.ts'
import { deliveryStates } from '../ports/outgoing-callback.ts'
import { compareBodies, difference, type Difference } from './body-comparison.ts'

export type { Difference } from './body-comparison.ts'

/**
 * Matchers of requests and callbacks. A matcher names only the fields that matter; each of them
 * must match. A word that nothing can match is refused: with `count: 0` it would pass for ever.
 */

const Texts = (what: string) =>
  Type.Record(
    Type.String(),
    Type.Union([Type.String(), Type.Null()], {
      description: 'a text in which * stands for anything, or null where there must be none'
    }),
    {
      description:
        `${what} by name: a text in which * stands for anything, or null where there must be ` +
        'none'
    }
  )

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

export const RequestMatcherSchema = Type.Object(
  {
    method: Type.Optional(Type.Unsafe<string>(choice(methods))),
    path: Type.Optional(
      Type.String({
        pattern: '^/[^?#]*$',
        examples: ['/v2/deposits/*'],
        description:
          'a path that begins with a slash, without its query; * or {name} stands for anything ' +
          'between two slashes'
      })
    ),
    query: Type.Optional(Texts('parameters of the query')),
    headers: Type.Optional(Texts('headers')),
    body: Type.Optional(
      Type.Unknown({ description: 'a part of the body: fields that are not named do not matter' })
    ),
    operation: Type.Optional(
      choice(operationIds, {
        description: 'an operationId of the reference, such as v2InitiateDeposit'
      })
    ),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'the HTTP status of the answer' })
    )
  },
  {
    ...closed,
    description: '{ method, path, query, headers, body, operation, status }',
    examples: [{ method: 'POST', path: '/v2/deposits', body: { amount: '15' } }]
  }
)

export type RequestMatcher = Static<typeof RequestMatcherSchema>

/** Fields of a request that can be matched. Header names are in lower case. */
export interface SeenRequest {
  method: string
  path: string
  query: Readonly<Record<string, string | string[] | undefined>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  body?: unknown
  operation?: string
  status: number
}

export const CallbackMatcherSchema = Type.Object(
  {
    kind: Type.Optional(
      choice([...Object.values(kinds).map(({ name }) => name), 'statement'])
    ),
    paymentId: Type.Optional(
      Type.String({ pattern: uuidPattern, description: 'the UUID of the payment it tells of' })
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^(https?://|[^*]*[*])',
        examples: ['http://127.0.0.1:3000/*'],
        description: 'the http or https URL that it is sent to; * stands for anything'
      })
    ),
    state: Type.Optional(choice(deliveryStates)),
    attempts: Type.Optional(Type.Integer({ minimum: 0, description: 'how often it was tried' })),
    body: Type.Optional(
      Type.Unknown({ description: 'a part of the body: fields that are not named do not matter' })
    )
  },
  {
    ...closed,
    description: '{ kind, paymentId, url, state, attempts, body }',
    examples: [{ kind: 'deposit', body: { status: 'COMPLETED' } }]
  }
)

export type CallbackMatcher = Static<typeof CallbackMatcherSchema>

/** Fields of a callback that can be matched. */
export interface SeenCallback {
  kind: string
  paymentId?: string
  url: string
  state: string
  attempts: number
  body: unknown
}

/** Lists how a request differs from a matcher; the list is empty if it matches. */
export function differencesOfRequest (wanted: RequestMatcher, seen: SeenRequest): Difference[] {
  return [
    ...(wanted.method !== undefined && wanted.method !== seen.method
      ? [difference('method', wanted.method, seen.method)]
      : []),
    ...(wanted.path !== undefined && !matchesPath(wanted.path, seen.path)
      ? [difference('path', wanted.path, seen.path)]
      : []),
    ...compareTexts('query', wanted.query, seen.query),
    ...compareTexts('headers', lowerCased(wanted.headers), seen.headers),
    ...comparePlain('operation', wanted.operation, seen.operation),
    ...comparePlain('status', wanted.status, seen.status),
    ...('body' in wanted ? compareBodies(wanted.body, seen.body) : [])
  ]
}

/** Lists how a callback differs from a matcher; the list is empty if it matches. */
export function differencesOfCallback (wanted: CallbackMatcher, seen: SeenCallback): Difference[] {
  return [
    ...comparePlain('kind', wanted.kind, seen.kind),
    ...comparePlain('paymentId', wanted.paymentId?.toLowerCase(), seen.paymentId?.toLowerCase()),
    ...(wanted.url !== undefined && !matches(wanted.url, seen.url)
      ? [difference('url', wanted.url, seen.url)]
      : []),
    ...comparePlain('state', wanted.state, seen.state),
    ...comparePlain('attempts', wanted.attempts, seen.attempts),
    ...('body' in wanted ? compareBodies(wanted.body, seen.body) : [])
  ]
}

/** Tells whether a path matches a pattern. `*` and `{name}` stand for one segment. */
export function matchesPath (wanted: string, path: string): boolean {
  const parts = bare(wanted).split('/')
  const segments = bare(path).split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, n) =>
      /^\{[^}]*\}$/.test(part) ? segments[n] !== '' : matches(part, segments[n])
    )
  )
}

/** Tells whether a text matches a pattern in which `*` matches any text. */
export function matches (wanted: string, text: string): boolean {
  const [first, ...rest] = wanted.split('*')
  const last = rest.pop()
  if (last === undefined) return wanted === text
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) {
    return false
  }
  const end = text.length - last.length
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

/** Removes superfluous slashes, which the server ignores, too. */
function bare (path: string): string {
  return path.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')
}

function compareTexts (
  field: string,
  wanted: Readonly<Record<string, string | null>> = {},
  got: SeenRequest['query']
): Difference[] {
  return Object.entries(wanted).flatMap(([name, text]) => {
    const value = Object.hasOwn(got, name) ? got[name] : undefined
    if (text === null) {
      return value === undefined ? [] : [difference(`${field}.${name}`, text, value)]
    }
    return [value ?? []].flat().some((one) => matches(text, one))
      ? []
      : [difference(`${field}.${name}`, text, value)]
  })
}

function comparePlain (
  field: string,
  wanted: string | number | undefined,
  got: string | number | undefined
): Difference[] {
  return wanted === undefined || wanted === got ? [] : [difference(field, wanted, got)]
}

function lowerCased (headers: RequestMatcher['headers']): RequestMatcher['headers'] {
  return (
    headers &&
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  )
}
