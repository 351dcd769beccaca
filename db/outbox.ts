import { createHash } from 'node:crypto'
import type { Attempt, Delivery, Lane, Letter, Outbox, Verdict } from '../src/domain/ports.ts'
import { firstOriginLane } from '../src/domain/ports.ts'
import type { SqliteAgenda } from './agenda.ts'
import type { Database } from './database.ts'

interface DeliveryRow extends Omit<Delivery, 'firstAttempt'> {
  due: number
  first_attempt: number | null
}

/** A callback that is pending and that nothing on the agenda will send. */
interface StrayRow extends Lane {
  seq: number
  created: number
}

/** Callbacks that are to be sent, kept until they are acknowledged or given up, and every attempt at it. */
export class SqliteOutbox implements Outbox {
  readonly #database: Database
  readonly #agenda: SqliteAgenda
  readonly #lanes = new Map<string, number>()
  readonly #insert
  readonly #due
  readonly #attempt
  readonly #update
  readonly #stray
  readonly #strayOf

  constructor (database: Database, agenda: SqliteAgenda) {
    const { connection } = database
    this.#database = database
    this.#agenda = agenda
    this.#insert = connection.prepare("INSERT INTO callbacks (account, payment, lane, url, body, created, state, attempts) VALUES (?, ?, ?, ?, ?, ?, 'PENDING', 0)")
    this.#due = connection.prepare<[number, number, number, number], DeliveryRow>(`
      SELECT due, seq, callbacks.account, payment, callbacks.lane, url, body, attempts, first_attempt
      FROM agenda JOIN callbacks ON seq = subject
      WHERE agenda.account = ? AND agenda.lane = ? AND due <= ? ORDER BY due, subject LIMIT ?`)
    this.#attempt = connection.prepare('INSERT INTO attempts (callback, n, at, duration, status, error) VALUES (?, ?, ?, ?, ?, ?)')
    this.#update = connection.prepare('UPDATE callbacks SET state = ?, attempts = ?, first_attempt = ? WHERE seq = ?')
    this.#stray = connection.prepare<[], StrayRow>(`
      SELECT seq, account, lane, created FROM callbacks
      WHERE state = 'PENDING' AND seq NOT IN (SELECT subject FROM agenda WHERE lane >= ${firstOriginLane})`)
    this.#strayOf = connection.prepare<[number, number], StrayRow>(`
      SELECT seq, account, lane, created FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND seq NOT IN (SELECT subject FROM agenda WHERE account = ? AND lane >= ${firstOriginLane})`)
  }

  /** Adds a callback, of a payment or of what is none. Called inside the transaction that makes the callback necessary. */
  put ({ account, seq: payment }: { account: number, seq: number | null }, { url, body, due }: Letter): void {
    const lane = this.#lane(url)
    const seq = Number(this.#insert.run(account, payment, lane, url, body, due).lastInsertRowid)
    this.#agenda.add(account, lane, due, seq)
  }

  take ({ account, lane }: Lane, now: number, limit: number): Promise<Delivery[]> {
    return this.#database.transact(() => {
      const rows = this.#due.all(account, lane, now, limit)
      const last = rows.at(-1)
      if (last !== undefined) this.#agenda.dropUntil(account, lane, last.due, last.seq)
      return rows.map(({ due, first_attempt: first, ...row }) => ({ ...row, ...(first !== null && { firstAttempt: first }) }))
    })
  }

  attempted (delivery: Delivery, attempt: Attempt, verdict: Verdict): Promise<void> {
    return this.#database.transact(() => {
      const { seq, account, lane, attempts, firstAttempt } = delivery
      this.#attempt.run(seq, attempts, attempt.at, attempt.durationMs, attempt.status ?? null, attempt.error ?? null)
      this.#update.run(verdict.state, attempts + 1, firstAttempt ?? attempt.at, seq)
      if (verdict.state === 'PENDING') this.#agenda.add(account, lane, verdict.due, seq)
    })
  }

  recover (account?: number): Promise<void> {
    return this.#database.transact(() => this.putBack(account))
  }

  /** Called inside a transaction. */
  putBack (account?: number): void {
    const rows = account === undefined ? this.#stray.all() : this.#strayOf.all(account, account)
    for (const { seq, account, lane, created } of rows) this.#agenda.add(account, lane, created, seq)
  }

  /** Two places whose numbers happened to be the same would only wait for each other. */
  #lane (url: string): number {
    const { origin } = new URL(url)
    let lane = this.#lanes.get(origin)
    if (lane === undefined) {
      lane = firstOriginLane + createHash('sha256').update(origin).digest().readUInt32BE()
      this.#lanes.set(origin, lane)
    }
    return lane
  }
}
