import type { Static } from '@sinclair/typebox'
import { createEmptyAnswer, readLimit } from '../../src/admin-api/fields.ts'
import {
  JournalPage,
  JournalQuery,
  RequestCount,
  type JournalEntry,
  type NearestRequest
} from '../../src/admin-api/requests.ts'
import type { Account } from '../../src/domain/account.ts'
import type { OperationId } from '../../src/domain/known-codes.ts'
import { checkWantedBody } from '../../src/verification/body-comparison.ts'
import {
  differencesOfRequest,
  RequestMatcherSchema,
  type RequestMatcher
} from '../../src/verification/matching.ts'
import { runInSlices } from '../../src/lib/slices.ts'
import { isRefused, readExchange } from '../../src/monitoring/journal-reading.ts'
import type { JournalExchange } from '../../src/monitoring/request-journal.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import { clipPage, pageMiB } from './page-size.ts'
import type { AdminParts } from './parts.ts'

type ExchangeFilter = (exchange: JournalExchange) => boolean

/** Calls about the request journal of an account: list, search, count and clear it. */
export function requestRoutes (app: TypedApp, parts: AdminParts): void {
  addListRoutes(app, parts)
  addSearchRoutes(app, parts)
  app.delete(
    '/requests',
    {
      config: adminCall('deleteRequests', 'Clear the request journal of this account'),
      schema: { response: { 204: createEmptyAnswer('The journal is empty.') } }
    },
    async ({ account }, reply) => {
      parts.journal.clear(account.id)
      return reply.code(204).send()
    }
  )
}

function addListRoutes (app: TypedApp, parts: AdminParts): void {
  app.get(
    '/requests',
    {
      config: adminCall(
        'listRequests',
        'List the requests of this account and their answers, newest first',
        'Includes both versions of the API, refused requests, and requests for paths that do ' +
          'not exist. Calls under `/__admin` and the actions of customers on pages are not ' +
          'included. Requests without a known token are in the journal of the default account. ' +
          `A page has at most ${pageMiB} MiB of bodies; \`before\` leads to the next one.`
      ),
      schema: { querystring: JournalQuery, response: { 200: JournalPage } }
    },
    async ({ account, query }) => listRequests(parts, account, query, () => true)
  )

  app.get(
    '/requests/unmatched',
    {
      config: adminCall(
        'listUnmatchedRequests',
        'List the requests of this account that matched nothing, newest first',
        'The operation, or the account of the token, does not exist.'
      ),
      schema: { querystring: JournalQuery, response: { 200: JournalPage } }
    },
    async ({ account, query }) => listRequests(parts, account, query, ({ matched }) => !matched)
  )
}

function addSearchRoutes (app: TypedApp, parts: AdminParts): void {
  app.post(
    '/requests/find',
    {
      config: adminCall(
        'findRequests',
        'List the requests of this account that match, newest first',
        'Fields that the matcher does not name are ignored.'
      ),
      schema: {
        querystring: JournalQuery,
        body: RequestMatcherSchema,
        response: { 200: JournalPage }
      }
    },
    async ({ account, query, body }) => listRequests(parts, account, query, createFilter(body))
  )

  app.post(
    '/requests/count',
    {
      config: adminCall('countRequests', 'Count the requests of this account that match'),
      schema: { body: RequestMatcherSchema, response: { 200: RequestCount } }
    },
    async ({ account, body }) => {
      const found = await selectExchanges(parts, account, createFilter(body))
      return { count: found.length, requestJournalDisabled: !parts.journal.enabled }
    }
  )
}

