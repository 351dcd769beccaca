import { createHash } from 'node:crypto'
import { withoutPassword } from '../src/lib/url.ts'
import type { ForgeryDrill } from '../src/domain/payment.ts'
import type {
  Attempt,
  Callback,
  CallbackQuery,
  Changes,
  Delivery,
  DeliveryState,
  Lane,
  Letter,
  Outbox,
  Verdict
} from '../src/domain/ports.ts'
import { firstOriginLane } from '../src/domain/ports.ts'
import { kindOf } from '../src/domain/kinds.ts'
import type { SqliteAgenda } from './due-queue.ts'
import { AttemptLog } from './callback-attempts.ts'
import type { Database } from './database.ts'
import { bytes, text } from '../src/lib/uuid.ts'

interface DeliveryRow extends Omit<Delivery, 'firstDue' | 'firstAttempt' | 'drill'> {
  due: number
  drill: string | null
  first_due: number
  first_attempt: number | null
}

/** A callback that is pending and that nothing on the agenda will send. */
interface StrayRow extends Lane {
  seq: number
  due: number
}

interface CallbackRow {
  seq: number
  kind: number | null
  /** As it was sent, or as the ledger keeps it where the payment is gone. */
  id: string | Buffer | null
  url: string
  body: string
  drill: string | null
  created: number
  state: DeliveryState
  due: number | null
  attempts: number
}

/**
 * Callbacks that are to be sent, kept until they are acknowledged or given up, and every attempt at
 * it.
 */
export class SqliteOutbox implements Outbox {
  readonly #database: Database
  readonly #agenda: SqliteAgenda
  readonly #changes: Changes
  readonly #attempts: AttemptLog
  readonly #lanes = new Map<string, number>()
  readonly #insert
  readonly #due
  readonly #update
  readonly #stray
  readonly #strayOf
  readonly #one
  readonly #hold
  readonly #unhold
  readonly #held

