import type { Static } from '@sinclair/typebox'
import {
  ProviderAnswer,
  ProviderList,
  ProviderPath,
  ProviderQuery,
  ProviderRequest,
  type ProviderState
} from '../../src/admin-api/providers.ts'
import type { Accounts } from '../../src/accounts/registry.ts'
import { availabilityOf, type Account, type Availability } from '../../src/domain/account.ts'
import { listOfferings, operationStatuses } from '../../src/domain/account-offering.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { operations, type Operation } from '../../src/domain/kinds.ts'
import { accountTime, type SystemClock } from '../../src/lib/clock.ts'
import type { Mover } from '../../simulator/mover.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'

export interface ProviderParts {
  accounts: Accounts
  catalogue: Catalogue
  mover: Mover
  systemClock: SystemClock
}

/** Calls that set and list the availability of providers for an account. */
export function providerRoutes (
  app: TypedApp,
  { accounts, catalogue, mover, systemClock }: ProviderParts
): void {
  /** Continues the payments that waited for the operations that are available again. */
  const releasePayments = async (account: Account, provider: string): Promise<number> => {
    const now = accountTime(account.clock, systemClock.now())
    let released = 0
    for (const operation of operations) {
      if (availabilityOf(account, provider, operation) === 'OPERATIONAL') {
        released += await mover.releasePayments(account.id, provider, operation, now)
      }
    }
    return released
  }

  app.put(
    '/providers/:provider',
    {
      config: {
        ...adminCall(
          'setProvider',
          'Set a provider to OPERATIONAL, DELAYED or CLOSED for this account',
          'Operation types that are not named stay as they are. Payments that wait for the ' +
            'provider continue when it is OPERATIONAL again.'
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
      await accounts.changes.setAvailability(account, provider, body)
      return {
        provider,
        operationTypes: showStates(account, provider),
        released: await releasePayments(account, provider)
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
          : [...account.outages].map(([provider, operationTypes]) => ({ provider, operationTypes }))
    })
  )
}

/** Lists all providers that an account can use, in the order of the catalogue. */
function listProviders (
  account: Account,
  catalogue: Catalogue
): Array<Static<typeof ProviderState>> {
  return listOfferings(account, catalogue).flatMap(({ country, providers }) =>
    providers.map((offering) => ({
      provider: offering.provider.code,
      country,
      operationTypes: operationStatuses(offering)
    }))
  )
}

function showStates (account: Account, provider: string): Record<Operation, Availability> {
  const stateOf = (operation: Operation) => availabilityOf(account, provider, operation)
  return {
    DEPOSIT: stateOf('DEPOSIT'),
    PAYOUT: stateOf('PAYOUT'),
    REFUND: stateOf('REFUND'),
    REMITTANCE: stateOf('REMITTANCE')
  }
}
