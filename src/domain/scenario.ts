import type { Static } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import { CallbackFaultSchema, checkCallbackFault, readCallbackFault } from './callback-faults.ts'
import { Duration, durationForms, parseDuration } from '../lib/duration.ts'
import { failuresOf, type FailureCode } from './failures.ts'
import type { Kind, KindName } from './kinds.ts'
import { kinds } from './kinds.ts'
import { fitsPattern, isNumberPattern } from './number-pattern.ts'
import type { CallbackFault } from './callback-faults.ts'
import type { PaymentDetails } from './payment-request.ts'
import { generations, type Generation } from './api-version.ts'
import type { Status } from './status.ts'
import { faults, type Fault } from './response-behaviour.ts'
import { firstStatus, isFinal, mayMove, statuses } from './status.ts'

/**
 * A scenario is a story: which payments it is about, and what becomes of them. This is its form,
 * and what makes it a good one.
 */

const payable = ['deposit', 'payout', 'refund', 'remittance'] as const satisfies KindName[]
export const payableKinds: readonly KindName[] = payable
const closed = { additionalProperties: false } as const

/** A payment leaves ACCEPTED within a tenth of a second. */
export const promptStep: ScriptStep = { after: 50, to: 'PROCESSING' }

/** At most this many steps, each at most this long after the one before. */
const maxSteps = 20
const maxDelayMs = 31 * 86_400_000
const maxLatencyMs = 3_600_000

const outgoing: KindName[] = ['payout', 'refund', 'remittance']

/** What a payment can be rejected with, and which kinds; the earlier generation translates. */
const rejectable: Record<string, readonly KindName[]> = {
  ...Object.fromEntries(
    [
      'PROVIDER_TEMPORARILY_UNAVAILABLE',
      'INVALID_PHONE_NUMBER',
      'INVALID_CURRENCY',
      'INVALID_AMOUNT',
      'AMOUNT_OUT_OF_BOUNDS',
      'INVALID_PROVIDER'
    ].map((code) => [code, payable])
  ),
  PAWAPAY_WALLET_OUT_OF_FUNDS: outgoing,
  ...Object.fromEntries(
    [
      'NOT_FOUND',
      'INVALID_STATE',
      'AMOUNT_TOO_LARGE',
      'AMOUNT_TOO_SMALL',
      'DEPOSIT_ALREADY_REFUNDED',
      'REFUND_IN_PROGRESS'
    ].map((code) => [code, ['refund']])
  ),
  DEPOSITS_NOT_ALLOWED: ['deposit'],
  PAYOUTS_NOT_ALLOWED: ['payout'],
  REFUNDS_NOT_ALLOWED: ['refund'],
  REMITTANCES_NOT_ALLOWED: ['remittance'],
  ...Object.fromEntries(
    ['PARAMETER_INVALID', 'INVALID_INPUT', 'INVALID_COUNTRY'].map((code) => [code, payable])
  )
}

export const rejections: readonly string[] = Object.keys(rejectable)

/** The codes a payment of this kind can be rejected with. */
export function rejectionsOf (kind: KindName): string[] {
  return rejections.filter((code) => rejectable[code].includes(kind))
}

const oneOrMore = <T extends readonly string[]>(values: T, description: string) => {
  const One = Type.Union(
    values.map((value) => Type.Literal(value as T[number])),
    { description }
  )
  return Type.Union([One, Type.Array(One, { minItems: 1 })], {
    description: `${description}, or a list of them`
  })
}
const oneOrMoreText = (pattern: string, description: string) => {
  const One = Type.String({ pattern, description })
  return Type.Union([One, Type.Array(One, { minItems: 1 })], {
    description: `${description}, or a list of them`
  })
}
const Amount = Type.Union(
  [Type.String({ pattern: '^[0-9]+([.][0-9]+)?$' }), Type.Number({ minimum: 0 })],
  { description: 'an amount such as "15.50"' }
)

const When = Type.Object(
  {
    kind: Type.Optional(oneOrMore(payable, `one of ${payable.join(', ')}`)),
    generation: Type.Optional(oneOrMore(generations, generations.join(' or '))),
    provider: Type.Optional(oneOrMoreText('^[A-Z0-9_]+$', 'a provider code')),
    country: Type.Optional(oneOrMoreText('^[A-Z]{3}$', 'an alpha-3 country code')),
    currency: Type.Optional(oneOrMoreText('^[A-Z]{3}$', 'a currency code')),
    phoneNumber: Type.Optional(
      oneOrMoreText(
        '^([0-9?*]|\\[[0-9-]+\\])+$',
        "a number in quotes, in which '[0-4]' is one of these digits, '?' any digit and '*' " +
          'any digits'
      )
    ),
    amount: Type.Optional(
      Type.Union(
        [
          Amount,
          Type.Object(
            { from: Type.Optional(Amount), to: Type.Optional(Amount) },
            { ...closed, minProperties: 1 }
          )
        ],
        { description: 'an amount, or { from, to }' }
      )
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        minProperties: 1,
        description: 'names with the values they must have'
      })
    ),
    clientReferenceId: Type.Optional(Type.String({ description: 'the reference it must have' }))
  },
  { ...closed, description: 'what a payment must be like' }
)