  constructor (database: Database, agenda: SqliteAgenda, changes: Changes) {
    const { connection } = database
    this.#database = database
    this.#agenda = agenda
    this.#changes = changes
    this.#attempts = new AttemptLog(connection)
    connection.function('shown_url', { deterministic: true }, (url) => withoutPassword(String(url)))
    this.#insert = connection.prepare(
      'INSERT INTO callbacks (account, payment, lane, url, body, drill, created, state, ' +
        "attempts, first_due, due) VALUES (?, ?, ?, ?, ?, ?, ?, 'PENDING', 0, ?, ?)"
    )
    this.#due = connection.prepare<[number, number, number, number], DeliveryRow>(`
      SELECT agenda.due, seq, callbacks.account, payment, callbacks.lane, url, body, drill, attempts, first_due, first_attempt
      FROM agenda JOIN callbacks ON seq = subject
      WHERE agenda.account = ? AND agenda.lane = ? AND agenda.due <= ? ORDER BY agenda.due, subject LIMIT ?`)
    this.#update = connection.prepare(
      'UPDATE callbacks SET state = ?, attempts = ?, first_attempt = ?, due = ? WHERE seq = ?'
    )
    this.#stray = connection.prepare<[], StrayRow>(`
      SELECT seq, account, lane, due FROM callbacks
      WHERE state = 'PENDING' AND seq NOT IN (SELECT subject FROM agenda WHERE lane >= ${firstOriginLane})`)
    this.#strayOf = connection.prepare<[number, number], StrayRow>(`
      SELECT seq, account, lane, due FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND seq NOT IN (SELECT subject FROM agenda WHERE account = ? AND lane >= ${firstOriginLane})`)
    this.#one = connection.prepare<
      [number, number],
      { payment: number | null; url: string; body: string }
    >('SELECT payment, url, body FROM callbacks WHERE account = ? AND seq = ?')
    this.#hold = connection.prepare('INSERT INTO held_callbacks (account, callback) VALUES (?, ?)')
    this.#unhold = connection.prepare(
      'DELETE FROM held_callbacks WHERE account = ? AND callback = ?'
    )
    this.#held = connection.prepare<
      [number, number, number | null],
      { seq: number; lane: number; due: number }
    >(`
      SELECT seq, lane, due FROM held_callbacks JOIN callbacks ON seq = callback
      WHERE held_callbacks.account = ? AND callback < ? AND payment IS NOT ? ORDER BY callback`)
  }

  /**
   * Adds a callback, of a payment or of what is none. Called inside the transaction that makes the
   * callback necessary.
   */
  put (
    { account, seq: payment }: { account: number; seq: number | null },
    { url, body, created, due, held, drill }: Letter
  ): number {
    const lane = this.#lane(url)
    const seq = Number(
      this.#insert.run(
        account,
        payment,
        lane,
        url,
        body,
        drill === undefined ? null : JSON.stringify(drill),
        created,
        due,
        due
      ).lastInsertRowid
    )
    if (held === true) this.#hold.run(account, seq)
    this.#agenda.add(account, lane, due, seq)
    return seq
  }

  take ({ account, lane }: Lane, now: number, limit: number): Promise<Delivery[]> {
    return this.#database.transact(() => {
      const rows = this.#due.all(account, lane, now, limit)
      const last = rows.at(-1)
      if (last !== undefined) this.#agenda.dropUntil(account, lane, last.due, last.seq)
      return rows.map(({ due, drill, first_due: firstDue, first_attempt: first, ...row }) => ({
        ...row,
        firstDue,
        ...drilled(drill),
        ...(first !== null && { firstAttempt: first })
      }))
    })
  }

  attempted (delivery: Delivery, attempt: Attempt, verdict: Verdict, urgent = true): Promise<void> {
    return this.#database.transact(() => {
      const { seq, account, lane, attempts, firstAttempt } = delivery
      const due = verdict.state === 'PENDING' ? verdict.due : null
      // What is gone since, because its account was reset, is not written of.
      if (
        this.#update.run(verdict.state, attempts + 1, firstAttempt ?? attempt.at, due, seq)
          .changes === 0
      ) {
        return
      }
      this.#changes.touch(account)
      this.#attempts.add(delivery, attempt)
      if (due !== null) this.#agenda.add(account, lane, due, seq)
      this.#unhold.run(account, seq)
      this.#release(delivery, attempt.at)
    }, urgent)
  }

  recover (account?: number): Promise<void> {
    return this.#database.transact(() => this.putBack(account))
  }

  /** Called inside a transaction. */
  putBack (account?: number): void {
    const rows = account === undefined ? this.#stray.all() : this.#strayOf.all(account, account)
    for (const { seq, account, lane, due } of rows) this.#agenda.add(account, lane, due, seq)
  }

  /** Rows of an account were changed behind its back. */
  forget (account: number): void {
    this.#attempts.forget(account)
  }

  list (account: number, { limit, ...query }: CallbackQuery): Promise<Callback[]> {
    const { after, state, kind, payment, url, newest = false } = query
    const conditions: Array<[sql: string, value: unknown]> = [
      ['callbacks.account = ?', account],
      [`callbacks.seq ${newest ? '<' : '>'} ?`, after],
      ['state = ?', state],
      ['coalesce(kind, gone_kind) = ?', kind?.code],
      ['payment = ?', typeof payment === 'number' ? payment : undefined],
      ['coalesce(id, gone_id) = ?', typeof payment === 'string' ? bytes(payment) : undefined],
      ['? IN (url, shown_url(url))', url]
    ]
    const given = conditions.filter(([, value]) => value !== undefined)
    return this.#database.transact(() =>
      this.#database.connection
        .prepare<unknown[], CallbackRow>(
          `
      SELECT callbacks.seq, coalesce(kind, gone_kind) AS kind, coalesce(json_extract(details, '$.id'), gone_id) AS id, url, body, drill, callbacks.created, state, due, attempts
      FROM callbacks LEFT JOIN payments ON payments.seq = payment
      WHERE ${given.map(([sql]) => sql).join(' AND ')} ORDER BY callbacks.seq ${newest ? 'DESC' : 'ASC'} LIMIT ?`
        )
        .all(...given.map(([, value]) => value), limit)
        .map((row) => this.#shown(account, row))
    )
  }

  repeat (account: number, seq: number, now: number): Promise<number | undefined> {
    return this.#database.transact(() => {
      const first = this.#one.get(account, seq)
      return (
        first &&
        this.put(
          { account, seq: first.payment },
          { url: first.url, body: first.body, created: now, due: now }
        )
      )
    })
  }

  #shown (
    account: number,
    { kind, id, drill, due, attempts: tries, ...row }: CallbackRow
  ): Callback {
    return {
      ...row,
      ...(kind !== null &&
        id !== null && {
        payment: { kind: kindOf(kind), id: typeof id === 'string' ? id : text(id) }
      }),
      ...drilled(drill),
      ...(due !== null && { due }),
      tries,
      attempts: this.#attempts.of(account, row.seq, row.body)
    }
  }

  /** Those that waited for the callback of another payment may go. */
  #release ({ account, seq, payment }: Delivery, now: number): void {
    for (const held of this.#held.all(account, seq, payment)) {
      this.#agenda.drop(account, held.lane, held.due, held.seq)
      this.#unhold.run(account, held.seq)
      this.#update.run('PENDING', 0, null, now, held.seq)
      this.#agenda.add(account, held.lane, now, held.seq)
    }
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

function drilled (drill: string | null): { drill?: ForgeryDrill } {
  return drill === null ? {} : { drill: JSON.parse(drill) }
}
