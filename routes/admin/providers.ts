import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import type { SystemClock } from '../../src/lib/clock.ts'
import { accountTime } from '../../src/lib/clock.ts'
import type { Availability } from '../../src/domain/account.ts'
import { availabilities, availabilityOf } from '../../src/domain/account.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Operation } from '../../src/domain/kinds.ts'
import { operations } from '../../src/domain/kinds.ts'
import type { Mover } from '../../simulator/mover.ts'
import { adminCall, AdminError, suggestName } from './guard.ts'

const State = Type.Union(
  availabilities.map((state) => Type.Literal(state)),
  { description: `one of ${availabilities.join(', ')}` }
)
const Outage = Type.Object(
  Object.fromEntries(operations.map((operation) => [operation, Type.Optional(State)])),
  {
    additionalProperties: false,
    minProperties: 1,
    description: `{ ${operations.join(', ')} }, each ${availabilities.join(', ')}`,
    examples: [{ DEPOSIT: 'CLOSED', PAYOUT: 'DELAYED' }]
  }
)

export const OutageAnswer = Type.Object(
  {
    provider: Type.String(),
    operationTypes: Type.Object(
      Object.fromEntries(operations.map((operation) => [operation, State])),
      { additionalProperties: false }
    ),
    released: Type.Integer({
      minimum: 0,
      description: 'how many payments that waited for it go on'
    })
  },
  { additionalProperties: false }
)

export const OutageList = Type.Object(
  {
    providers: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          operationTypes: Type.Object(
            Object.fromEntries(operations.map((operation) => [operation, Type.Optional(State)])),
            { additionalProperties: false }
          )
        },
        { additionalProperties: false }
      )
    )
  },
  { additionalProperties: false }
)

/**
 * Outages, told one coherent way: what is set here is what the configuration says, what initiations
 * meet, and what queues wait for.
 */
export function providerRoutes (
  app: FastifyInstance,
  accounts: Accounts,
  catalogue: Catalogue,
  mover: Mover,
  systemClock: SystemClock
): void {
  app.put(
    '/providers/:provider',
    {
      config: adminCall(
        'setProvider',
        'Let a provider be OPERATIONAL, DELAYED or CLOSED for this account',
        'Operations that are not named stay as they are. Payments that waited for the ' +
          'provider go on when it recovers.'
      ),
      schema: {
        params: Type.Object({
          provider: Type.String({
            description: 'the code of a provider',
            examples: ['MTN_MOMO_ZMB']
          })
        }),
        body: Outage,
        response: { 200: OutageAnswer }
      }
    },
    async (request) => {
      const { provider } = request.params as { provider: string }
      if (!catalogue.providers.has(provider)) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no provider '${provider.slice(0, 64)}'`,
          suggestName(provider, [...catalogue.providers.keys()], 'GET /v2/active-conf lists them')
        )
      }
      const { account } = request
      const states = request.body as Partial<Record<Operation, Availability>>
      await accounts.changes.setAvailability(account, provider, states)
      const now = accountTime(account.clock, systemClock.now())
      let released = 0
      for (const operation of operations) {
        if (availabilityOf(account, provider, operation) === 'OPERATIONAL') {
          released += await mover.releasePayments(account.id, provider, operation, now)
        }
      }
      return {
        provider,
        operationTypes: Object.fromEntries(
          operations.map((operation) => [operation, availabilityOf(account, provider, operation)])
        ),
        released
      }
    }
  )

  app.get(
    '/providers',
    {
      config: adminCall('listProviders', 'The providers whose state was set for this account'),
      schema: { response: { 200: OutageList } }
    },
    async ({ account }) => ({
      providers: [...account.outages].map(([provider, operationTypes]) => ({
        provider,
        operationTypes
      }))
    })
  )
}
