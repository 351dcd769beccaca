import { callbackFaultNames } from '../domain/callback-faults.ts'
import { failures } from '../domain/failures.ts'
import { kinds, type KindName } from '../domain/kinds.ts'
import { type AnyPayment, type Payment } from '../domain/payment.ts'
import { isFinal, statusesOf } from '../domain/status.ts'
import type { Version } from '../domain/api-version.ts'
import { callbackOutcomes } from '../ports/ledger-stats.ts'
import type { Move } from '../domain/plan.ts'
import { faults } from '../domain/response-behaviour.ts'

/**
 * Items that the traffic of an account can exercise, and the items that a payment shows. Pure:
 * payments in, names out.
 */

export const groups = [
  'kinds',
  'statuses',
  'failureCodes',
  'rejectionCodes',
  'operations',
  'flows',
  'faults',
  'callbackFaults',
  'callbacks'
] as const
export type Group = (typeof groups)[number]

/** One thing that can be exercised. */
export interface Item {
  group: Group
  name: string
  /** Absent where it is the same in both. */
  version?: Version
}

/** Items of each version. */
export interface CoverageCatalogue {
  kinds: Array<{ version: Version; kind: KindName }>
  rejectionCodes: Array<{ version: Version; code: string }>
  operations: Array<{ version: Version; operation: string }>
}

/**
 * Flows through the API that are more than one call, or only some calls. A payment or the name of a
 * called operation shows them.
 */
const flows: Record<
  string,
  { payment?: (payment: AnyPayment, history: readonly Move[]) => boolean; operation?: RegExp }
> = {
  'redirect authorisation': {
    payment: ({ details }) =>
      'authorizationUrl' in details && details.authorizationUrl !== undefined
  },
  'pre-authorised deposit': {
    payment: ({ details }) =>
      'preAuthorisationCode' in details && details.preAuthorisationCode !== undefined
  },
  'waiting in the queue of a provider': {
    payment: (_payment, history) => history.some(({ to }) => to === 'ENQUEUED')
  },
  'cancelled while enqueued': { operation: /CancelEnqueued/ },
  'many in one request': { operation: /Initiate(Payouts|Remittances)$/ },
  'initiated twice': {},
  'callback sent again': { operation: /Resend\w+Callback$/ },
  'payment page': { operation: /OpenPaymentPage$/ },
  checkout: {
    payment: ({ kind }, history) =>
      kind === kinds.checkout && history.some(({ to }) => to === 'PROCESSING')
  },
  'checkout tried again': {
    payment: ({ kind }, history) =>
      kind === kinds.checkout && history.some(({ to }, n) => to === 'WAITING_PAYMENT' && n > 0)
  },
  'split payment': { payment: ({ kind }) => kind === kinds.splitPayment },
  statement: { operation: /RequestStatement$/ },
  'signed request': {}
}

/** Names of faults in the plan of a payment, where they differ from the scenario file. */
const faultFields: Record<string, string> = { delay: 'delayMs', stale: 'staleMs' }

/** Everything there is to exercise. */
export function coverageCatalogue (features: CoverageCatalogue): Item[] {
  const plain = (group: Group, names: readonly string[]): Item[] =>
    names.map((name) => ({ group, name }))
  return [
    ...features.kinds.map(({ version, kind }): Item => ({
      group: 'kinds',
      name: `${version} ${kind}`,
      version
    })),
    ...plain(
      'statuses',
      Object.values(kinds).flatMap((kind) =>
        statusesOf(kind).map((status) => `${kind.name} ${status}`)
      )
    ),
    ...plain('failureCodes', Object.keys(failures)),
    ...features.rejectionCodes.map(({ version, code }): Item => ({
      group: 'rejectionCodes',
      name: `${version} ${code}`,
      version
    })),
    ...features.operations.map(({ version, operation }): Item => ({
      group: 'operations',
      name: operation,
      version
    })),
    ...plain('flows', Object.keys(flows)),
    ...plain('faults', faults),
    ...plain('callbackFaults', callbackFaultNames),
    ...plain('callbacks', callbackOutcomes)
  ]
}

/** Key of an item. */
export function keyOf ({ group, name }: Pick<Item, 'group' | 'name'>): string {
  return `${group} ${name}`
}

/** Keys of the items that a payment has exercised. */
export function itemsOfPayment (payment: AnyPayment, history: readonly Move[]): string[] {
  const {
    kind,
    version,
    plan: { callback }
  } = payment as Payment
  const ended = isFinal(history[history.length - 1].to)
  const name = (group: Group, ...names: string[]): string[] =>
    names.map((name) => keyOf({ group, name }))
  return [
    ...name('kinds', `${version} ${kind.name}`),
    ...name('statuses', ...history.map(({ to }) => `${kind.name} ${to}`)),
    ...name('failureCodes', ...history.flatMap(({ failure }) => failure?.failureCode ?? [])),
    ...name(
      'flows',
      ...Object.keys(flows).filter((flow) => flows[flow].payment?.(payment, history) === true)
    ),
    // A callback fault counts once there was a callback.
    ...(callback !== undefined && ended
      ? name(
        'callbackFaults',
        ...callbackFaultNames.filter((fault) => (faultFields[fault] ?? fault) in callback)
      )
      : [])
  ]
}

/** Keys of the items that a call of an operation has exercised. */
export function itemsOfCall (operation: string): string[] {
  return [
    keyOf({ group: 'operations', name: operation }),
    ...Object.keys(flows)
      .filter((flow) => flows[flow].operation?.test(operation))
      .map((name) => keyOf({ group: 'flows', name }))
  ]
}

export interface Coverage {
  covered: number
  total: number
  /** Of all items, with one decimal, rounded down: only all of them are 100. */
  percent: number
  groups: Array<{
    name: Group
    covered: number
    total: number
    exercised: string[]
    missing: string[]
  }>
}

/** Which items were exercised, and which were not. */
export function coverageOf (items: readonly Item[], exercised: ReadonlySet<string>): Coverage {
  const shown = groups
    .map((group) => {
      const own = items.filter((item) => item.group === group)
      const [yes, no] = [true, false].map((wanted) =>
        own.filter((item) => exercised.has(keyOf(item)) === wanted).map(({ name }) => name)
      )
      return { name: group, covered: yes.length, total: own.length, exercised: yes, missing: no }
    })
    .filter(({ total }) => total > 0)
  const covered = shown.reduce((sum, group) => sum + group.covered, 0)
  return {
    covered,
    total: items.length,
    percent: items.length === 0 ? 0 : Math.floor((covered / items.length) * 1000) / 10,
    groups: shown
  }
}
