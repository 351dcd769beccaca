import { checkCallbackFault, readCallbackFault } from '../domain/callback-faults.ts'
import { parseDuration } from '../lib/duration.ts'
import { isNumberPattern, longestPattern } from '../domain/number-pattern.ts'
import { kindsRejectedWith, rejections } from '../domain/rejections.ts'
import type { Static } from '@sinclair/typebox'
import { failuresOf, type FailureCode } from '../domain/failures.ts'
import type { OutcomeSchema, ScenarioFile } from '../domain/scenario-file.ts'
import { payableKinds } from '../domain/kinds.ts'
import type { Effect, Scenario, SingleEffect } from '../domain/scenario.ts'
import { completeSteps, failSteps, toList } from '../domain/scenario.ts'
import {
  findFailureCodeProblems,
  findScriptProblems,
  maxDelayMs,
  readSteps,
  suggestCode,
  type ScenarioProblem
} from './script-checks.ts'

/** Reads a scenario file into a scenario, and finds contradictions in it. */

/** Longest time for which a scenario applies. Its end is shown as a time. */
const maxForMs = 366 * 86_400_000

/** Longest delay of an answer. */
const maxLatencyMs = 3_600_000

/** Reads a file that fits the schema, or lists everything that contradicts itself in it. */
export function readScenario (name: string, given: ScenarioFile): Scenario | ScenarioProblem[] {
  const file = nameFailingKinds(given)
  const problems = [
    ...findEffectProblems(file),
    ...checkCallbackFault(file.callback),
    ...findLatencyProblems(file),
    ...findCountProblems(file),
    ...findRejectionProblems(file.reject, 'reject', file),
    ...findSequenceProblems(file),
    ...findExpiryProblems(file),
    ...findWhenProblems(file),
    ...findScriptProblems(file),
    ...findReportProblems(file)
  ]
  if (problems.length > 0) return problems
  const { callback, latency, probability, per, seed, every } = file
  const { statusCheck, suspiciousActivityReport } = file
  const times = countUses(file)
  const forMs = file.for === undefined ? undefined : parseDuration(file.for)
  const isSelective = [times, per, probability, every, forMs].some((limit) => limit !== undefined)
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
    ...(every !== undefined && { every }),
    ...(forMs !== undefined && { forMs }),
    ...(isSelective && { isSelective }),
    ...(suspiciousActivityReport !== undefined && { suspiciousActivityReport }),
    ...(statusCheck !== undefined && {
      statusCheck: {
        status: statusCheck.status,
        ...(statusCheck.for !== undefined && { forMs: parseDuration(statusCheck.for) })
      }
    })
  }
}

/** Names the kinds of a scenario that has a failure and no kinds: those that can fail so. */
function nameFailingKinds (file: ScenarioFile): ScenarioFile {
  const { fail, when } = file
  if (fail === undefined || when?.kind !== undefined) return file
  const able = payableKinds.filter((kind) => failuresOf(kind).includes(fail))
  const isForSome = able.length > 0 && able.length < payableKinds.length
  return isForSome ? { ...file, when: { ...when, kind: able } } : file
}

/** Parts of a file that decide about the payment. A file has one of them. */
const effectNames = ['script', 'fail', 'sequence', 'reject', 'http'] as const
const effectList = 'script, fail, sequence, reject and http'

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
  const isSequence = file.sequence !== undefined
  if (effects.length === 0 && additions.every((key) => file[key] === undefined)) {
    problems.push({
      path: '',
      message:
        `a scenario has one of ${effectList}, or a fault, latency or callback; ` +
        'this one has none'
    })
  }
  if (effects.length > 1) {
    problems.push({
      path: effects[1],
      message: `a scenario has one of ${effectList}; this one has ${effects.join(' and ')}`
    })
  }
  if (file.fault !== undefined && (isRefused || isSequence)) {
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
  const script = file.script === undefined ? 'fail' : 'script'
  if (file.fault === 'reset' && file[script] !== undefined) {
    problems.push({
      path: script,
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
      message: 'a latency between two bounds needs a seed, so that a run can be repeated'
    })
  }
  return problems
}

