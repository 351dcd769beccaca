import { outcomeOf, type Evidence } from './evidence.ts'
import { bookingOf } from './judging.ts'
import type { Step } from '../reports/exam/report.ts'

/** Steps of a sequence diagram, in order. */

const mostSteps = 40

interface Timed extends Step {
  at: number
}

/** Returns all messages of a check in order. Equal messages in a row are one step. */
export function stepsOf ({
  drives,
  exchanges,
  observations,
  journal,
  deliveries
}: Evidence): Step[] {
  const timed: Timed[] = [
    ...drives.map(({ at, kind, error, reference }): Timed => ({
      at,
      from: 'customer',
      to: 'merchant',
      text: `starts a ${kind}`,
      answer: reference === undefined ? (error ?? 'no reference') : `reference ${short(reference)}`
    })),
    ...exchanges.map((exchange): Timed => ({
      at: exchange.at,
      from: 'service',
      to: 'merchant',
      text: exchange.label,
      answer: outcomeOf(exchange)
    })),
    ...journal.map(({ request, response }): Timed => ({
      at: request.loggedDate,
      from: 'merchant',
      to: 'service',
      text: `${request.method} ${pathOf(request.path)}`,
      answer:
        response.fault === undefined
          ? `${response.status} ${wordIn(response.body)}`.trim()
          : `no answer (${response.fault})`
    })),
    ...deliveries.flatMap(({ body, attempts }) =>
      attempts.map((attempt): Timed => ({
        at: Date.parse(attempt.at),
        from: 'service',
        to: 'merchant',
        text: `callback ${String(body.status ?? '')}`,
        answer: outcomeOf(attempt)
      }))
    ),
    ...observations.map((seen): Timed => ({
      at: seen.at,
      from: 'customer',
      to: 'merchant',
      text: 'asks what was booked',
      answer: bookingOf(seen)
    }))
  ]
  const merged: Step[] = []
  for (const { at: _, ...step } of timed.sort((one, other) => one.at - other.at)) {
    const last = merged.at(-1)
    const isSame =
      last !== undefined &&
      last.text === step.text &&
      last.from === step.from &&
      last.answer === step.answer
    if (isSame) last.times = (last.times ?? 1) + 1
    else merged.push(step)
  }
  return merged.length <= mostSteps
    ? merged
    : [...merged.slice(0, mostSteps / 2), ...merged.slice(-mostSteps / 2)]
}

/** A path without the identifiers in it, which are too long to read. */
function pathOf (path: string): string {
  return path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => short(id))
}

function short (text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 8)}…`
}

/** Returns the status in an answer of the API, if it has one. */
function wordIn (body: unknown): string {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (typeof first !== 'object' || first === null || !('status' in first)) return ''
  const inner =
    'data' in first &&
    typeof first.data === 'object' &&
    first.data !== null &&
    'status' in first.data
      ? ` ${String(first.data.status)}`
      : ''
  return `${String(first.status)}${inner}`
}
