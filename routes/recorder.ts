import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Accounts } from '../src/accounts.ts'
import { timeOn, type Machine } from '../src/clock.ts'
import type { Account } from '../src/domain/account.ts'
import type { Fault } from '../src/domain/scenario.ts'
import { kept, type Called, type Journal } from '../src/journal.ts'
import type { Generation } from '../src/domain/payment.ts'
import type { Reply } from '../src/wire/wire.ts'
import { operationName } from './context.ts'

/** Writes requests and their answers into the journal. It keeps what is there anyway, and makes nothing of it yet. */
export class Recorder {
  readonly #journal: Journal
  readonly #accounts: Accounts
  readonly #machine: Machine

  constructor (journal: Journal, accounts: Accounts, machine: Machine) {
    this.#journal = journal
    this.#accounts = accounts
    this.#machine = machine
  }

  /** Has the answers of a route written down. What is hidden from the reference is hidden here, too. */
  watch (route: RouteOptions, generation: Generation): void {
    const { documentation = 'hidden', kind, signed } = route.config ?? {}
    if (!this.#journal.enabled || documentation === 'hidden') return
    const called: Called = { generation, operation: operationName(generation, documentation.id), kind, signed }
    route.config = { documentation, ...route.config, record: (request, status, answer, fault) => this.#record(request, status, answer, called, request.caller?.account, fault) }
    route.onSend = (request: FastifyRequest, reply: FastifyReply, answer: unknown, done: () => void) => {
      this.#record(request, reply.statusCode, answer, called, request.caller?.account)
      done()
    }
  }

  /** A request for which there is no route. It is the account's whose token it carries, if it carries one that is known. */
  async miss (request: FastifyRequest, { status, body }: Reply): Promise<void> {
    if (!this.#journal.enabled) return
    const [, token] = /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const caller = token === undefined ? undefined : await this.#accounts.caller(token)
    this.#record(request, status, JSON.stringify(body), undefined, caller?.account)
  }

  /** What belongs to nobody is kept with the default account. */
  #record (request: FastifyRequest, status: number, answer: unknown, called: Called | undefined, account: Account | undefined, fault?: Fault): void {
    const now = this.#machine.now()
    const received = request.received ?? now
    const owner = account ?? this.#accounts.default
    this.#journal.record(owner.id, {
      id: 0,
      at: timeOn(owner.clock, received),
      received,
      durationMs: now - received,
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.text,
      status,
      answer: typeof answer === 'string' ? kept(answer) : '',
      called,
      matched: called !== undefined && account !== undefined,
      signature: request.explanation,
      fault
    })
  }
}
