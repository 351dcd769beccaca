import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { accountTime, type SystemClock } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { CoverageTracker } from '../../src/monitoring/coverage-tracker.ts'
import { HeaderTexts } from '../../src/monitoring/header-texts.ts'
import {
  clipText,
  type CalledOperation,
  type Journal
} from '../../src/monitoring/request-journal.ts'
import type { Fault } from '../../src/domain/response-behaviour.ts'
import type { Generation } from '../../src/domain/api-version.ts'
import type { Counters } from '../../src/monitoring/counters.ts'
import type { WireReply } from '../../src/wire/wire.ts'
import { operationName, type RouteConfig } from './context.ts'

/**
 * Counts answers, notes what they exercise, and writes those of the API into the journal. It keeps
 * what is there anyway, and makes nothing of it yet.
 */
export class Recorder {
  readonly #journal: Journal
  readonly #counters: Counters
  readonly #coverageTracker: CoverageTracker
  readonly #missed: (status: number) => void
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock

  constructor (
    journal: Journal,
    counters: Counters,
    coverageTracker: CoverageTracker,
    accounts: Accounts,
    systemClock: SystemClock
  ) {
    this.#journal = journal
    this.#counters = counters
    this.#coverageTracker = coverageTracker
    this.#missed = counters.addRoute('', '')
    this.#accounts = accounts
    this.#systemClock = systemClock
  }

  /** Has the answers of every route that is added from now on counted. */
  count (http: FastifyInstance): void {
    http.addHook('onRoute', (route) => {
      const count = this.#counters.addRoute(
        String(route.method),
        route.url.replace(/:(\w+)/g, '{$1}')
      )
      if (route.config !== undefined) route.config.count = count
      route.onSend = (
        _request: FastifyRequest,
        reply: FastifyReply,
        _answer: unknown,
        done: () => void
      ) => {
        count(reply.statusCode)
        done()
      }
    })
  }

  /** Counts an answer that no route has given. */
  countMiss (status: number): void {
    this.#missed(status)
  }

  /**
   * What has to be called with every answer of a route, so that it is counted and written down;
   * nothing, where it is not written down: what is hidden from the reference is hidden here, too.
   */
  watchRoute (route: RouteOptions, generation: Generation): RouteConfig['record'] {
    const { documentation = 'hidden', kind, signed, count } = route.config ?? {}
    if (documentation === 'hidden') return undefined
    const called: CalledOperation = {
      generation,
      operation: operationName(generation, documentation.id),
      kind,
      signed
    }
    this.#coverageTracker.addOperation(called)
    const headlines = new HeaderTexts()
    const record: RouteConfig['record'] = (request, status, answer, fault) => {
      count?.(status)
      this.#record(request, headlines, status, answer, called, request.caller?.account, fault)
    }
    route.config = { documentation, ...route.config, record }
    route.onSend = []
    return record
  }

  /**
   * A request for which there is no route. It is the account's whose token it carries, if it
   * carries one that is known.
   */
  async recordMiss (request: FastifyRequest, { status, body }: WireReply): Promise<void> {
    this.#missed(status)
    const [, token] = /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
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

  /** What belongs to nobody is kept with the default account. */
  #record (
    request: FastifyRequest,
    headlines: HeaderTexts,
    status: number,
    answer: string,
    called: CalledOperation | undefined,
    account: Account | undefined,
    fault?: Fault
  ): void {
    if (called !== undefined && account !== undefined) {
      this.#coverageTracker.noteCall(
        account.id,
        called,
        request.method,
        status,
        answer,
        fault,
        request.signResponse !== undefined
      )
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
      headers: headlines.joinHeaders(request.raw.rawHeaders),
      body: request.text ?? '',
      answer: clipText(answer),
      called,
      matched: called !== undefined && account !== undefined,
      signature: request.explanation,
      fault
    })
  }
}
