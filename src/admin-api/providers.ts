import type { Static } from '@sinclair/typebox'
import { choice, closed, describe, Duration, Type } from '../lib/typebox.ts'
import { durationForms } from '../lib/duration.ts'
import { availabilities } from '../domain/account.ts'
import { operations, type Operation } from '../domain/kinds.ts'
import type { ProviderCode } from '../domain/provider-code.ts'
import { DateTime } from '../wire/fields.ts'

/** Requests and answers of the calls about the availability of providers. */

const State = choice(availabilities)

/** Availability of each operation type of a provider. */
function createStates<Schema> (schema: Schema): Record<Operation, Schema> {
  const states = operations.map((operation) => [operation, schema])
  return Object.fromEntries(states) as Record<Operation, Schema>
}

export const ProviderPath = Type.Object({
  provider: Type.String({ description: 'the code of a provider', examples: ['MTN_MOMO_ZMB'] })
})

export const ProviderQuery = Type.Object(
  {
    all: Type.Optional(
      choice(['true', 'false'], {
        description: "'true' lists all providers that the account can use; the default is false"
      })
    )
  },
  closed
)

export const ProviderRequest = Type.Object(
  {
    ...createStates(Type.Optional(State)),
    for: Type.Optional(
      Type.Union([...Duration.anyOf], {
        description: `${durationForms}: the outage ends by itself after this time`
      })
    )
  },
  {
    ...closed,
    minProperties: 1,
    description: `{ ${operations.join(', ')} }, each ${availabilities.join(', ')}; and for`,
    examples: [{ DEPOSIT: 'CLOSED', PAYOUT: 'DELAYED', for: '10m' }]
  }
)

/** Availability of a provider to set, for each operation. */
export interface ProviderStates extends Static<typeof ProviderRequest> {}

const Until = Type.Object(createStates(Type.Optional(DateTime)), {
  ...closed,
  description: "times of the account's clock at which outages end by themselves"
})

export const ProviderAnswer = Type.Object(
  {
    provider: Type.String({ description: 'the code of the provider' }),
    operationTypes: describe(
      'the availability of each operation',
      Type.Object(createStates(State), closed)
    ),
    until: Type.Optional(Until),
    released: Type.Integer({
      minimum: 0,
      description: 'number of payments that waited for the provider and now continue'
    })
  },
  closed
)

export const ProviderState = Type.Object(
  {
    provider: describe('the code of the provider', Type.Unsafe<ProviderCode>(Type.String())),
    country: Type.Optional(Type.String({ description: 'present if all providers are listed' })),
    operationTypes: describe(
      'the availability of each operation',
      Type.Object(createStates(Type.Optional(State)), closed)
    ),
    until: Type.Optional(Until)
  },
  closed
)

/** Provider whose availability was set. */
export interface ProviderState extends Static<typeof ProviderState> {}

export const ProviderList = Type.Object({ providers: Type.Array(ProviderState) }, closed)
