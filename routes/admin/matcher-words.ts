import { scriptNames } from '../../src/scenarios/script.ts'
import type { ScenarioLibrary } from '../../src/scenarios/scenario-library.ts'
import type { Account } from '../../src/domain/account.ts'
import { checkWantedBody } from '../../src/verification/body-comparison.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { ExpectedStep } from '../../src/verification/expectation.ts'
import { failuresOf } from '../../src/domain/failures.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { CallbackMatcher } from '../../src/verification/matching.ts'
import type { PaymentMatcher } from '../../src/verification/payment-matching.ts'
import { statementStatuses } from '../../src/domain/statement.ts'
import { statuses, statusesOf } from '../../src/domain/status.ts'
import type { Verification } from '../../src/services/verification.ts'
import { statusWords } from '../../src/wire/v1/fields.ts'
import { AdminError, suggestName } from './errors.ts'

/** Words that only this server knows: its catalogue and its scenarios. */
export interface MatcherWords {
  catalogue: Catalogue
  scenarioLibrary: ScenarioLibrary
  verification: Verification
}

/** A matcher, and its path in the request. */
export type PlacedStep = [path: string, step: ExpectedStep]

/**
 * Refuses matchers with a word that nothing can match. The schema has checked all words that are
 * the same for every server.
 */
export async function checkMatchers (
  words: MatcherWords,
  account: Account,
  steps: readonly PlacedStep[]
): Promise<void> {
  const scenarios = new Map<string, string>()
  for (const [path, { request, callback, payment = {} }] of steps) {
    checkWantedBody(request?.body)
    checkWantedBody(callback?.body)
    if (callback !== undefined) await checkCallbackStatus(path, callback, account, words)
    checkCatalogueWords(path, payment, words.catalogue)
    checkKindWords(path, payment)
    if (payment.scenario !== undefined) scenarios.set(payment.scenario, `${path}.scenario`)
  }
  if (scenarios.size > 0) await checkScenarios(words, account, scenarios)
}

/** Refuses a status that no callback has. A fault of extra fields can make one of its own. */
async function checkCallbackStatus (
  path: string,
  { body }: CallbackMatcher,
  account: Account,
  { verification }: MatcherWords
): Promise<void> {
  const { status } = typeof body === 'object' && body !== null ? (body as WantedBody) : {}
  const words = [...statuses, ...Object.values(statusWords), ...statementStatuses]
  const known = [...new Set<string>(words)]
  if (typeof status !== 'string' || known.includes(status)) return
  const sent = await verification.find(account, { callback: { body: { status } } }, 1)
  if (sent.events.length > 0) return
  throw isUnknown(`${path}.body.status`, 'status', status, known)
}

interface WantedBody {
  status?: unknown
}

/** Refuses a status or a failure code that payments of the kind never have. */
function checkKindWords (path: string, { kind, status, failureCode }: PaymentMatcher): void {
  if (kind === undefined) return
  const known = statusesOf(kinds[kind])
  if (status !== undefined && !known.includes(status)) {
    throw isUnknown(`${path}.status`, `status of a ${kind}`, status, known)
  }
  const codes = failuresOf(kind)
  // Checkouts and split payments fail with the codes of their parts.
  if (failureCode === undefined || kinds[kind].money === 'none') return
  if (codes.some((code) => code === failureCode)) return
  throw isUnknown(`${path}.failureCode`, `failure code of a ${kind}`, failureCode, codes)
}

function checkCatalogueWords (
  path: string,
  { provider, currency }: PaymentMatcher,
  { providers }: Catalogue
): void {
  checkProvider(`${path}.provider`, provider, providers)
  const currencies = [...providers.values()].flatMap((one) => Object.keys(one.currencies))
  if (currency !== undefined && !currencies.includes(currency)) {
    throw isUnknown(`${path}.currency`, 'currency', currency, [...new Set(currencies)])
  }
}

/** Refuses the code of a provider that the catalogue does not have. */
export function checkProvider (
  path: string,
  provider: string | undefined,
  providers: Catalogue['providers']
): void {
  if (provider === undefined || providers.has(provider)) return
  const codes = [...providers.keys()]
  throw isUnknown(path, 'provider', provider, codes, 'GET /v2/active-conf lists all providers')
}

/** Refuses names of scenarios. A scenario that was deleted may still be that of a payment. */
async function checkScenarios (
  { catalogue, scenarioLibrary, verification }: MatcherWords,
  account: Account,
  wanted: ReadonlyMap<string, string>
): Promise<void> {
  await scenarioLibrary.readAll()
  const names = [
    ...[...account.scenarios.map(({ scenario }) => scenario), ...scenarioLibrary.scenarios].map(
      ({ name }) => name
    ),
    ...scriptNames(catalogue)
  ]
  for (const [scenario, path] of wanted) {
    if (names.includes(scenario)) continue
    const followers = await verification.find(account, { payment: { scenario } }, 1)
    if (followers.events.length > 0) continue
    const otherwise = 'GET /__admin/scenarios lists all scenarios'
    throw isUnknown(path, 'scenario', scenario, names, otherwise)
  }
}

function isUnknown (
  path: string,
  what: string,
  word: string,
  words: readonly string[],
  otherwise?: string
): AdminError {
  return new AdminError(
    'BAD_REQUEST',
    `${path}: there is no ${what} '${word.slice(0, 64)}'`,
    suggestName(word, words, otherwise)
  )
}
