import { accountTime, type SystemClock } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import { LedgerUnusableError } from '../ports/ledger-error.ts'
import type { CallbackOutcomes } from '../ports/ledger-stats.ts'
import {
  coverageOf,
  coverageCatalogue,
  keyOf,
  itemsOfPayment,
  itemsOfCall,
  type Coverage,
  type Group,
  type Item
} from '../verification/coverage.ts'
import { kinds, type KindName } from '../domain/kinds.ts'
import { historyAt } from '../domain/payment.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Version } from '../domain/api-version.ts'
import type { Fault } from '../domain/response-behaviour.ts'
import type { CalledOperation } from './request-journal.ts'
import type { Wire } from '../wire/wire.ts'

/** Payments that are read in one turn of the event loop. */
const pageSize = 200
/**
 * Limit of payments that are read before a reset deletes them: the reset of a load test's account
 * must not wait for them.
 */
const mostRetained = 1000

export interface CoverageTrackerParts {
  ledger: Ledger
  callbackOutcomes: CallbackOutcomes
  wires: readonly Wire[]
  systemClock: SystemClock
}

/** Fields of an answer, or of one element of a bulk answer, that the coverage is about. */
interface Outcome {
  status?: string
  failureReason?: { failureCode: string }
  rejectionReason?: { rejectionCode?: string }
}

/** Answer to a call of the API. */
export interface AnsweredCall {
  method: string
  status: number
  /** Body before it is serialised; undefined for an answer of Fastify itself. */
  body: Outcome | Outcome[] | undefined
  fault: Fault | undefined
  /** True if the request was signed well. */
  signed: boolean
}

/** Statuses of outcomes that are noted. */
const notedStatuses = ['REJECTED', 'DUPLICATE_IGNORED']

/** Filter of the coverage. */
export interface CoverageFilter {
  version?: Version
  groups?: readonly Group[]
}

/**
 * Items that each account has exercised. Most are read from the ledger. Refusals and reads leave no
 * trace there, so they are noted here, in memory, when they happen first. So are the items that the
 * ledger showed before a reset, because coverage is about the whole test run.
 */
export class CoverageTracker {
  readonly #parts: CoverageTrackerParts
  readonly #notes = new Map<number, Set<string>>()
  readonly #operations = new Map<string, CalledOperation>()

  constructor (parts: CoverageTrackerParts) {
    this.#parts = parts
  }

  /** Adds an operation that can be called. */
  addOperation (called: CalledOperation): void {
    this.#operations.set(called.operation, called)
  }

  /** Notes a call of an operation and its answer. */
  noteCall (
    account: number,
    called: CalledOperation,
    { method, status, body, fault, signed }: AnsweredCall
  ): void {
    if (fault !== undefined) this.#notesOf(account).add(keyOf({ group: 'faults', name: fault }))
    if (signed) this.#notesOf(account).add(keyOf({ group: 'flows', name: 'signed request' }))
    if (method === 'POST' && (status >= 400 || isNoted(body))) {
      const outcomes = body === undefined ? [] : [body].flat()
      this.#noteOutcomes(account, called.version, outcomes)
      if (outcomes.every(isRefused)) return
    }
    if (status >= 300) return
    called.callers.add(account)
  }

