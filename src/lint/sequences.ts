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

/** Rules about several requests: what came after what. */

/**
 * Status checks that are closer together than this are too fast, unless there are only a few of
 * them.
 */
const fastestPollMs = 1000
const toleratedPolls = 3

/** A request that is made so long after a lost answer is taken for another order. */
const sameOrderMs = 15 * 60_000

const isLookup = ({ operation = '' }: LintEntry): boolean => /^v[12]Find/.test(operation)

/** One payment of a request: a list asks for several. */
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

/** The payments that a request names. */
function paymentKeys ({ payments }: LintEntry): string[] {
  return payments.map(({ kind, id }) => paymentKey(kind, id))
}

/**
 * More than a few status checks of one payment, each less than a second after the one before it.
 */
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
          'for one payment, less than a second apart'
      })
    }
  }
  return found
}

/**
 * An initiation whose answer did not arrive, and soon after it the same payment under another
 * identifier.
 */
export function findNewIds ({ entries }: LintRun): Occurrence[] {
  return entries.flatMap((entry, index) =>
    isLost(entry)
      ? listInitiations(entry).flatMap((lost) => {
        const later = entries
          .slice(index + 1)
          .filter(({ request }) => request.loggedDate - entry.request.loggedDate <= sameOrderMs)
        const end = later.findIndex((other) => paymentKeys(other).includes(lost.key))
        // Once its identifier is used again, the application has asked what became of it.
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
                    `${showRequest(again.entry)} has a new identifier for what request ` +
                    `${entry.id} asked for, whose answer was lost`
              }
            ]
      })
      : []
  )
}

/** Did the application get no usable answer? */
function isLost ({ response: { status, fault } }: LintEntry): boolean {
  return (fault !== undefined && fault !== 'slow') || status >= 500
}

/** Is it the same payment but for its identifier and its times? */
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

/** An identifier that was accepted, and comes again with another body. */
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
      known.entry.generation === initiation.entry.generation &&
      describeOrder(known) !== describeOrder(initiation)
    return isOther
      ? [
          {
            entry: initiation.entry,
            message:
              `${showRequest(initiation.entry)} has the identifier of request ` +
              `${known.entry.id}, and another body`
          }
        ]
      : []
  })
}

/** A payment that was rejected, and is then asked for, cancelled, or its callback wanted. */
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
        message: `${showRequest(entry)} is about a payment that was REJECTED`
      }
    ]
  })
}

/** A request that was answered with 400, and comes again as it was. */
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
            message:
              `${showRequest(entry)} was sent again as it was, ` +
              'after it had been refused with 400'
          }
        ]
      : []
  })
}
