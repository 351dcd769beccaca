import type { Static } from '@sinclair/typebox'
import { choice, closed, describe, Type } from '../lib/typebox.ts'
import { ExpectationSchema } from '../verification/expectation.ts'

/** Request and answer of the call that verifies expectations. */

export const VerifyQuery = Type.Object(
  {
    format: Type.Optional(
      choice(['json', 'junit', 'markdown'], {
        description: "'json', 'junit' or 'markdown'; the default is json"
      })
    )
  },
  closed
)

export const VerifyRequest = Type.Object(
  {
    expectations: Type.Array(ExpectationSchema, {
      minItems: 1,
      maxItems: 1000,
      description: 'a list of 1 to 1000 expectations'
    })
  },
  {
    ...closed,
    description: '{ expectations: [ … ] }',
    examples: [
      {
        expectations: [
          { request: { method: 'POST', path: '/v2/deposits' }, atLeast: 1 },
          { callback: { kind: 'deposit', body: { status: 'FAILED' } }, count: 0 }
        ]
      }
    ]
  }
)

const Difference = Type.Object(
  {
    field: Type.String({ description: 'the field, with the names on the way to it' }),
    wanted: Type.Unknown({ description: 'what the expectation wants' }),
    got: Type.Optional(Type.Unknown({ description: 'absent if the field is absent' }))
  },
  closed
)

export const Nearest = Type.Object(
  {
    request: Type.Optional(Type.Integer({ description: 'the id of the request in the journal' })),
    callback: Type.Optional(Type.Integer({ description: 'the id of the callback' })),
    payment: Type.Optional(Type.String({ description: 'the identifier of the payment' })),
    summary: Type.String({ description: 'the candidate in a sentence' }),
    differences: describe('how it differs', Type.Array(Difference))
  },
  { ...closed, description: 'the nearest request, callback or payment, and how it differs' }
)

/** Request, callback or payment that is nearest to a matcher, and how it differs. */
export interface NearestCandidate extends Static<typeof Nearest> {}

const UnmetExpectation = Type.Object(
  {
    index: Type.Integer({
      minimum: 0,
      description: 'the index of the expectation, counted from 0'
    }),
    name: Type.Optional(Type.String({ description: 'the name of the expectation, if it has one' })),
    message: Type.String({ description: 'what was expected and what happened' }),
    count: Type.Integer({
      minimum: 0,
      description: 'number of matches; for inOrder, number of steps that happened'
    }),
    matched: Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      description: 'the ids of the matches, at most 20'
    }),
    nearest: Type.Optional(Nearest)
  },
  closed
)

export const VerifyAnswer = Type.Object(
  {
    passed: Type.Boolean({ description: 'true if every expectation was met' }),
    failed: Type.Array(UnmetExpectation, { description: 'the expectations that were not met' }),
    dropped: Type.Integer({
      minimum: 0,
      description:
        'number of requests that the journal no longer has, plus number of callbacks and of ' +
        'payments older than the newest 10000. They were not checked, so a `count` or `atMost` ' +
        'of them cannot be met'
    })
  },
  closed
)

/** Result of a verification. */
export interface VerifyResult extends Static<typeof VerifyAnswer> {}
