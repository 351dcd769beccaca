import type { Static } from '@sinclair/typebox'
import { uuidPattern } from '../lib/ids.ts'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { versions } from '../domain/api-version.ts'
import type { OperationId } from '../domain/known-codes.ts'
import { faults } from '../domain/response-behaviour.ts'
import { DateTime } from '../wire/fields.ts'
import {
  createDateTimeText,
  createJsonObject,
  createNumberText,
  kindNames,
  PageLimit,
  PaymentId
} from './fields.ts'
import { SignatureExplanation } from './signatures.ts'

/** Requests and answers of the calls about the request journal. */

const JournalRequest = Type.Object(
  {
    method: Type.String({ description: 'the method' }),
    url: Type.String({ description: 'the path and the query, as they were sent' }),
    path: Type.String({ description: 'the path without the query' }),
    query: createJsonObject('the query parameters'),
    headers: createJsonObject('every header by its name in lower case; credentials are hidden'),
    body: Type.Optional(Type.Unknown({ description: 'the body as JSON, or as text' })),
    bodyTruncated: Type.Optional(
      Type.Boolean({ description: 'true if only the beginning of the body was kept, as text' })
    ),
    loggedDate: Type.Integer({
      description: "when it arrived, in milliseconds of the machine's clock"
    }),
    loggedDateString: DateTime
  },
  closed
)

const JournalResponse = Type.Object(
  {
    status: Type.Integer({ description: 'the HTTP status' }),
    body: Type.Optional(Type.Unknown({ description: 'the body of the answer' })),
    bodyTruncated: Type.Optional(
      Type.Boolean({ description: 'true if only the beginning of the body was kept, as text' })
    ),
    fault: Type.Optional(
      describe('the fault that a scenario put into the answer', answerWord(...faults))
    )
  },
  closed
)

export const NearestRequest = Type.Object(
  {
    method: Type.String({ description: 'the method' }),
    path: Type.String({ description: 'the path' }),
    body: Type.Optional(Type.Unknown({ description: 'the body as JSON' })),
    changes: Type.Array(Type.String(), {
      description: 'how it differs from the request that was sent'
    })
  },
  { ...closed, description: 'the valid request that is nearest to a refused one' }
)

const NamedPayment = Type.Object(
  {
    kind: describe('the kind of payment', answerWord(...kindNames)),
    id: describe('its identifier', Type.String())
  },
  closed
)

export const JournalEntry = Type.Object(
  {
    id: Type.Integer({
      description: 'its number in the journal of the account; later requests have higher numbers'
    }),
    request: describe('what was sent', JournalRequest),
    response: describe('what was answered', JournalResponse),
    at: DateTime,
    durationMs: Type.Integer({ minimum: 0, description: 'the time until the answer' }),
    matched: Type.Boolean({
      description: 'false if the operation or the account of the token does not exist'
    }),
    version: Type.Optional(describe('the version of the API', answerWord(...versions))),
    operation: Type.Optional(
      Type.Unsafe<OperationId>(Type.String({ description: 'the operationId in the API reference' }))
    ),
    payments: Type.Array(NamedPayment, { description: 'the payments that it names' }),
    signature: Type.Optional(
      describe('the signature of the request, explained', SignatureExplanation)
    ),
    notes: Type.Optional(Type.Array(Type.String(), { description: 'remarks about the request' })),
    nearest: Type.Optional(NearestRequest)
  },
  { ...closed, description: 'A request and its answer.' }
)

/** Request of the journal and its answer. */
export interface JournalEntry extends Static<typeof JournalEntry> {}

export const JournalPage = Type.Object(
  {
    requests: Type.Array(JournalEntry, { description: 'newest first' }),
    meta: Type.Object(
      { total: Type.Integer({ minimum: 0, description: 'number of requests on all pages' }) },
      closed
    ),
    requestJournalDisabled: Type.Boolean({
      description: 'true if the server was started with --journal 0'
    })
  },
  closed
)

export const JournalQuery = Type.Object(
  {
    limit: Type.Optional(PageLimit),
    since: Type.Optional(
      createDateTimeText("only requests at or after this time of the account's clock")
    ),
    before: Type.Optional(createNumberText('the id of an entry; only older requests')),
    outcome: Type.Optional(
      choice(['accepted', 'refused'], {
        description: "'accepted' or 'refused': only these; 'refused' includes unmatched requests"
      })
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'a text in the method and URL, the body or the answer, in any case'
      })
    ),
    nearest: Type.Optional(
      choice(['true', 'false'], {
        description: "'true' adds the nearest valid request to each refused one"
      })
    ),
    payment: Type.Optional(
      Type.String({
        pattern: uuidPattern,
        examples: PaymentId.examples as string[],
        description: 'the UUID of a payment: only requests that name it'
      })
    )
  },
  closed
)

export const RequestCount = Type.Object(
  { count: Type.Integer({ minimum: 0 }), requestJournalDisabled: Type.Boolean() },
  closed
)
