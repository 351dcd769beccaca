import { createHash } from 'node:crypto'
import { withoutPassword } from '../src/lib/url.ts'
import type {
  Attempt,
  Callback,
  CallbackQuery,
  ChangeNotifier,
  Delivery,
  DeliveryState,
  OutgoingCallback,
  Outbox,
  DeliveryVerdict
} from '../src/domain/ports.ts'
import type { ForgeryFault } from '../src/domain/callback-faults.ts'
import type { Queue } from '../src/domain/due-queue.ts'
import { firstCallbackQueue } from '../src/domain/due-queue.ts'
import { kindOfCode } from '../src/domain/kinds.ts'
import type { SqliteDueQueue } from './due-queue.ts'
import { CallbackAttempts } from './callback-attempts.ts'
import type { Database } from './database.ts'
import { uuidToBytes, bytesToUuid } from '../src/lib/uuid.ts'

interface DeliveryRow extends Omit<Delivery, 'firstDue' | 'firstAttempt' | 'fault'> {
  due: number
  fault: string | null
  first_due: number
  first_attempt: number | null
}

/** A callback that is pending and that nothing in the due queue will send. */
interface StrayRow extends Queue {
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
  fault: string | null
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
  readonly #dueQueue: SqliteDueQueue
  readonly #changes: ChangeNotifier
  readonly #attempts: CallbackAttempts
  readonly #queues = new Map<string, number>()
  readonly #insert
  readonly #due
  readonly #update
  readonly #stray
  readonly #strayOf
  readonly #one
  readonly #hold
  readonly #unhold
  readonly #held

