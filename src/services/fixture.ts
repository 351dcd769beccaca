import type { Static } from '@sinclair/typebox'
import { durationForms } from '../lib/duration.ts'
import { choice, closed, Duration, text, Type } from '../lib/typebox.ts'
import { Balance } from '../domain/account-settings.ts'
import { EarlierVersion, versions } from '../domain/api-version.ts'
import type { FailureCode } from '../domain/failures.ts'
import { kinds } from '../domain/kinds.ts'
import { statuses } from '../domain/status.ts'

/** Fixtures: wallets and payments that exist when the server starts. */

/** Most payments of a fixture. */
const maxPayments = 10_000

const PaymentSchema = Type.Object(
  {
    kind: choice(Object.values(kinds).map(({ name }) => name)),
    version: Type.Optional(choice(versions, { description: 'v1 or v2; v2 when left out' })),
    generation: EarlierVersion,
    status: Type.Optional(
      choice(statuses, { description: 'a status of the kind; COMPLETED when left out' })
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
          country: Type.Optional(text('the country of the payer')),
          provider: Type.Optional(text('the provider of the payer')),
          phoneNumber: Type.Optional(text('the number of the payer')),
          currency: Type.Optional(text('the currency of the payment')),
          amount: Type.Optional(text('the amount of the payment'))
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
        text("the name of an account, or a sandbox token; 'default' when left out")
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
