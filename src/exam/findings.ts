import type { Check, Judgement } from './check.ts'
import { outcomeOf, type Evidence, type Exchange } from './evidence.ts'
import { bookingOf } from './judging.ts'
import type { Result } from '../reports/exam/report.ts'
import { writeCurl } from '../lib/curl.ts'
import { stepsOf } from './steps.ts'

/** Result of a check in words: what was sent, received and booked, and how to repeat it. */

const longestBody = 2000

export interface Circumstances {
  seed: string
  durationMs: number
  /** Was the application started by the exam? It is stopped at the end. */
  isStarted: boolean
  /** Code that fixes it, in the user's language, if there is some. */
  verification?: string
}

/** Writes the result of a check down. */
export function resultOf (
  row: Check,
  { verdict, because, exchange, isInconclusive, fix = row.fix }: Judgement,
  evidence: Evidence | undefined,
  { seed, durationMs, verification, isStarted }: Circumstances
): Result {
  const shown = exchange ?? evidence?.exchanges.at(-1) ?? deliveredLast(evidence)
  return {
    id: row.id,
    title: row.title,
    proves: row.proves,
    severity: row.severity,
    depth: row.depth.join('+'),
    verdict,
    because,
    ...(isInconclusive === true && { inconclusive: true }),
    sent: shown === undefined ? sentByMerchant(evidence) : messageOf(shown),
    received: shown === undefined ? receivedByMerchant(evidence) : answerOf(shown),
    booked: bookingOf(evidence?.observations.at(-1)),
    shouldBe: row.shouldBe,
    why: row.why,
    fix:
      row.showsVerification === true && verification !== undefined && fix === row.fix
        ? `${fix}\n\n${verification}`
        : fix,
    curl: shown === undefined ? '' : curlOf(shown),
    again: againOf(row, shown, isStarted),
    seed,
    requirement: `${row.requirement.rule} (${row.requirement.source})`,
    durationMs: Math.round(durationMs),
    steps: evidence === undefined ? [] : stepsOf(evidence)
  }
}

/** The last callback that the mock delivered by itself. */
function deliveredLast (evidence: Evidence | undefined): Exchange | undefined {
  const callback = evidence?.deliveries.at(-1)
  const attempt = callback?.attempts.at(-1)
  if (callback === undefined || attempt === undefined) return undefined
  const { request, response, status, error, durationMs, at } = attempt
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  )
  return {
    label: `callback ${String(callback.body.status ?? '')}`,
    at: Date.parse(at),
    request: { method: 'POST', url: callback.url, headers, body: request.body },
    durationMs,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response })
  }
}

function messageOf ({ label, request: { method, url, headers, body } }: Exchange): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${label}`, `${method} ${url}`, ...lines, '', body.slice(0, longestBody)].join('\n')
}

function answerOf (exchange: Exchange): string {
  const { durationMs, response } = exchange
  const body = response?.body.trim() ?? ''
  return (
    `${outcomeOf(exchange)} after ${Math.round(durationMs)} ` +
    `ms${body === '' ? '' : `\n${body.slice(0, longestBody)}`}`
  )
}

/** Describes the driven action, for a check that posts no callback. */
function sentByMerchant (evidence: Evidence | undefined): string {
  return evidence?.drives.map(({ line }) => line).join('\n') ?? ''
}

function receivedByMerchant (evidence: Evidence | undefined): string {
  const lines =
    evidence?.journal.map(
      ({ request, response }) =>
        `${request.method} ${request.path} → ${response.fault ?? `HTTP ${response.status}`}`
    ) ?? []
  return lines.slice(-20).join('\n')
}

/** Says how a check is repeated, and how long its command works. */
function againOf ({ id }: Check, shown: Exchange | undefined, isStarted: boolean): string {
  const isSigned = shown?.request.headers.signature !== undefined
  const limits = [
    ...(isSigned ? ['the signature expires in a minute'] : []),
    ...(isStarted ? ['the exam has stopped the application that it started'] : [])
  ]
  return shown === undefined || limits.length === 0
    ? `momock exam ${id} repeats the check`
    : `the command works for a short time only: ${limits.join(', and ')}; ` +
        `momock exam ${id} repeats the check`
}

/** A command that sends the same message again. */
function curlOf ({ request }: Exchange): string {
  return writeCurl(request, { option: '-i', separator: ' ' })
}