  constructor (database: Database, dueQueue: SqliteDueQueue, changes: ChangeNotifier) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#changes = changes
    this.#attempts = new CallbackAttempts(connection)
    connection.function('shown_url', { deterministic: true }, (url) => withoutPassword(String(url)))
    this.#insert = connection.prepare(
      'INSERT INTO callbacks (account, payment, queue, url, body, fault, created, state, ' +
        "attempts, first_due, due) VALUES (?, ?, ?, ?, ?, ?, ?, 'PENDING', 0, ?, ?)"
    )
    this.#due = connection.prepare<[number, number, number, number], DeliveryRow>(`
      SELECT due_queue.due, seq, callbacks.account, payment, callbacks.queue, url, body, fault,
        attempts, first_due, first_attempt
      FROM due_queue JOIN callbacks ON seq = subject
      WHERE due_queue.account = ? AND due_queue.queue = ? AND due_queue.due <= ?
      ORDER BY due_queue.due, subject LIMIT ?`)
    this.#update = connection.prepare(
      'UPDATE callbacks SET state = ?, attempts = ?, first_attempt = ?, due = ? WHERE seq = ?'
    )
    this.#stray = connection.prepare<[], StrayRow>(`
      SELECT seq, account, queue, due FROM callbacks
      WHERE state = 'PENDING'
        AND seq NOT IN (SELECT subject FROM due_queue WHERE queue >= ${firstCallbackQueue})`)
    this.#strayOf = connection.prepare<[number, number], StrayRow>(`
      SELECT seq, account, queue, due FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND seq NOT IN (
        SELECT subject FROM due_queue WHERE account = ? AND queue >= ${firstCallbackQueue})`)
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
      { seq: number; queue: number; due: number }
    >(`
      SELECT seq, queue, due FROM held_callbacks JOIN callbacks ON seq = callback
      WHERE held_callbacks.account = ? AND callback < ? AND payment IS NOT ? ORDER BY callback`)
  }

  /**
   * Adds a callback, of a payment or of what is none. Called inside the transaction that makes the
   * callback necessary.
   */
  addCallback (
    { account, seq: payment }: { account: number; seq: number | null },
    { url, body, created, due, held, fault }: OutgoingCallback
  ): number {
    const queue = this.#queue(url)
    const seq = Number(
      this.#insert.run(
        account,
        payment,
        queue,
        url,
        body,
        fault === undefined ? null : JSON.stringify(fault),
        created,
        due,
        due
      ).lastInsertRowid
    )
    if (held === true) this.#hold.run(account, seq)
    this.#dueQueue.add(account, queue, due, seq)
    return seq
  }

  takeDueCallbacks ({ account, queue }: Queue, now: number, limit: number): Promise<Delivery[]> {
    return this.#database.transact(() => {
      const rows = this.#due.all(account, queue, now, limit)
      const last = rows.at(-1)
      if (last !== undefined) this.#dueQueue.dropUntil(account, queue, last.due, last.seq)
      return rows.map(({ due, fault, first_due: firstDue, first_attempt: first, ...row }) => ({
        ...row,
        firstDue,
        ...readFault(fault),
        ...(first !== null && { firstAttempt: first })
      }))
    })
  }

  recordAttempt (
    delivery: Delivery,
    attempt: Attempt,
    verdict: DeliveryVerdict,
    urgent = true
  ): Promise<void> {
    return this.#database.transact(
      () => {
        const { seq, account, queue, attempts, firstAttempt } = delivery
        const due = verdict.state === 'PENDING' ? verdict.due : null
        // What is gone since, because its account was reset, is not written of.
        if (
          this.#update.run(verdict.state, attempts + 1, firstAttempt ?? attempt.at, due, seq)
            .changes === 0
        ) {
          return
        }
        if (delivery.payment !== null) this.#changes.notify(account, { seq: delivery.payment })
        this.#attempts.addAttempt(delivery, attempt)
        if (due !== null) this.#dueQueue.add(account, queue, due, seq)
        this.#unhold.run(account, seq)
        this.#release(delivery, attempt.at)
      },
      { urgent }
    )
  }

  requeueLostCallbacks (account?: number): Promise<void> {
    return this.#database.transact(() => this.requeueInTransaction(account))
  }

  /** Called inside a transaction. */
  requeueInTransaction (account?: number): void {
    const rows = account === undefined ? this.#stray.all() : this.#strayOf.all(account, account)
    for (const { seq, account, queue, due } of rows) {
      this.#dueQueue.add(account, queue, due, seq)
    }
  }

  /** Rows of an account were changed behind its back. */
  forgetCounts (account: number): void {
    this.#attempts.forgetCount(account)
  }

  listCallbacks (account: number, { limit, ...query }: CallbackQuery): Promise<Callback[]> {
    const { after, state, kind, payment, url, newest = false } = query
    const conditions: Array<[sql: string, value: unknown]> = [
      ['callbacks.account = ?', account],
      [`callbacks.seq ${newest ? '<' : '>'} ?`, after],
      ['state = ?', state],
      ['coalesce(kind, gone_kind) = ?', kind?.ledgerCode],
      ['payment = ?', typeof payment === 'number' ? payment : undefined],
      ['coalesce(id, gone_id) = ?', typeof payment === 'string' ? uuidToBytes(payment) : undefined],
      ['? IN (url, shown_url(url))', url]
    ]
    const given = conditions.filter(([, value]) => value !== undefined)
    return this.#database.transact(() =>
      this.#database.connection
        .prepare<unknown[], CallbackRow>(
          `
      SELECT callbacks.seq, coalesce(kind, gone_kind) AS kind,
        coalesce(json_extract(details, '$.id'), gone_id) AS id, url, body, fault,
        callbacks.created, state, due, attempts
      FROM callbacks LEFT JOIN payments ON payments.seq = payment
      WHERE ${given.map(([sql]) => sql).join(' AND ')}
      ORDER BY callbacks.seq ${newest ? 'DESC' : 'ASC'} LIMIT ?`
        )
        .all(...given.map(([, value]) => value), limit)
        .map((row) => this.#shown(account, row))
    )
  }

  resendCallback (account: number, seq: number, now: number): Promise<number | undefined> {
    return this.#database.transact(() => {
      const first = this.#one.get(account, seq)
      return (
        first &&
        this.addCallback(
          { account, seq: first.payment },
          { url: first.url, body: first.body, created: now, due: now }
        )
      )
    })
  }

  #shown (
    account: number,
    { kind, id, fault, due, attempts: tries, ...row }: CallbackRow
  ): Callback {
    return {
      ...row,
      ...(kind !== null &&
        id !== null && {
        payment: { kind: kindOfCode(kind), id: typeof id === 'string' ? id : bytesToUuid(id) }
      }),
      ...readFault(fault),
      ...(due !== null && { due }),
      tries,
      attempts: this.#attempts.listAttempts(account, row.seq, row.body)
    }
  }

  /** Those that waited for the callback of another payment may go. */
  #release ({ account, seq, payment }: Delivery, now: number): void {
    for (const held of this.#held.all(account, seq, payment)) {
      this.#dueQueue.drop(account, held.queue, held.due, held.seq)
      this.#unhold.run(account, held.seq)
      this.#update.run('PENDING', 0, null, now, held.seq)
      this.#dueQueue.add(account, held.queue, now, held.seq)
    }
  }

  /** Two places whose numbers happened to be the same would only wait for each other. */
  #queue (url: string): number {
    const { origin } = new URL(url)
    let queue = this.#queues.get(origin)
    if (queue === undefined) {
      queue = firstCallbackQueue + createHash('sha256').update(origin).digest().readUInt32BE()
      this.#queues.set(origin, queue)
    }
    return queue
  }
}

function readFault (fault: string | null): { fault?: ForgeryFault } {
  return fault === null ? {} : { fault: JSON.parse(fault) }
}