async function listRequests (
  parts: AdminParts,
  account: Account,
  { limit, since, before, payment, outcome, search, nearest }: Static<typeof JournalQuery>,
  isWanted: ExchangeFilter
): Promise<Static<typeof JournalPage>> {
  const found = await selectExchanges(
    parts,
    account,
    (exchange) =>
      (since === undefined || exchange.at >= Date.parse(since)) &&
      (before === undefined || exchange.id < Number(before)) &&
      (outcome === undefined || isRefused(exchange) === (outcome === 'refused')) &&
      (search === undefined || hasText(exchange, search.toLowerCase())) &&
      (payment === undefined || namesPayment(exchange, payment.toLowerCase())) &&
      isWanted(exchange)
  )
  const page = clipPage(found.slice(0, readLimit(limit)), countLetters)
  const showNearest = nearest === 'true' ? await createNearestView(parts, account) : () => undefined
  return {
    requests: page.map((exchange) => ({ ...showRequest(exchange), ...showNearest(exchange) })),
    meta: { total: found.length },
    requestJournalDisabled: !parts.journal.enabled
  }
}

/** Creates the function that shows the nearest valid request of a refused one. */
async function createNearestView (
  parts: AdminParts,
  account: Account
): Promise<(exchange: JournalExchange) => { nearest?: Static<typeof NearestRequest> }> {
  const { findNearestRequest } = await import('./nearest-request.ts')
  return (exchange) => {
    const nearest = isRefused(exchange) ? findNearestRequest(exchange, account, parts) : undefined
    return nearest === undefined ? {} : { nearest }
  }
}

/** Tells whether a request or its answer has a text, in lower case. */
function hasText ({ method, url, body, answer }: JournalExchange, text: string): boolean {
  return [`${method} ${url}`, body, answer].some((part) => part.toLowerCase().includes(text))
}

/** Tells whether a request names a payment. Only texts that contain the identifier are read. */
function namesPayment (exchange: JournalExchange, id: string): boolean {
  const { url, body } = exchange
  return (
    (url.toLowerCase().includes(id) || body.toLowerCase().includes(id)) &&
    readExchange(exchange).payments.some((payment) => payment.id.toLowerCase() === id)
  )
}

function countLetters ({ url, headers, body, answer }: JournalExchange): number {
  return url.length + headers.length + body.length + answer.length
}

/** Selects exchanges, newest first. Other requests are served meanwhile. */
async function selectExchanges (
  { journal }: AdminParts,
  account: Account,
  isWanted: ExchangeFilter
): Promise<JournalExchange[]> {
  const { exchanges } = journal.readPart(account.id)
  return await runInSlices(filterExchanges(exchanges, isWanted))
}

function * filterExchanges (
  exchanges: readonly JournalExchange[],
  isWanted: ExchangeFilter
): Generator<undefined, JournalExchange[]> {
  const found: JournalExchange[] = []
  for (const exchange of exchanges) {
    if (isWanted(exchange)) found.push(exchange)
    yield
  }
  return found
}

function createFilter (matcher: RequestMatcher): ExchangeFilter {
  checkWantedBody(matcher.body)
  return (exchange) => differencesOfRequest(matcher, readExchange(exchange)).length === 0
}

/** Writes an entry of the journal. */
export function showRequest (exchange: JournalExchange): JournalEntry {
  const { id, at, received, durationMs, status, called, matched, signature, fault } = exchange
  const { method, url, path, query, headers, body, answer, truncated, payments, notes } =
    readExchange(exchange)
  return {
    id,
    request: {
      method,
      url,
      path,
      query,
      headers,
      ...(body !== undefined && { body }),
      ...(truncated.body && { bodyTruncated: true }),
      loggedDate: received,
      loggedDateString: new Date(received).toISOString()
    },
    response: {
      status,
      ...(answer !== undefined && { body: answer }),
      ...(truncated.answer && { bodyTruncated: true }),
      ...(fault !== undefined && { fault })
    },
    at: new Date(at).toISOString(),
    durationMs,
    matched,
    ...(called !== undefined && {
      version: called.version,
      operation: called.operation as OperationId
    }),
    payments,
    ...(signature !== undefined && { signature }),
    ...(notes.length > 0 && { notes })
  }
}
