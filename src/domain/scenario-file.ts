import type { Static } from '@sinclair/typebox'
import { AnyName, choice, closed, Duration, text, Type } from '../lib/typebox.ts'
import { durationForms } from '../lib/duration.ts'
import { versions } from './api-version.ts'
import { CallbackFaultSchema } from './callback-faults.ts'
import type { FailureCode } from './failures.ts'
import { payableKinds } from './kinds.ts'
import type { CountryCode, ProviderCode } from './provider-code.ts'
import type { RejectionCode } from './rejections.ts'
import { faults } from './response-behaviour.ts'
import { statuses } from './status.ts'

/** Format of scenario files, and of the scenarios added by the admin API. */

/** Everything a scenario can be for. A checkout and a statement must be named in `when.kind`. */
const subjects = [...payableKinds, 'checkout', 'statement'] as const
export type ScenarioSubject = (typeof subjects)[number]

/** Limits of a script: number of steps, and delay of a step. */
const maxSteps = 20

const oneOrMore = <T extends readonly string[]>(values: T, description: string) => {
  const One = Type.Union(
    values.map((value) => Type.Literal(value as T[number])),
    { description }
  )
  return Type.Union([One, Type.Array(One, { minItems: 1 })], {
    description: `${description}, or a list of them`
  })
}
const oneOrMoreText = <Text extends string = string>(pattern: string, description: string) => {
  const One = Type.Unsafe<Text>(Type.String({ pattern, description }))
  return Type.Union([One, Type.Array(One, { minItems: 1 })], {
    description: `${description}, or a list of them`
  })
}
const Amount = Type.Union(
  [Type.String({ pattern: '^[0-9]+([.][0-9]+)?$' }), Type.Number({ minimum: 0 })],
  { description: 'an amount such as "15.50"' }
)

const HttpStatus = Type.Union([Type.Literal(500), Type.Literal(503), Type.Literal(429)], {
  description: '500, 503 or 429'
})

const When = Type.Object(
  {
    kind: Type.Optional(oneOrMore(subjects, `one of ${subjects.join(', ')}`)),
    version: Type.Optional(oneOrMore(versions, versions.join(' or '))),
    provider: Type.Optional(oneOrMoreText<ProviderCode>('^[A-Z0-9_]+$', 'a provider code')),
    country: Type.Optional(oneOrMoreText<CountryCode>('^[A-Z]{3}$', 'an alpha-3 country code')),
    currency: Type.Optional(oneOrMoreText('^[A-Z]{3}$', 'a currency code')),
    phoneNumber: Type.Optional(
      oneOrMoreText(
        '^([0-9?*]|\\[[0-9-]+\\])+$',
        "a number in quotes, in which '[0-4]' is one of these digits, '?' any digit and '*' " +
          'any digits'
      )
    ),
    amount: Type.Optional(
      Type.Union(
        [
          Amount,
          Type.Object(
            { from: Type.Optional(Amount), to: Type.Optional(Amount) },
            { ...closed, minProperties: 1 }
          )
        ],
        { description: 'an amount, or { from, to }' }
      )
    ),
    metadata: Type.Optional(
      Type.Record(AnyName, Type.String(), {
        minProperties: 1,
        description: 'names with the values they must have'
      })
    ),
    clientReferenceId: Type.Optional(Type.String({ description: 'the reference it must have' }))
  },
  { ...closed, description: 'what a payment must be like' }
)

export const ScriptStepSchema = Type.Object(
  {
    after: Duration,
    to: Type.Union(
      statuses.map((status) => Type.Literal(status)),
      {
        description:
          'one of ' +
          `${['ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'].join(', ')}`
      }
    ),
    failureCode: Type.Optional(
      Type.Unsafe<FailureCode>(Type.String({ description: 'a failure code' }))
    )
  },
  { ...closed, description: '{ after, to, failureCode }' }
)

const FailureCodeText = Type.Unsafe<FailureCode>(
  Type.String({ pattern: '^[A-Z_]+$', description: 'the failure code the payment fails with' })
)