const ScriptStepSchema = Type.Object(
  {
    after: Duration,
    to: Type.Union(
      statuses.map((status) => Type.Literal(status)),
      {
        description:
          'one of ' +
          `${['ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'].join(', ')}`
      }
    ),
    failureCode: Type.Optional(Type.String({ description: 'a failure code' }))
  },
  { ...closed, description: '{ after, to, failureCode }' }
)

export const ScenarioSchema = Type.Object(
  {
    description: Type.Optional(Type.String({ description: 'the story in a sentence' })),
    when: Type.Optional(When),
    script: Type.Optional(
      Type.Union(
        [
          Type.Array(ScriptStepSchema, {
            maxItems: maxSteps,
            description: `a list of at most ${maxSteps} steps`
          }),
          Type.Literal('phone', { description: "'phone'" })
        ],
        {
          description:
            `a list of at most ${maxSteps} steps, or 'phone' for a deposit that waits for its ` +
            'customer'
        }
      )
    ),
    reject: Type.Optional(
      Type.String({ pattern: '^[A-Z_]+$', description: 'the code the payment is rejected with' })
    ),
    callback: Type.Optional(CallbackFaultSchema),
    fault: Type.Optional(
      Type.Union(
        faults.map((fault) => Type.Literal(fault)),
        { description: `one of ${faults.join(', ')}` }
      )
    ),
    latency: Type.Optional(
      Type.Union(
        [
          Duration,
          Type.Object({ from: Duration, to: Duration }, { ...closed, description: '{ from, to }' })
        ],
        { description: `${durationForms}; or { from, to }, with a seed` }
      )
    ),
    http: Type.Optional(
      Type.Object(
        {
          status: Type.Union([Type.Literal(500), Type.Literal(503), Type.Literal(429)], {
            description: '500, 503 or 429'
          })
        },
        { ...closed, description: '{ status }' }
      )
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'how many payments it is for, from 1'
      })
    ),
    probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'from 0 to 1' })),
    per: Type.Optional(
      Type.Literal('payment', { description: "'payment': times counts for each payment anew" })
    ),
    seed: Type.Optional(
      Type.Union([Type.String(), Type.Number()], {
        description: 'any text; the same seed gives the same run'
      })
    )
  },
  { ...closed, description: 'a scenario' }
)

export type ScenarioFile = Static<typeof ScenarioSchema>

/** A step of a scenario's script. */
export interface ScriptStep {
  /** Milliseconds after the step before it. */
  after: number
  to: Status
  failureCode?: FailureCode
}

/**
 * What a scenario does with a payment. Without a script of its own it goes as it would have gone.
 */
export type Effect = { steps?: ScriptStep[]; fault?: Fault } | { reject: string } | { http: number }

export interface Scenario {
  name: string
  when: NonNullable<ScenarioFile['when']>
  effect: Effect
  /** What is made of its callbacks. */
  callback?: CallbackFault
  /** How long the answer takes, in milliseconds: exactly, or something between. */
  latency?: number | { from: number; to: number }
  times?: number
  /** `times` counts for each payment anew. */
  per?: 'payment'
  probability?: number
  seed?: string
}

/** A problem of a scenario, and where it stands: a dotted path. */
export interface ScenarioProblem {
  path: string
  message: string
}

