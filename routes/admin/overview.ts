import { Overview } from '../../src/admin-api/overview.ts'
import type { Account } from '../../src/domain/account.ts'
import type { Operation } from '../../src/domain/kinds.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { showClock } from './clock.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call that says what is switched on in an account, and how many callbacks fail. */
export function overviewRoute (
  app: TypedApp,
  { clockControl, uses, paymentInspector }: AdminParts
): void {
  app.get(
    '/overview',
    {
      config: adminCall(
        'getOverview',
        'Show what is switched on in this account: clock, outages, scenarios; and failing callbacks'
      ),
      schema: { response: { 200: Overview } }
    },
    async ({ account }) => {
      const [counts, failingCallbacks] = await Promise.all([
        account.scenarios.length === 0 ? new Map<string, number>() : uses.listUses(account.id),
        paymentInspector.countFailing(account)
      ])
      const scenarios = account.scenarios.map(({ scenario: { name, times } }) => ({
        name,
        ...(times !== undefined && { remaining: times - (counts.get(name) ?? 0) })
      }))
      return {
        clock: showClock(clockControl, account),
        outages: listOutages(account),
        scenarios: scenarios.filter(({ remaining = 1 }) => remaining > 0),
        failingCallbacks
      }
    }
  )
}

function listOutages ({ outages, outageEnds }: Account) {
  return [...outages].flatMap(([provider, states]) =>
    Object.entries(states)
      .filter(([, status]) => status !== 'OPERATIONAL')
      .map(([name, status]) => {
        const operation = name as Operation
        const end = outageEnds[provider]?.[operation]
        return {
          provider,
          operation,
          status,
          ...(end !== undefined && { until: new Date(end).toISOString() })
        }
      })
  )
}
