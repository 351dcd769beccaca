import { checkCallbackFault, readCallbackFault } from './callback-faults.ts'
import { parseDuration } from '../lib/duration.ts'
import { isNumberPattern } from './number-pattern.ts'
import { kindsRejectedWith, rejections } from './rejections.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { payableKinds } from './scenario-file.ts'
import type { Effect, Scenario } from './scenario.ts'
import { toList } from './scenario.ts'
import { findScriptProblems, readSteps, type ScenarioProblem } from './script-checks.ts'

/** Reads a scenario file into a scenario, and finds contradictions in it. */

/** Longest delay of an answer. */
const maxLatencyMs = 3_600_000

/** Reads a file that fits the schema, or lists everything that contradicts itself in it. */
export function readScenario (name: string, file: ScenarioFile): Scenario | ScenarioProblem[] {
  const problems = [
    ...findEffectProblems(file),
    ...checkCallbackFault(file.callback),
    ...findLatencyProblems(file),
    ...findCountProblems(file),
    ...findRejectionProblems(file),
    ...findWhenProblems(file),
    ...findScriptProblems(file),
    ...findReportProblems(file)
  ]
  if (problems.length > 0) return problems
  const { callback, latency, times, probability, per, seed } = file
  const { statusCheck, suspiciousActivityReport } = file
  return {
    name,
    when: file.when ?? {},
    effect: readEffect(file),
    ...(callback !== undefined && { callback: readCallbackFault(callback) }),
    ...(latency !== undefined && { latency: readLatency(latency) }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
    ...(per !== undefined && { per }),
    ...(seed !== undefined && { seed: String(seed) }),
    ...(suspiciousActivityReport !== undefined && { suspiciousActivityReport }),
    ...(statusCheck !== undefined && {
      statusCheck: {
        status: statusCheck.status,
        ...(statusCheck.for !== undefined && { forMs: parseDuration(statusCheck.for) })
      }
    })
  }
}

/** Parts of a file that decide about the payment. A file has one of them. */
const effectNames = ['script', 'reject', 'http'] as const

/** Parts that a file can have alone or with a script. */
const additions = [
  'fault',
  'latency',
  'callback',
  'statusCheck',
  'suspiciousActivityReport'
] as const

function findEffectProblems (file: ScenarioFile): ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  const effects = effectNames.filter((key) => file[key] !== undefined)
  const isRefused = file.reject !== undefined || file.http !== undefined
  if (effects.length === 0 && additions.every((key) => file[key] === undefined)) {
    problems.push({
      path: '',
      message:
        'a scenario has one of script, reject and http, or a fault, latency or callback; ' +
        'this one has none'
    })
  }
  if (effects.length > 1) {
    problems.push({
      path: effects[1],
      message:
        'a scenario has one of script, reject and http; this one has ' + effects.join(' and ')
    })
  }
  if (file.fault !== undefined && isRefused) {
    problems.push({
      path: 'fault',
      message: `a fault goes with a payment that is accepted, not with ${effects[0]}`
    })
  }
  for (const part of ['callback', 'statusCheck', 'suspiciousActivityReport'] as const) {
    if (file[part] !== undefined && (isRefused || file.fault === 'reset')) {
      problems.push({ path: part, message: `where no payment is stored, there is no ${part}` })
    }
  }
  if (file.fault === 'reset' && file.script !== undefined) {
    problems.push({
      path: 'script',
      message:
        "with 'reset' nothing is stored, so there is nothing to script; 'lost' stores the payment"
    })
  }
  return problems
}

function findLatencyProblems ({ latency, seed }: ScenarioFile): ScenarioProblem[] {
  if (latency === undefined) return []
  const problems: ScenarioProblem[] = []
  const bounds = typeof latency === 'object' ? [latency.from, latency.to] : [latency]
  const [least, most = least] = bounds.map((bound) => parseDuration(bound) as number)
  if (most > maxLatencyMs || least > maxLatencyMs) {
    problems.push({ path: 'latency', message: 'an answer takes at most 1 hour' })
  } else if (least > most) {
    problems.push({ path: 'latency', message: 'a latency goes from the shorter to the longer' })
  }
  if (typeof latency === 'object' && seed === undefined) {
    problems.push({
      path: 'latency',
      message: 'a latency between two bounds needs a seed, so that the same run can be had again'
    })
  }
  return problems
}

function findCountProblems ({ per, times, probability, seed }: ScenarioFile): ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  if (per !== undefined && times === undefined) {
    problems.push({ path: 'per', message: 'per goes with times: how often for each payment' })
  }
  if (probability === 0) {
    problems.push({ path: 'probability', message: 'this can never match: its probability is 0' })
  }
  if (probability !== undefined && seed === undefined) {
    problems.push({
      path: 'probability',
      message: 'probability needs a seed, so that the same run can be had again'
    })
  }
  return problems
}

/** Problems of `reject`: every kind of the scenario must have the code. */
function findRejectionProblems ({ reject, when }: ScenarioFile): ScenarioProblem[] {
  if (reject === undefined) return []
  const able: readonly string[] | undefined = kindsRejectedWith(reject)
  if (able === undefined) {
    return [
      {
        path: 'reject',
        message:
          `'${reject}' is not a code a payment can be rejected with: ` + rejections.join(', ')
      }
    ]
  }
  const unable = (toList(when?.kind) ?? payableKinds).find((kind) => !able.includes(kind))
  if (unable === undefined) return []
  return [
    {
      path: 'reject',
      message:
        `a ${unable} is never rejected with '${reject}', only a ${able.join(' or ')}; say ` +
        'so in when.kind'
    }
  ]
}

function findWhenProblems ({ when = {} }: ScenarioFile): ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  const { amount, phoneNumber } = when
  if (typeof amount === 'object' && Number(amount.from ?? 0) > Number(amount.to ?? Infinity)) {
    problems.push({
      path: 'when.amount',
      message: `no amount is from ${amount.from} to ${amount.to}`
    })
  }
  for (const pattern of toList(phoneNumber) ?? []) {
    if (!isNumberPattern(pattern)) {
      problems.push({
        path: 'when.phoneNumber',
        message:
          `'${pattern}' is not understood: a range such as [0-4] goes from the smaller digit ` +
          'to the larger'
      })
    }
  }
  return problems
}

function findReportProblems ({ suspiciousActivityReport, when }: ScenarioFile): ScenarioProblem[] {
  if (suspiciousActivityReport === undefined || toList(when?.kind)?.join() === 'deposit') return []
  return [
    {
      path: 'suspiciousActivityReport',
      message: 'only deposits have a suspiciousActivityReport; say when: { kind: deposit }'
    }
  ]
}

function readEffect (file: ScenarioFile): Effect {
  const { reject, http, script, fault } = file
  if (reject !== undefined) return { reject }
  if (http !== undefined) return { http: http.status }
  return {
    ...(script !== undefined && { steps: readSteps(file) }),
    ...(fault !== undefined && { fault })
  }
}

function readLatency (latency: NonNullable<ScenarioFile['latency']>): Scenario['latency'] {
  if (typeof latency !== 'object') return parseDuration(latency)
  return { from: parseDuration(latency.from) as number, to: parseDuration(latency.to) as number }
}