/** The scenario a well-formed file tells, or everything that is wrong with the story. */
export function readScenario (name: string, file: ScenarioFile): Scenario | ScenarioProblem[] {
  const effects = (['script', 'reject', 'http'] as const).filter((key) => file[key] !== undefined)
  const problems: ScenarioProblem[] = []
  if (
    effects.length === 0 &&
    file.fault === undefined &&
    file.latency === undefined &&
    file.callback === undefined
  ) {
    problems.push({
      path: '',
      message:
        'a scenario has one of script, reject and http, or a fault, latency or callback; ' +
        'this one has none'
    })
  }
  const { amount } = file.when ?? {}
  if (effects.length > 1) {
    problems.push({
      path: effects[1],
      message: `a scenario has one of script, reject and http; this one has ${effects.join(' and ')}`
    })
  }
  if (typeof amount === 'object' && Number(amount.from ?? 0) > Number(amount.to ?? Infinity)) {
    problems.push({
      path: 'when.amount',
      message: `no amount is from ${amount.from} to ${amount.to}`
    })
  }
  if (file.fault !== undefined && (file.reject !== undefined || file.http !== undefined)) {
    problems.push({
      path: 'fault',
      message: `a fault goes with a payment that is accepted, not with ${effects[0]}`
    })
  }
  if (
    file.callback !== undefined &&
    (file.reject !== undefined || file.http !== undefined || file.fault === 'reset')
  ) {
    problems.push({ path: 'callback', message: 'where no payment is stored, there is no callback' })
  }
  problems.push(...checkCallbackFault(file.callback))
  if (file.fault === 'reset' && file.script !== undefined) {
    problems.push({
      path: 'script',
      message:
        "with 'reset' nothing is stored, so there is nothing to script; 'lost' stores the payment"
    })
  }
  problems.push(...latencyProblems(file.latency))
  if (file.per !== undefined && file.times === undefined) {
    problems.push({ path: 'per', message: 'per goes with times: how often for each payment' })
  }
  if (file.probability === 0) {
    problems.push({ path: 'probability', message: 'this can never match: its probability is 0' })
  }
  if (typeof file.latency === 'object' && file.seed === undefined) {
    problems.push({
      path: 'latency',
      message: 'a latency between two bounds needs a seed, so that the same run can be had again'
    })
  }
  if (file.probability !== undefined && file.seed === undefined) {
    problems.push({
      path: 'probability',
      message: 'probability needs a seed, so that the same run can be had again'
    })
  }
  problems.push(...rejectionProblems(file))
  for (const pattern of toList(file.when?.phoneNumber) ?? []) {
    if (!isNumberPattern(pattern)) {
      problems.push({
        path: 'when.phoneNumber',
        message:
          `'${pattern}' is not understood: a range such as [0-4] goes from the smaller digit ` +
          'to the larger'
      })
    }
  }
  const steps = readSteps(file, problems)
  if (problems.length > 0) return problems
  return {
    name,
    when: file.when ?? {},
    effect: readEffect(file, steps),
    ...(file.callback !== undefined && { callback: readCallbackFault(file.callback) }),
    ...(file.latency !== undefined && { latency: readLatency(file.latency) }),
    ...(file.times !== undefined && { times: file.times }),
    ...(file.probability !== undefined && { probability: file.probability }),
    ...(file.per !== undefined && { per: file.per }),
    ...(file.seed !== undefined && { seed: String(file.seed) })
  }
}

/** A code must be one that every kind it is for can be rejected with. */
function rejectionProblems ({ reject, when }: ScenarioFile): ScenarioProblem[] {
  if (reject === undefined) return []
  const able = Object.hasOwn(rejectable, reject) ? rejectable[reject] : undefined
  if (able === undefined) {
    return [
      {
        path: 'reject',
        message: `'${reject}' is not a code a payment can be rejected with: ${rejections.join(', ')}`
      }
    ]
  }
  const unable = (toList(when?.kind) ?? payable).find((kind) => !able.includes(kind))
  return unable === undefined
    ? []
    : [
        {
          path: 'reject',
          message:
            `a ${unable} is never rejected with '${reject}', only a ${able.join(' or ')}; say ` +
            'so in when.kind'
        }
      ]
}

function readEffect ({ reject, http, script, fault }: ScenarioFile, steps: ScriptStep[]): Effect {
  if (reject !== undefined) return { reject }
  if (http !== undefined) return { http: http.status }
  return { ...(script !== undefined && { steps }), ...(fault !== undefined && { fault }) }
}

function latencyProblems (latency: ScenarioFile['latency']): ScenarioProblem[] {
  if (latency === undefined) return []
  const bounds = typeof latency === 'object' ? [latency.from, latency.to] : [latency]
  const [least, most = least] = bounds.map((bound) => parseDuration(bound) as number)
  if (most > maxLatencyMs || least > maxLatencyMs) {
    return [{ path: 'latency', message: 'an answer takes at most 1 hour' }]
  }
  return least > most
    ? [{ path: 'latency', message: 'a latency goes from the shorter to the longer' }]
    : []
}

function readLatency (latency: NonNullable<ScenarioFile['latency']>): Scenario['latency'] {
  if (typeof latency !== 'object') return parseDuration(latency)
  return { from: parseDuration(latency.from) as number, to: parseDuration(latency.to) as number }
}

