import { ScenarioCheck, ScenarioText } from '../../src/admin-api/scenario-check.ts'
import type { Account } from '../../src/domain/account.ts'
import type { AnyPayment } from '../../src/domain/payment.ts'
import { isAbout, type Scenario } from '../../src/domain/scenario.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import { summarisePayment } from './views.ts'
import type { AdminParts } from './parts.ts'

/** Number of payments that are compared with a scenario: more would take longer than typing. */
const comparedPayments = 200
/** Number of matching payments that are shown. */
const shownPayments = 20

/** Call that checks a scenario without adding it. */
export function scenarioCheckRoute (app: TypedApp, parts: AdminParts): void {
  app.post(
    '/scenarios/check',
    {
      config: adminCall(
        'checkScenario',
        'Check a scenario without adding it',
        'The problems are those of `momock validate`. If there are none, the answer shows which ' +
          `of the last ${comparedPayments} payments of the account the scenario would have matched.`
      ),
      schema: { body: ScenarioText, response: { 200: ScenarioCheck } }
    },
    async ({ account, body: { text } }) => {
      const { readScenarioText } = await import('../../src/scenarios/scenario-text.ts')
      const { scenario, problems, notes } = await readScenarioText('', text, parts.catalogue)
      if (problems.length > 0 || scenario === undefined) {
        return { valid: false, problems: [...problems], notes }
      }
      return {
        valid: true,
        problems: [],
        notes,
        affected: await findAffected(account, scenario, parts)
      }
    }
  )
}

/** Finds the latest payments that a scenario matches. */
async function findAffected (
  account: Account,
  scenario: Scenario,
  { paymentInspector }: AdminParts
) {
  const page = { newest: true, limit: comparedPayments }
  const { found: compared } = await paymentInspector.list(account, page)
  const matching = compared.filter(({ payment }) => isAffected(payment, scenario))
  return {
    compared: compared.length,
    matching: matching.length,
    payments: matching.slice(0, shownPayments).map(summarisePayment)
  }
}

function isAffected ({ kind, version, details }: AnyPayment, scenario: Scenario): boolean {
  return isAbout(scenario, kind.name, version, details)
}
