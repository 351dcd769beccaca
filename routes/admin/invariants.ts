import { InvariantsAnswer } from '../../src/admin-api/invariants.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call that checks the invariants of an account. */
export function invariantRoute (app: TypedApp, { auditor, accountTables }: AdminParts): void {
  app.get(
    '/invariants',
    {
      config: adminCall(
        'checkInvariants',
        'Check the invariants of this account',
        'Reads every payment and every wallet in the ledger. A broken invariant is a bug of the ' +
          'mock, or the ledger file was changed by hand.'
      ),
      schema: { response: { 200: InvariantsAnswer } }
    },
    async ({ account }) => {
      const invariants = await auditor.auditAccount(account)
      return {
        hold: invariants.every(({ broken }) => broken === 0),
        invariants,
        oldPayments: await accountTables.countOldPayments(account.id)
      }
    }
  )
}
