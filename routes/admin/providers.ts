import {
  ProviderAnswer,
  ProviderList,
  ProviderPath,
  ProviderQuery,
  ProviderRequest,
  type ProviderState
} from '../../src/admin-api/providers.ts'
import type { Account, Availability } from '../../src/domain/account.ts'
import { availabilityOf } from '../../src/domain/rules.ts'
import { listOfferings, operationStatuses } from '../../src/domain/account-offering.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { operations, type Operation } from '../../src/domain/kinds.ts'
import type { ProviderCode } from '../../src/domain/provider-code.ts'
import { latestTime } from '../../src/lib/clock.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import type { Duration } from '../../src/lib/typebox.ts'
import { finishReleases } from '../../simulator/outages.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls that set and list the availability of providers for an account. */
export function providerRoutes (
  app: TypedApp,
  { accounts, catalogue, mover, releases }: AdminParts
): void {
  app.put(
    '/providers/:provider',
    {
      config: {
        ...adminCall(
          'setProvider',
          'Set a provider to OPERATIONAL, DELAYED or CLOSED for this account',
          'Operation types that are not named stay as they are. Payments that wait for the ' +
            'provider continue when it is OPERATIONAL again. With `for`, that happens by itself ' +
            "after this time of the account's clock."
        ),
        errors: [404]
      },
      schema: {
        params: ProviderPath,
        body: ProviderRequest,
        response: { 200: ProviderAnswer }
      }
    },
    async ({ account, params: { provider }, body }) => {
      if (!catalogue.providers.has(provider)) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no provider '${provider.slice(0, 64)}'`,
          suggestName(
            provider,
            [...catalogue.providers.keys()],
            'GET /v2/active-conf lists all providers'
          )
        )
      }
      const { for: duration, ...states } = body
      const readNow = (): number => accounts.now(account)
      const endAt = (now: number): number | undefined =>
        duration === undefined ? undefined : readEnd(now, duration, states)
      // Refused before anything waits for its turn.
      endAt(readNow())
      await accounts.changes.setAvailability(account, provider, states, endAt)
      return {
        provider,
        operationTypes: showStates(account, provider),
        ...showEnds(account, provider),
        released: await finishReleases({ mover, releases }, account, readNow)
      }
    }
  )

  app.get(
    '/providers',
    {
      config: adminCall(
        'listProviders',
        'List the providers that were set for this account, or all of its providers'
      ),
      schema: { querystring: ProviderQuery, response: { 200: ProviderList } }
    },
    async ({ account, query }) => ({
      providers:
        query.all === 'true'
          ? listProviders(account, catalogue)
          : [...account.outages].map(([provider, operationTypes]) => ({
              provider: provider as ProviderCode,
              operationTypes,
              ...showEnds(account, provider)
            }))
    })
  )
}

/** Lists all providers that an account can use, in the order of the catalogue. */
function listProviders (account: Account, catalogue: Catalogue): ProviderState[] {
  return listOfferings(account, catalogue).flatMap(({ country, providers }) =>
    providers.map((offering) => ({
      provider: offering.provider.code as ProviderCode,
      country,
      operationTypes: operationStatuses(offering),
      ...showEnds(account, offering.provider.code)
    }))
  )
}

function showStates (account: Account, provider: string): Record<Operation, Availability> {
  const stateOf = (operation: Operation) => availabilityOf(account, provider, operation)
  const states = operations.map((operation) => [operation, stateOf(operation)])
  return Object.fromEntries(states) as Record<Operation, Availability>
}

function showEnds ({ outageEnds }: Account, provider: string): Pick<ProviderState, 'until'> {
  const ends = Object.entries(outageEnds[provider] ?? {})
  if (ends.length === 0) return {}
  return {
    until: Object.fromEntries(ends.map(([name, end]) => [name, new Date(end).toISOString()]))
  }
}

/** Returns the end of an outage, or refuses a duration that no outage can have. */
function readEnd (
  now: number,
  duration: Duration,
  states: Partial<Record<Operation, Availability>>
): number {
  const milliseconds = parseDuration(duration) as number
  if (Object.values(states).every((state) => state === 'OPERATIONAL')) {
    throw new AdminError(
      'BAD_REQUEST',
      'for needs an operation type that is DELAYED or CLOSED',
      'send JSON such as { "DEPOSIT": "CLOSED", "for": "10m" }'
    )
  }
  if (milliseconds === 0 || now + milliseconds > latestTime) {
    throw new AdminError(
      'BAD_REQUEST',
      `for must be more than 0 and end before the year 10000, got '${duration}'`,
      'send a duration such as "10m", or no `for` for an outage without an end'
    )
  }
  return now + milliseconds
}
