import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { timeOn, type Machine } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import type { Fault } from '../../src/domain/scenario.ts'
import type { Exercises } from '../../src/monitoring/coverage-tracker.ts'
import { Headlines, kept, type Called, type Journal } from '../../src/monitoring/request-journal.ts'
import type { Generation } from '../../src/domain/payment.ts'
import type { Meters } from '../../src/monitoring/counters.ts'
import type { Reply } from '../../src/wire/wire.ts'
import { operationName, type RouteConfig } from './context.ts'

/**
 * Counts answers, notes what they exercise, and writes those of the API into the journal. It keeps
 * what is there anyway, and makes nothing of it yet.
 */
export class Recorder {
  readonly #journal: Journal
  readonly #meters: Meters
  readonly #exercises: Exercises
  readonly #missed: (status: number) => void
  readonly #accounts: Accounts
  readonly #machine: Machine

  constructor (
    journal: Journal,
    meters: Meters,
    exercises: Exercises,
    accounts: Accounts,
    machine: Machine
  ) {
    this.#journal = journal
    this.#meters = meters
    this.#exercises = exercises
    this.#missed = meters.route('', '')
    this.#accounts = accounts
    this.#machine = machine
  }

  /** Has the answers of every route that is added from now on counted. */
  count (http: FastifyInstance): void {
    http.addHook('onRoute', (route) => {
      const count = this.#meters.route(String(route.method), route.url.replace(/:(\w+)/g, '{$1}'))
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
  missed (status: number): void {
    this.#missed(status)
  }

  /**
   * What has to be called with every answer of a route, so that it is counted and written down;
   * nothing, where it is not written down: what is hidden from the reference is hidden here, too.
   */
  watch (route: RouteOptions, generation: Generation): RouteConfig['record'] {
    const { documentation = 'hidden', kind, signed, count } = route.config ?? {}
    if (documentation === 'hidden') return undefined
    const called: Called = {
      generation,
      operation: operationName(generation, documentation.id),
      kind,
      signed
    }
    this.#exercises.offer(called)
    const headlines = new Headlines()
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
  async miss (request: FastifyRequest, { status, body }: Reply): Promise<void> {
    this.#missed(status)
    const [, token] = /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const caller = token === undefined ? undefined : await this.#accounts.caller(token)
    this.#record(request, new Headlines(), status, JSON.stringify(body), undefined, caller?.account)
  }

  /** What belongs to nobody is kept with the default account. */
  #record (
    request: FastifyRequest,
    headlines: Headlines,
    status: number,
    answer: string,
    called: Called | undefined,
    account: Account | undefined,
    fault?: Fault
  ): void {
    if (called !== undefined && account !== undefined) {
      this.#exercises.note(
        account.id,
        called,
        request.method,
        status,
        answer,
        fault,
        request.seal !== undefined
      )
    }
    if (!this.#journal.enabled) return
    const now = this.#machine.now()
    const received = request.received ?? now
    const owner = account ?? this.#accounts.default
    this.#journal.record(owner.id, {
      id: 0,
      at: timeOn(owner.clock, received),
      received,
      durationMs: now - received,
      method: request.method,
      status,
      url: request.url,
      headers: headlines.textOf(request.raw.rawHeaders),
      body: request.text ?? '',
      answer: kept(answer),
      called,
      matched: called !== undefined && account !== undefined,
      signature: request.explanation,
      fault
    })
  }
}
