import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { accountTime, type SystemClock } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { CoverageTracker } from '../../src/monitoring/coverage-tracker.ts'
import {
  clipText,
  HeaderTexts,
  type CalledOperation,
  type Journal
} from '../../src/monitoring/request-journal.ts'
import type { Fault } from '../../src/domain/response-behaviour.ts'
import type { Observation } from '../../src/ports/observer.ts'
import type { Version } from '../../src/domain/api-version.ts'
import type { Counters } from '../../src/monitoring/counters.ts'
import { readBearer } from '../../src/lib/secrets.ts'
import type { WireReply } from '../../src/wire/wire.ts'
import { operationName, type Documentation, type RouteConfig } from './context.ts'

/** Records an answer of an API route. */
export type RecordAnswer = (
  request: FastifyRequest,
  status: number,
  answer: string,
  fault?: Fault
) => void

/** Parts that the recorder needs. */
export interface RecorderParts {
  journal: Journal
  counters: Counters
  coverageTracker: CoverageTracker
  accounts: Accounts
  systemClock: SystemClock
  observation: Observation
}

/**
 * Counts answers, notes the coverage of the API and writes its answers to the request journal. It
 * keeps texts as they are; whoever reads the journal parses them.
 */
export class Recorder {
  readonly #journal: Journal
  readonly #counters: Counters
  readonly #coverageTracker: CoverageTracker
  readonly #misses: Map<number, number>
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #observation: Observation

  constructor (parts: RecorderParts) {
    const { journal, counters, coverageTracker, accounts, systemClock, observation } = parts
    this.#journal = journal
    this.#counters = counters
    this.#coverageTracker = coverageTracker
    this.#misses = counters.addRoute('', '').statuses
    this.#accounts = accounts
    this.#systemClock = systemClock
    this.#observation = observation
  }

  /** Counts the answers of all routes that are added later. */
  countRoutes (http: FastifyInstance): void {
    http.addHook('onRoute', (route) => {
      const url = route.url.replace(/:(\w+)/g, '{$1}')
      const { statuses } = this.#counters.addRoute(String(route.method), url)
      const count = (status: number): void => addOne(statuses, status)
      if (route.config !== undefined) route.config = { ...route.config, count }
      route.onSend = [
        ...[route.onSend ?? []].flat(),
        (_request, reply, _payload, done) => {
          count(reply.statusCode)
          done()
        }
      ]
    })
  }

  /** Counts an answer to a request without a route. */
  countMiss (status: number): void {
    addOne(this.#misses, status)
  }

  /** Returns the function that records the answers of an API route. */
  recordRoute (
    { documentation: { id }, kind, signed }: RouteConfig & { documentation: Documentation },
    version: Version
  ): RecordAnswer {
    const operation = operationName(version, id)
    const called: CalledOperation = { version, operation, kind, signed, callers: new Set() }
    this.#coverageTracker.addOperation(called)
    const headerTexts = new HeaderTexts()
    return (request, status, answer, fault) =>
      this.#record(request, headerTexts, status, answer, called, request.caller?.account, fault)
  }

  /** Records a request without a route, for the account of its token if that is known. */
  async recordMiss (request: FastifyRequest, { status, body }: WireReply): Promise<void> {
    this.countMiss(status)
    const token = readBearer(request.headers.authorization)
    const caller = token === undefined ? undefined : await this.#accounts.findCaller(token)
    this.#record(
      request,
      new HeaderTexts(),
      status,
      JSON.stringify(body),
      undefined,
      caller?.account
    )
  }

  /** Shows refused requests of the admin API to the observer. */
  observeRefusals (http: FastifyInstance): void {
    http.addHook('onSend', (request, reply, payload, done) => {
      if (reply.statusCode >= 400 && typeof payload === 'string') {
        this.#observe(request, reply.statusCode, payload, request.account)
      }
      done()
    })
  }

  #observe (
    request: FastifyRequest,
    status: number,
    answer: string,
    account: Account | undefined,
    called?: CalledOperation,
    fault?: Fault
  ): void {
    this.#observation.observer?.answerRequest({
      account: (account ?? this.#accounts.default).id,
      method: request.method,
      url: request.url,
      text: request.text ?? '',
      status,
      answer,
      kind: called?.kind,
      fault
    })
  }

  /** Requests without an account are kept with the default account. */
  #record (
    request: FastifyRequest,
    headerTexts: HeaderTexts,
    status: number,
    answer: string,
    called: CalledOperation | undefined,
    account: Account | undefined,
    fault?: Fault
  ): void {
    // An ordinary answer adds nothing to the coverage of an account that has got one before.
    if (
      called !== undefined &&
      account !== undefined &&
      !(called.callers.has(account.id) && isOrdinary(request, status, fault))
    ) {
      this.#coverageTracker.noteCall(account.id, called, {
        method: request.method,
        status,
        body: request.answer,
        fault,
        signed: request.signResponse !== undefined
      })
    }
    if (this.#observation.observer !== undefined) {
      this.#observe(request, status, answer, account, called, fault)
    }
    if (!this.#journal.enabled) return
    const now = this.#systemClock.now()
    const received = request.received ?? now
    const owner = account ?? this.#accounts.default
    this.#journal.record(owner.id, {
      id: 0,
      at: accountTime(owner.clock, received),
      received,
      durationMs: now - received,
      method: request.method,
      status,
      url: request.url,
      headers: headerTexts.joinHeaders(request.raw.rawHeaders),
      body: clipText(request.text ?? ''),
      answer: clipText(answer),
      called,
      matched: called !== undefined && account !== undefined,
      signature: request.explanation,
      fault
    })
  }
}

function addOne (statuses: Map<number, number>, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

/** Tells whether an answer is a record or the acceptance of a payment, without anything special. */
function isOrdinary (request: FastifyRequest, status: number, fault: Fault | undefined): boolean {
  const { method, answer, signResponse } = request
  if (status !== 200 || fault !== undefined || signResponse !== undefined) return false
  return (
    method === 'GET' || (answer !== undefined && 'status' in answer && answer.status === 'ACCEPTED')
  )
}
