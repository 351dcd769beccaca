import type { Static } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import { Duration, durationForms } from '../lib/duration.ts'
import { generations } from './api-version.ts'
import { CallbackFaultSchema } from './callback-faults.ts'
import type { FailureCode } from './failures.ts'
import type { KindName } from './kinds.ts'
import type { CountryCode, ProviderCode } from './provider-code.ts'
import type { RejectionCode } from './rejections.ts'
import { faults } from './response-behaviour.ts'
import { statuses } from './status.ts'

/** Format of scenario files, and of the scenarios added by the admin API. */

const payable = ['deposit', 'payout', 'refund', 'remittance'] as const satisfies KindName[]

/** Kinds that move money themselves. A scenario without `when.kind` is for all of these. */
export const payableKinds: readonly KindName[] = payable

/** Everything a scenario can be for. A checkout and a statement must be named in `when.kind`. */
const subjects = [...payable, 'checkout', 'statement'] as const
export type ScenarioSubject = (typeof subjects)[number]

const closed = { additionalProperties: false } as const

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
    generation: Type.Optional(oneOrMore(generations, generations.join(' or '))),
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
      Type.Record(Type.String(), Type.String(), {
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
    reject: Type.Optional(
      Type.Unsafe<RejectionCode>(
        Type.String({ pattern: '^[A-Z_]+$', description: 'the code the payment is rejected with' })
      )
    ),
    callback: Type.Optional(CallbackFaultSchema),
    fault: Type.Optional(
      Type.Union(
        faults.map((fault) => Type.Literal(fault)),
        { description: `one of ${faults.join(', ')}` }
      )
    ),
    latency: Type.Optional(
      Type.Union(
        [
          Duration,
          Type.Object({ from: Duration, to: Duration }, { ...closed, description: '{ from, to }' })
        ],
        { description: `${durationForms}; or { from, to }, with a seed` }
      )
    ),
    http: Type.Optional(
      Type.Object(
        {
          status: HttpStatus
        },
        { ...closed, description: '{ status }' }
      )
    ),
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
            activityType: Type.String({ minLength: 1, description: 'a type such as AML' }),
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
        description: 'how many payments it is for, from 1'
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