const RejectionCodeText = Type.Unsafe<RejectionCode>(
  Type.String({ pattern: '^[A-Z_]+$', description: 'the code the payment is rejected with' })
)

const HttpError = Type.Object({ status: HttpStatus }, { ...closed, description: '{ status }' })

/** Most outcomes of a sequence. */
const maxOutcomes = 100

const outcomeForms = "'complete', 'fail', { fail }, { reject } or { http: { status } }"

export const OutcomeSchema = Type.Union(
  [
    Type.Literal('complete'),
    Type.Literal('fail'),
    Type.Object(
      {
        fail: Type.Optional(FailureCodeText),
        reject: Type.Optional(RejectionCodeText),
        http: Type.Optional(HttpError)
      },
      { ...closed, minProperties: 1, maxProperties: 1, description: outcomeForms }
    )
  ],
  { description: outcomeForms }
)

export const ScenarioSchema = Type.Object(
  {
    description: Type.Optional(Type.String({ description: 'the scenario in a sentence' })),
    when: Type.Optional(When),
    script: Type.Optional(
      Type.Union(
        [
          Type.Array(ScriptStepSchema, {
            maxItems: maxSteps,
            description: `a list of at most ${maxSteps} steps`
          }),
          Type.Literal('phone', { description: "'phone'" })
        ],
        {
          description:
            `a list of at most ${maxSteps} steps, or 'phone' for a deposit that waits for its ` +
            'customer'
        }
      )
    ),
    expires: Type.Optional(
      Type.Union([Type.Literal('provider'), ...Duration.anyOf], {
        description:
          "the time after which a prompt of 'script: phone' expires; 'provider' for that of the " +
          `provider; ${durationForms}`
      })
    ),
    fail: Type.Optional(FailureCodeText),
    sequence: Type.Optional(
      Type.Array(OutcomeSchema, {
        minItems: 1,
        maxItems: maxOutcomes,
        description: `a list of 1 to ${maxOutcomes} outcomes, one for each payment in turn`
      })
    ),
    repeat: Type.Optional(
      Type.Union([Type.Literal(true), Type.Integer({ minimum: 1, maximum: 10_000 })], {
        description: 'true to begin the sequence again after its end, or the number of rounds'
      })
    ),
    reject: Type.Optional(RejectionCodeText),
    callback: Type.Optional(CallbackFaultSchema),
    fault: Type.Optional(choice(faults)),
    latency: Type.Optional(
      Type.Union(
        [
          Duration,
          Type.Object({ from: Duration, to: Duration }, { ...closed, description: '{ from, to }' })
        ],
        { description: `${durationForms}; or { from, to }, with a seed` }
      )
    ),
    http: Type.Optional(HttpError),
    statusCheck: Type.Optional(
      Type.Object(
        { status: HttpStatus, for: Type.Optional(Duration) },
        {
          ...closed,
          description:
            '{ status, for }: status checks get this HTTP status, for so long after the initiation'
        }
      )
    ),
    suspiciousActivityReport: Type.Optional(
      Type.Array(
        Type.Object(
          {
            activityType: text('a type such as AML'),
            comment: Type.String({ description: 'a sentence' })
          },
          { ...closed, description: '{ activityType, comment }' }
        ),
        {
          minItems: 1,
          maxItems: 10,
          description: 'a list of { activityType, comment }, shown in records of v1 deposits'
        }
      )
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: '1 or more: how many payments it is for'
      })
    ),
    every: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 1_000_000,
        description: '2 or more (3 means every third payment)'
      })
    ),
    for: Type.Optional(
      Type.Union([...Duration.anyOf], {
        description:
          'how long it applies, after its addition or its first payment; ' + durationForms
      })
    ),
    probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'from 0 to 1' })),
    per: Type.Optional(
      Type.Literal('payment', { description: "'payment': times counts for each payment anew" })
    ),
    seed: Type.Optional(
      Type.Union([Type.String(), Type.Number()], {
        description: 'any text; the same seed gives the same run'
      })
    )
  },
  { ...closed, description: 'a scenario' }
)

export type ScenarioFile = Static<typeof ScenarioSchema>
