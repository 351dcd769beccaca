import { isObject } from '../lib/json.ts'
import {
  listBodies,
  isInitiation,
  showRequest,
  type LintEntry,
  type LintRun
} from './journal-entry.ts'
import { findKind } from './kind-lookup.ts'
import type { Occurrence } from './rule.ts'

/** Rules about sequences of requests. */

/** Shortest pause between status checks. A few faster checks are tolerated. */
const fastestPollMs = 1000
const toleratedPolls = 3

/** A request later than this after a lost answer counts as another order. */
const sameOrderMs = 15 * 60_000

const isLookup = ({ operation = '' }: LintEntry): boolean => /^v[12]Find/.test(operation)

/** Payment of a request. A list has several. */
interface Initiation {
  entry: LintEntry
  key: string
  kind: string
  id: string
  body: Record<string, unknown>
  outcome: unknown
}

function listInitiations (entry: LintEntry): Initiation[] {
  if (!isInitiation(entry)) return []
  const answers = [entry.response.body].flat()
  return listBodies(entry).flatMap((body, index) => {
    const kind = findKind(entry.payments[index]?.kind ?? '')
    const id = kind === undefined ? undefined : body[kind.idField]
    const answer = answers[index]
    if (kind === undefined || typeof id !== 'string') return []
    return [
      {
        entry,
        kind: kind.name,
        id,
        key: paymentKey(kind.name, id),
        body,
        outcome: isObject(answer) ? answer.status : undefined
      }
    ]
  })
}

function paymentKey (kind: string, id: string): string {
  return `${kind} ${id.toLowerCase()}`
}

/** Lists the payments of a request. */
function paymentKeys ({ payments }: LintEntry): string[] {
  return payments.map(({ kind, id }) => paymentKey(kind, id))
}

/** Finds status checks of one payment that follow each other too fast. */
export function findFastPolling ({ entries }: LintRun): Occurrence[] {
  const streaks = new Map<string, { last: number; length: number; occurrence?: Occurrence }>()
  const found: Occurrence[] = []
  for (const entry of entries.filter(isLookup)) {
    const key = paymentKeys(entry)[0] ?? entry.request.path
    const { loggedDate } = entry.request
    const streak = streaks.get(key)
    const isFast = streak !== undefined && loggedDate - streak.last < fastestPollMs
    const length = isFast ? streak.length + 1 : 1
    streaks.set(key, { last: loggedDate, length })
    if (length === toleratedPolls + 1) {
      found.push({
        entry,
        message:
          `${showRequest(entry)} was sent more than ${toleratedPolls} times ` +
          'for one payment, less than one second apart'
      })
    }
  }
  return found
}

/** Finds payments that were repeated with a new identifier after a lost answer. */
export function findNewIds ({ entries }: LintRun): Occurrence[] {
  return entries.flatMap((entry, index) =>
    isLost(entry)
      ? listInitiations(entry).flatMap((lost) => {
        const later = entries
          .slice(index + 1)
          .filter(({ request }) => request.loggedDate - entry.request.loggedDate <= sameOrderMs)
        const end = later.findIndex((other) => paymentKeys(other).includes(lost.key))
        // If the identifier was used again, the application has checked the lost payment.
        const before = end === -1 ? later : later.slice(0, end)
        const again = before
          .flatMap(listInitiations)
          .find((other) => other.key !== lost.key && isSameOrder(other, lost))
        const { method, path, body } = entry.request
        return again === undefined
          ? []
          : [
              {
                entry: again.entry,
                instead: { method, path, body },
                message:
                    `${showRequest(again.entry)} repeats request ${entry.id} ` +
                    'with a new identifier after a lost answer'
              }
            ]
      })
      : []
  )
}

/** Returns true if the application got no usable answer. */
function isLost ({ response: { status, fault } }: LintEntry): boolean {
  return (fault !== undefined && fault !== 'slow') || status >= 500
}

/** Returns true for payments that differ only in identifier and time. */
function isSameOrder (a: Initiation, b: Initiation): boolean {
  return a.kind === b.kind && describeOrder(a) === describeOrder(b)
}

function describeOrder ({ body, kind }: Initiation): string {
  const { customerTimestamp, ...rest } = body
  const own = findKind(kind)?.idField
  return JSON.stringify(
    Object.entries(rest)
      .filter(([name]) => name !== own)
      .sort(([x], [y]) => (x < y ? -1 : 1))
  )
}

/** Finds accepted identifiers that were used again with another body. */
export function findReusedIds ({ entries }: LintRun): Occurrence[] {
  const first = new Map<string, Initiation>()
  return entries.flatMap(listInitiations).flatMap((initiation) => {
    const known = first.get(initiation.key)
    if (known === undefined) {
      if (initiation.outcome !== 'REJECTED' && initiation.entry.response.status < 400) {
        first.set(initiation.key, initiation)
      }
      return []
    }
    const isOther =
      initiation.outcome === 'DUPLICATE_IGNORED' &&
      known.entry.version === initiation.entry.version &&
      describeOrder(known) !== describeOrder(initiation)
    return isOther
      ? [
          {
            entry: initiation.entry,
            message:
              `${showRequest(initiation.entry)} has the identifier of request ` +
              `${known.entry.id} and another body`
          }
        ]
      : []
  })
}

/** Finds status checks, cancellations and resends of rejected payments. */
export function findIgnoredRejections ({ entries }: LintRun): Occurrence[] {
  const rejected = new Set<string>()
  return entries.flatMap((entry) => {
    const initiations = listInitiations(entry)
    for (const { key, outcome } of initiations) {
      outcome === 'REJECTED' ? rejected.add(key) : rejected.delete(key)
    }
    if (initiations.length > 0 || !paymentKeys(entry).some((key) => rejected.has(key))) return []
    return [
      {
        entry,
        message: `${showRequest(entry)} is about a REJECTED payment`
      }
    ]
  })
}

/** Finds requests that were repeated without changes after an answer 400. */
export function findRepeatedRefusals ({ entries }: LintRun): Occurrence[] {
  const refused = new Set<string>()
  return entries.flatMap((entry) => {
    const { method, url, body } = entry.request
    const text = `${method} ${url} ${JSON.stringify(body ?? null)}`
    if (entry.response.status !== 400) return []
    const isRepeated = refused.has(text)
    refused.add(text)
    return isRepeated
      ? [
          {
            entry,
            message: `${showRequest(entry)} was repeated without changes ` + 'after the answer 400'
          }
        ]
      : []
  })
}