  /**
   * Notes the items that the ledger shows of an account before they are deleted, up to a limit.
   * Rows that cannot be read show nothing: a reset must be able to delete them.
   */
  async keepLedgerItems (account: Account): Promise<void> {
    const notes = this.#notesOf(account.id)
    const shown = await this.#shown(account, mostRetained).catch((error: unknown) => {
      if (error instanceof LedgerUnusableError) throw error
      return []
    })
    for (const key of shown) notes.add(key)
  }

  /** Forgets the notes of an account. The items that its ledger shows stay. */
  clear (account: number): void {
    this.#notes.delete(account)
    for (const { callers } of this.#operations.values()) callers.delete(account)
  }

  /** Returns the items that were noted of an account. */
  #listNotes (account: number): string[] {
    const called = [...this.#operations.values()].filter(({ callers }) => callers.has(account))
    return [
      ...(this.#notes.get(account) ?? []),
      ...called.flatMap(({ operation }) => itemsOfCall(operation))
    ]
  }

  /** Returns the coverage of an account. */
  async readCoverage (
    account: Account,
    { version, groups }: CoverageFilter = {}
  ): Promise<Coverage> {
    const wanted = (item: Item): boolean =>
      (version === undefined || item.version === undefined || item.version === version) &&
      (groups === undefined || groups.includes(item.group))
    const operations = [...this.#operations.values()]
    return coverageOf(
      coverageCatalogue({ ...spelled(this.#parts.wires), operations }).filter(wanted),
      (await this.#shown(account, Infinity)).union(new Set(this.#listNotes(account.id)))
    )
  }

  /** Items that the ledger shows, of a limited number of payments and callbacks. */
  async #shown (account: Account, most: number): Promise<Set<string>> {
    const exercised = new Set<string>()
    for (const name of await this.#parts.callbackOutcomes(account.id, most)) {
      exercised.add(keyOf({ group: 'callbacks', name }))
    }
    const now = accountTime(account.clock, this.#parts.systemClock.now())
    for (let after = 0, seen = 0, full = true; full && seen < most; seen += pageSize) {
      const page = { after, limit: pageSize }
      const { payments } = await this.#parts.ledger.listPayments(account.id, page, {
        readNow: () => now
      })
      for (const payment of payments) {
        for (const key of itemsOfPayment(payment, historyAt(payment, now))) exercised.add(key)
      }
      full = payments.length === pageSize
      after = payments.at(-1)?.seq ?? after
    }
    return exercised
  }

  /** Notes the codes of refused requests, and identifiers that were sent twice. */
  #noteOutcomes (account: number, version: Version, outcomes: readonly Outcome[]): void {
    const notes = this.#notesOf(account)
    for (const { status, failureReason, rejectionReason } of outcomes) {
      const code = failureReason?.failureCode ?? rejectionReason?.rejectionCode
      if (code !== undefined) {
        notes.add(keyOf({ group: 'rejectionCodes', name: `${version} ${code}` }))
      }
      if (status === 'DUPLICATE_IGNORED') {
        notes.add(keyOf({ group: 'flows', name: 'initiated twice' }))
      }
    }
  }

  #notesOf (account: number): Set<string> {
    let notes = this.#notes.get(account)
    if (notes === undefined) this.#notes.set(account, (notes = new Set()))
    return notes
  }
}

/** Tells whether one of the outcomes in the body of an answer is noted. */
function isNoted (body: Outcome | Outcome[] | undefined): boolean {
  if (Array.isArray(body)) return body.some(isNoted)
  return body?.status !== undefined && notedStatuses.includes(body.status)
}

function isRefused ({ status }: Outcome): boolean {
  return status === undefined || status === 'REJECTED'
}

/** Kinds of each version, and all codes with which it refuses an initiation. */
function spelled (wires: readonly Wire[]): {
  kinds: Array<{ version: Version; kind: KindName }>
  rejectionCodes: Array<{ version: Version; code: string }>
} {
  return {
    kinds: wires.flatMap(({ version, codecs }) =>
      (Object.keys(codecs) as KindName[]).map((kind) => ({ version, kind }))
    ),
    rejectionCodes: wires.flatMap(({ version, codecs, answers }) => {
      const words = (Object.keys(codecs) as KindName[]).flatMap((name) =>
        [
          answers.schemas.initiation(kinds[name]),
          ...[400, 403].map((status) =>
            answers.schemas.refusal({ operation: 'initiate', kind: kinds[name] }, status)
          )
        ].flatMap(
          ({ properties }) =>
            properties?.failureReason?.properties.failureCode.enum ??
            properties?.rejectionReason?.properties.rejectionCode.enum ??
            []
        )
      )
      return [...new Set(words as string[])].map((code) => ({ version, code }))
    })
  }
}