function findCountProblems (file: ScenarioFile): ScenarioProblem[] {
  const { per, times, probability, seed, every, sequence, repeat } = file
  const rules: Array<[path: string, isBroken: boolean, message: string]> = [
    [
      'per',
      per !== undefined && times === undefined && sequence === undefined,
      'per goes with times: how often for each payment'
    ],
    ['probability', probability === 0, 'this can never match: its probability is 0'],
    [
      'probability',
      probability !== undefined && seed === undefined,
      'probability needs a seed, so that a run can be repeated'
    ],
    [
      'every',
      every !== undefined && (probability ?? per) !== undefined,
      `every does not go with ${per === undefined ? 'probability' : 'per'}; leave one of them out`
    ],
    ['repeat', repeat !== undefined && sequence === undefined, 'repeat goes with a sequence'],
    [
      'times',
      times !== undefined && sequence !== undefined,
      'a sequence has as many uses as outcomes; for more rounds write repeat: 2, or repeat: true'
    ],
    [
      'for',
      file.for !== undefined && parseDuration(file.for) === 0,
      'this can never match: it applies for no time'
    ],
    ['for', isLongerThan(maxForMs, file.for), 'it applies for at most 366 days'],
    [
      'statusCheck.for',
      isLongerThan(maxForMs, file.statusCheck?.for),
      'status checks are answered so for at most 366 days'
    ]
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([path, , message]) => ({ path, message }))
}

function isLongerThan (most: number, given: ScenarioFile['for']): boolean {
  return given !== undefined && (parseDuration(given) ?? 0) > most
}

/** Returns the number of uses of a scenario, or undefined if it has no limit. */
function countUses ({ times, sequence, repeat = 1 }: ScenarioFile): number | undefined {
  if (sequence === undefined) return times
  return repeat === true ? undefined : sequence.length * repeat
}

/** Problems of the outcomes of a sequence: every kind of the scenario must have each code. */
function findSequenceProblems (file: ScenarioFile): ScenarioProblem[] {
  return (file.sequence ?? []).flatMap((outcome, index) =>
    typeof outcome === 'string'
      ? []
      : [
          ...findRejectionProblems(outcome.reject, `sequence.${index}.reject`, file),
          ...findFailureCodeProblems(outcome.fail, `sequence.${index}.fail`, file)
        ]
  )
}

function findExpiryProblems ({ expires, script }: ScenarioFile): ScenarioProblem[] {
  if (expires === undefined) return []
  const path = 'expires'
  if (script !== 'phone') return [{ path, message: 'expires goes with script: phone' }]
  const after = expires === 'provider' ? 1 : (parseDuration(expires) as number)
  return after > 0 && after <= maxDelayMs
    ? []
    : [{ path, message: 'a prompt expires after more than 0 and at most 31 days' }]
}

/** Problems of `reject`: every kind of the scenario must have the code. */
function findRejectionProblems (
  reject: string | undefined,
  path: string,
  { when }: ScenarioFile
): ScenarioProblem[] {
  if (reject === undefined) return []
  const able: readonly string[] | undefined = kindsRejectedWith(reject)
  if (able === undefined) {
    return [
      {
        path,
        message:
          `'${reject}' is not a code a payment can be rejected with` +
          `${suggestCode(reject, rejections)}: ${rejections.join(', ')}`
      }
    ]
  }
  const unable = (toList(when?.kind) ?? payableKinds).find((kind) => !able.includes(kind))
  if (unable === undefined) return []
  return [
    {
      path,
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
    if (pattern.length > longestPattern) {
      problems.push({
        path: 'when.phoneNumber',
        message:
          `'${pattern.slice(0, 20)}…' has ${pattern.length} characters; a pattern has at most ` +
          `${longestPattern}`
      })
    } else if (!isNumberPattern(pattern)) {
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
  const { reject, http, script, fail, fault, sequence, expires } = file
  if (reject !== undefined) return { reject }
  if (http !== undefined) return { http: http.status }
  if (sequence !== undefined) return { sequence: sequence.map(readOutcome) }
  if (expires === 'provider') {
    return { prompt: 'provider', ...(fault !== undefined && { fault }) }
  }
  return {
    ...((script ?? fail) !== undefined && { steps: readSteps(file) }),
    ...(fault !== undefined && { fault })
  }
}

function readOutcome (outcome: Static<typeof OutcomeSchema>): SingleEffect {
  if (outcome === 'complete') return { steps: completeSteps }
  if (outcome === 'fail') return { steps: failSteps('UNKNOWN_ERROR') }
  const { fail, reject, http } = outcome
  if (reject !== undefined) return { reject }
  return http === undefined ? { steps: failSteps(fail as FailureCode) } : { http: http.status }
}

function readLatency (latency: NonNullable<ScenarioFile['latency']>): Scenario['latency'] {
  if (typeof latency !== 'object') return parseDuration(latency)
  return { from: parseDuration(latency.from) as number, to: parseDuration(latency.to) as number }
}
