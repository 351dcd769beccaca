import type { Account } from '../domain/account.ts'
import type { VersionRules, Version } from '../domain/api-version.ts'
import type { CallbackFault } from '../domain/callback-faults.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Kind } from '../domain/kinds.ts'
import type { PaymentDetails } from '../domain/payment-request.ts'
import type { PlanOrigin, StatusCheckFault, SuspiciousActivity } from '../domain/plan.ts'
import type { ResponseBehaviour } from '../domain/response-behaviour.ts'
import type { MatchedDetails, Scenario, ScenarioUse, ScriptStep } from '../domain/scenario.ts'
import type { Ids } from '../lib/ids.ts'

/** Input and result of the selection of a script. */

/** Script selected for a payment. */
export interface SelectedScript extends ResponseBehaviour {
  origin: PlanOrigin
  name: string
  why: string
  steps: readonly ScriptStep[]
  callback?: CallbackFault
  statusCheck?: StatusCheckFault
  suspiciousActivityReport?: SuspiciousActivity[]
  /** Counted scenarios that the selection used. */
  usedScenarios: ScenarioUse[]
}

/** What the selection depends on: the payment. */
export interface SelectionInput {
  account: Account
  version: Version
  kind: Kind
  details: PaymentDetails
  /** Scenario that the request names. */
  scenario?: string
  /** Number of uses of a counted scenario on the account. */
  used: (scenario: string) => number
  /** Time on the account's clock. */
  now: number
}

/** What the selection depends on: the server. */
export interface SelectionContext {
  catalogue: Catalogue
  scenarios: readonly Scenario[]
  versionRules: Record<Version, VersionRules>
  ids: Pick<Ids, 'chance'>
}

/** Payment, checkout or statement that a scenario may apply to. */
export interface ReadinessInput {
  account: Account
  version: Version
  details: MatchedDetails & { id: string }
  /** Number of uses of a counted scenario on the account. */
  used: (scenario: string) => number
  /** Time on the account's clock. */
  now: number
}