function readSteps ({ script = [], when }: ScenarioFile, problems: ScenarioProblem[]): ScriptStep[] {
  const about = toList(when?.kind) ?? [...payable]
  if (script === 'phone') {
    if (about.join() !== 'deposit') {
      problems.push({
        path: 'script',
        message: "only a deposit waits for its customer's phone; say when: { kind: deposit }"
      })
    }
    return [promptStep]
  }
  for (const name of about) checkSteps(kinds[name], script, problems, when?.kind === undefined)
  return script.map(({ after, to, failureCode }) => ({
    after: parseDuration(after) as number,
    to,
    ...(failureCode !== undefined && { failureCode: failureCode as FailureCode })
  }))
}

/**
 * Every step an edge of the kind's transition table, FAILED with a code of that kind, nothing after
 * the end, no endless waits.
 */
function checkSteps (
  kind: Kind,
  script: ReadonlyArray<Static<typeof ScriptStepSchema>>,
  problems: ScenarioProblem[],
  any: boolean
): void {
  const say = (path: string, message: string): void => {
    if (!problems.some((problem) => problem.path === path)) problems.push({ path, message })
  }
  const hint = any ? `; it is for every kind, say when.kind if it is not for ${kind.path}` : ''
  const codes: readonly string[] = failuresOf(kind.name)
  let from = firstStatus(kind)
  for (const [index, { after, to, failureCode }] of script.entries()) {
    const path = `script.${index}`
    if (isFinal(from)) say(`${path}.to`, `nothing comes after ${from}, which is final`)
    else if (!mayMove(kind, from, to)) {
      say(`${path}.to`, `a ${kind.name} cannot go from ${from} to ${to}${hint}`)
    }
    if ((parseDuration(after) ?? 0) > maxDelayMs) {
      say(`${path}.after`, 'a step comes at most 31 days after the one before')
    }
    if (to === 'FAILED' && failureCode === undefined) {
      say(`${path}.failureCode`, `FAILED needs a failureCode: ${codes.join(', ')}`)
    }
    if (to !== 'FAILED' && failureCode !== undefined) {
      say(`${path}.failureCode`, `only FAILED has a failureCode, this step goes to ${to}`)
    }
    if (to === 'FAILED' && failureCode !== undefined && !codes.includes(failureCode)) {
      say(
        `${path}.failureCode`,
        `'${failureCode}' is not a failure of a ${kind.name}: ${codes.join(', ')}${hint}`
      )
    }
    from = to
  }
}

/**
 * Can a scenario be carried out for this kind, whatever its `when` says? Its script must be one
 * that the kind can follow.
 */
export function isPossible ({ effect }: Scenario, kind: Kind): boolean {
  if (!payableKinds.includes(kind.name)) return false
  if ('reject' in effect) return rejectionsOf(kind.name).includes(effect.reject)
  if ('http' in effect || effect.steps === undefined) return true
  const problems: ScenarioProblem[] = []
  checkSteps(kind, effect.steps, problems, false)
  return problems.length === 0
}

/** Is a scenario about this payment? */
export function isAbout (
  { when }: Scenario,
  kind: Kind,
  generation: Generation,
  details: PaymentDetails
): boolean {
  const { metadata, amount, phoneNumber, clientReferenceId } = when
  return (
    has(when.kind, kind.name) &&
    has(when.generation, generation) &&
    has(when.provider, details.provider) &&
    has(when.country, details.country) &&
    has(when.currency, details.currency) &&
    (phoneNumber === undefined ||
      toList(phoneNumber)!.some((pattern) => fitsPattern(pattern, details.phoneNumber))) &&
    (amount === undefined || isWithin(amount, Number(details.amount))) &&
    (clientReferenceId === undefined || clientReferenceId === details.clientReferenceId) &&
    (metadata === undefined ||
      Object.entries(metadata).every(([name, value]) =>
        details.metadata?.some((entry) => entry.name === name && entry.value === value)
      ))
  )
}

/** One value or a list of them, as a list. */
export function toList<T> (value: T | T[] | undefined): T[] | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value : [value]
}

function has<T> (wanted: T | T[] | undefined, value: T): boolean {
  return wanted === undefined || (toList(wanted) as T[]).includes(value)
}

function isWithin (wanted: NonNullable<Scenario['when']['amount']>, amount: number): boolean {
  if (typeof wanted !== 'object') return amount === Number(wanted)
  return amount >= Number(wanted.from ?? 0) && amount <= Number(wanted.to ?? Infinity)
}
