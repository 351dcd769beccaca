import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { faults } from '../../src/domain/response-behaviour.ts'
import {
  differencesOfRequest,
  RequestMatcherSchema,
  type RequestMatcher
} from '../../src/domain/matching.ts'
import {
  readExchange,
  type JournalExchange,
  type Journal
} from '../../src/monitoring/request-journal.ts'
import { closed, DateTime, wordOf } from '../../src/wire/fields.ts'
import { adminCall } from './guard.ts'
import { DateTimeText, PageLimit, readLimit, NumberText } from './paging.ts'
import { ExplanationAnswer } from './signatures.ts'

export const JournalEntry = Type.Object(
  {
    id: Type.Integer({
      description: 'its number in the journal of the account; later ones are greater'
    }),
    request: Type.Object(
      {
        method: Type.String(),
        url: Type.String({ description: 'the path and the query, as they were sent' }),
        path: Type.String(),
        query: Type.Object(
          {},
          { additionalProperties: true, description: 'the parameters of the query' }
        ),
        headers: Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'every header, by its name in lower case; credentials are hidden'
          }
        ),
        body: Type.Optional(
          Type.Unknown({ description: 'the body: as JSON if it is that, else as text' })
        ),
        bodyTruncated: Type.Optional(
          Type.Boolean({
            description: 'true where only the beginning of the body was kept, as text'
          })
        ),
        loggedDate: Type.Integer({
          description: 'when it arrived, in milliseconds of the machine'
        }),
        loggedDateString: DateTime
      },
      closed
    ),
    response: Type.Object(
      {
        status: Type.Integer(),
        body: Type.Optional(Type.Unknown({ description: 'the answer' })),
        bodyTruncated: Type.Optional(
          Type.Boolean({
            description: 'true where only the beginning of the answer was kept, as text'
          })
        ),
        fault: Type.Optional(wordOf(...faults))
      },
      closed
    ),
    at: DateTime,
    durationMs: Type.Integer({ minimum: 0 }),
    matched: Type.Boolean({
      description: 'false where there is no such operation, or no account with such a token'
    }),
    generation: Type.Optional(wordOf('v1', 'v2')),
    operation: Type.Optional(Type.String({ description: 'the operationId of this reference' })),
    payments: Type.Array(
      Type.Object({ kind: wordOf(...Object.keys(kinds)), id: Type.String() }, closed),
      { description: 'the payments it names' }
    ),
    signature: Type.Optional(ExplanationAnswer),
    notes: Type.Optional(Type.Array(Type.String(), { description: 'what is worth knowing' }))
  },
  { ...closed, description: 'A request and its answer.' }
)

const EntryList = Type.Object(
  {
    requests: Type.Array(JournalEntry, { description: 'newest first' }),
    meta: Type.Object(
      { total: Type.Integer({ minimum: 0, description: 'how many there are, shown or not' }) },
      closed
    ),
    requestJournalDisabled: Type.Boolean({
      description: 'true where the server was started with --journal 0'
    })
  },
  closed
)

const Paging = Type.Object(
  {
    limit: Type.Optional(PageLimit),
    since: Type.Optional(
      DateTimeText('only those that came then or later, on the clock of the account')
    ),
    before: Type.Optional(NumberText('the id of an entry; only those that came before it'))
  },
  closed
)

const CountAnswer = Type.Object(
  { count: Type.Integer({ minimum: 0 }), requestJournalDisabled: Type.Boolean() },
  closed
)

/** The requests an account has made, and what they were answered. */
export function requestRoutes (app: FastifyInstance, journal: Journal): void {
  const list = (
    account: Account,
    { limit, since, before }: Static<typeof Paging>,
    chosen: (exchange: JournalExchange) => boolean
  ) => {
    const found = [...journal.listNewest(account.id)].filter(
      (exchange) =>
        (since === undefined || exchange.at >= Date.parse(since)) &&
        (before === undefined || exchange.id < Number(before)) &&
        chosen(exchange)
    )
    return {
      requests: found.slice(0, readLimit(limit)).map(showRequest),
      meta: { total: found.length },
      requestJournalDisabled: !journal.enabled
    }
  }

  app.get(
    '/requests',
    {
      config: adminCall(
        'listRequests',
        'The requests of this account and their answers, newest first',
        'Both generations of the API are in it, what was refused and what does not exist, ' +
          'too. Calls under `/__admin` and what customers do on pages are not. Requests ' +
          'without a token that is known are in the journal of the default account.'
      ),
      schema: { querystring: Paging, response: { 200: EntryList } }
    },
    async ({ account, query }) => list(account, query as Static<typeof Paging>, () => true)
  )

  app.get(
    '/requests/unmatched',
    {
      config: adminCall(
        'listUnmatchedRequests',
        'The requests of this account that led nowhere, newest first',
        'There is no such operation, or no account with such a token.'
      ),
      schema: { querystring: Paging, response: { 200: EntryList } }
    },
    async ({ account, query }) =>
      list(account, query as Static<typeof Paging>, ({ matched }) => !matched)
  )

  app.post(
    '/requests/find',
    {
      config: adminCall(
        'findRequests',
        'The requests of this account that fit, newest first',
        'What is not named does not matter.'
      ),
      schema: { querystring: Paging, body: RequestMatcherSchema, response: { 200: EntryList } }
    },
    async ({ account, query, body }) =>
      list(account, query as Static<typeof Paging>, findMatches(body as RequestMatcher))
  )

  app.post(
    '/requests/count',
    {
      config: adminCall('countRequests', 'How many requests of this account fit'),
      schema: { body: RequestMatcherSchema, response: { 200: CountAnswer } }
    },
    async ({ account, body }) => ({
      count: [...journal.listNewest(account.id)].filter(findMatches(body as RequestMatcher)).length,
      requestJournalDisabled: !journal.enabled
    })
  )

  app.delete(
    '/requests',
    {
      config: adminCall('deleteRequests', 'Forget the requests of this account'),
      schema: { response: { 204: Type.Null({ description: 'They are forgotten.' }) } }
    },
    async ({ account }, reply) => {
      journal.clear(account.id)
      return reply.code(204).send()
    }
  )
}

function findMatches (matcher: RequestMatcher): (exchange: JournalExchange) => boolean {
  return (exchange) => differencesOfRequest(matcher, readExchange(exchange)).length === 0
}

/** An exchange as the reference describes it. */
export function showRequest (exchange: JournalExchange): Static<typeof JournalEntry> {
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
    ...(called !== undefined && { generation: called.generation, operation: called.operation }),
    payments,
    ...(signature !== undefined && { signature }),
    ...(notes.length > 0 && { notes })
  }
}
