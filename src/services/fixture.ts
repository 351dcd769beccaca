import type { Static } from '@sinclair/typebox'
import { Duration, durationForms } from '../lib/duration.ts'
import { createChoice, Type } from '../lib/typebox.ts'
import { Balance } from '../domain/account-settings.ts'
import { EarlierVersion, versions } from '../domain/api-version.ts'
import type { FailureCode } from '../domain/failures.ts'
import { kinds } from '../domain/kinds.ts'
import { statuses } from '../domain/status.ts'

/** Fixtures: wallets and payments that exist when the server starts. */

const closed = { additionalProperties: false } as const

/** Most payments of a fixture. */
const maxPayments = 10_000

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const PaymentSchema = Type.Object(
  {
    kind: createChoice(Object.values(kinds).map(({ name }) => name)),
    version: Type.Optional(createChoice(versions, { description: 'v1 or v2; v2 when left out' })),
    generation: EarlierVersion,
    status: Type.Optional(
      createChoice(statuses, { description: 'a status of the kind; COMPLETED when left out' })
    ),
    failureCode: Type.Optional(
      Type.Unsafe<FailureCode>(
        Type.String({ description: 'a failure code of the kind, if it is FAILED' })
      )
    ),
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'an RFC 3339 date-time in the past' })
    ),
    ago: Type.Optional(
      Type.Union([...Duration.anyOf], { description: `how long ago it began; ${durationForms}` })
    ),
    payer: Type.Optional(
      Type.Object(
        {
          country: text('the country of the payer'),
          provider: text('the provider of the payer'),
          phoneNumber: text('the number of the payer'),
          currency: text('the currency of the payment'),
          amount: text('the amount of the payment')
        },
        { ...closed, description: 'the wallet that pays a checkout, { provider, phoneNumber }' }
      )
    ),
    request: Type.Object({}, { description: 'the body of the request that initiates it' })
  },
  { ...closed, description: '{ kind, version, status, failureCode, at, ago, payer, request }' }
)

export const FixturesSchema = Type.Array(
  Type.Object(
    {
      account: Type.Optional(
        Type.String({
          minLength: 1,
          description: "the name of an account, or a sandbox token; 'default' when left out"
        })
      ),
      payments: Type.Optional(
        Type.Array(PaymentSchema, {
          maxItems: maxPayments,
          description: `a list of at most ${maxPayments} payments`
        })
      ),
      wallets: Type.Optional(
        Type.Array(
          Type.Object(
            {
              country: Type.String({ pattern: '^[A-Z]{3}$', description: 'a country code' }),
              currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency code' }),
              available: Balance
            },
            closed
          ),
          {
            description:
              'a list of { country, currency, available }: their money after the payments'
          }
        )
      )
    },
    { ...closed, description: '{ account, payments, wallets }' }
  ),
  { description: 'payments and wallets that exist at the start, a list per account' }
)

export type Fixture = Static<typeof FixturesSchema>[number]
export type FixturePayment = Static<typeof PaymentSchema>
