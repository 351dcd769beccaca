import { hash } from 'node:crypto'
import type {
  Attempt,
  Callback,
  CallbackQuery,
  ChangeNotifier,
  Delivery,
  OutgoingCallback,
  Outbox,
  DeliveryVerdict,
  LatestCallback
} from '../src/ports/ledger.ts'
import type { Queue } from '../src/ports/due-queue.ts'
import { firstCallbackQueue } from '../src/ports/due-queue.ts'
import type { SqlDueQueue } from './due-queue.ts'
import { CallbackAttempts } from './callback-attempts.ts'
import { CallbackList } from './callback-list.ts'
import type { Database } from './database.ts'
import { readFault } from './rows.ts'

/** URLs whose queue is remembered: most callbacks go to a few. */
const mostQueues = 1000

interface DeliveryRow
  extends Omit<Delivery, 'account' | 'firstDue' | 'firstAttempt' | 'fault'> {
  due: number
  fault: string | null
  first_due: number
  first_attempt: number | null
}

/** Pending callback without an entry in the due queue. */
interface LostRow extends Queue {
  seq: number
  due: number
}

/** Condition for a callback that has no entry in the due queue. */
const isLost = `NOT EXISTS (
  SELECT 1 FROM due_queue WHERE due_queue.ledger = callbacks.ledger
    AND due_queue.queue = callbacks.queue AND due_queue.queue >= ${firstCallbackQueue}
    AND due_queue.due = callbacks.due AND subject = seq)`

/** Callbacks that must be sent, until they are acknowledged or exhausted, with their attempts. */
export class SqlOutbox implements Outbox {
  readonly #database: Database
  readonly #dueQueue: SqlDueQueue
  readonly #changes: ChangeNotifier
  readonly #attempts: CallbackAttempts
  readonly #list: CallbackList
  /** Queues by URL. */
  readonly #queues = new Map<string, number>()
  readonly #insert
  readonly #due
  readonly #update
  readonly #lost
  readonly #lostOf
  readonly #one
  readonly #hold
  readonly #unhold
  readonly #held
  readonly #pending

  constructor (database: Database, dueQueue: SqlDueQueue, changes: ChangeNotifier) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#changes = changes
    this.#attempts = new CallbackAttempts(database)
    this.#list = new CallbackList(database, this.#attempts)
    this.#insert = connection.prepareInsert('callbacks', [
      'ledger',
      'payment',
      'queue',
      'url',
      'body',
      'fault',
      'created',
      'state',
      'attempts',
      'first_due',
      'due'
    ])
    this.#due = connection.prepare<[number, number, number, number], DeliveryRow>(`
      SELECT due_queue.due, seq, payment, callbacks.queue, url, body, fault, attempts, first_due,
        first_attempt
      FROM due_queue JOIN callbacks ON seq = subject
      WHERE due_queue.ledger = ? AND due_queue.queue = ? AND due_queue.due <= ?
      ORDER BY due_queue.due, subject LIMIT ?`)
    this.#update = connection.prepare(
      'UPDATE callbacks SET state = ?, attempts = ?, first_attempt = ?, due = ? WHERE seq = ?'
    )
    this.#lost = connection.prepare<[], LostRow>(`
      SELECT seq, accounts.id AS account, queue, due
      FROM callbacks JOIN accounts ON accounts.ledger = callbacks.ledger
      WHERE callbacks.state = 'PENDING' AND ${isLost}`)
    this.#lostOf = connection.prepare<[account: number, ledger: number], LostRow>(`
      SELECT seq, CAST(? AS BIGINT) AS account, queue, due FROM callbacks
      WHERE state = 'PENDING' AND ledger = ? AND ${isLost}`)
    this.#one = connection.prepare<
      [number, number],
      { payment: number | null; url: string; body: string }
    >('SELECT payment, url, body FROM callbacks WHERE ledger = ? AND seq = ?')
    this.#hold = connection.prepareInsert('held_callbacks', ['ledger', 'callback'])
    this.#unhold = connection.prepare(
      'DELETE FROM held_callbacks WHERE ledger = ? AND callback = ?'
    )
    this.#held = connection.prepare<
      [number, number, number | null],
      { seq: number; queue: number; due: number; isWaiting: number }
    >(`
      SELECT seq, callbacks.queue, callbacks.due, CASE WHEN EXISTS (
        SELECT 1 FROM due_queue
        WHERE due_queue.ledger = held_callbacks.ledger AND due_queue.queue = callbacks.queue
          AND due_queue.due = callbacks.due AND subject = seq
      ) THEN 1 ELSE 0 END AS "isWaiting"
      FROM held_callbacks JOIN callbacks ON seq = callback
      WHERE held_callbacks.ledger = ? AND callback < ?
        AND payment IS DISTINCT FROM ? ORDER BY callback`)
    // With a callback of the account that is held, if there is one.
    this.#pending = connection.prepare<
      [seq: number, ledger: number],
      { attempts: number; held: number | null }
    >(`
      SELECT attempts, (
        SELECT callback FROM held_callbacks WHERE held_callbacks.ledger = callbacks.ledger LIMIT 1
      ) AS held FROM callbacks WHERE seq = ? AND ledger = ?`)
  }

  /** Adds a callback, of a payment or of a statement. Called inside a transaction. */
  async addCallback (
    { account, seq: payment }: { account: number; seq: number | null },
    { url, body, created, due, held, fault }: OutgoingCallback
  ): Promise<number> {
    const queue = this.#queue(url)
    const ledger = this.#database.ledgerOf(account)
    const seq = (await this.#insert.add(
      ledger,
      payment,
      queue,
      url,
      body,
      fault === undefined ? null : JSON.stringify(fault),
      created,
      'PENDING',
      0,
      due,
      due
    )) as number
    if (held === true) this.#hold.run(ledger, seq)
    this.#dueQueue.add(account, queue, due, seq)
    return seq
  }

  takeDueCallbacks ({ account, queue }: Queue, now: number, limit: number): Promise<Delivery[]> {
    const take = async (): Promise<Delivery[]> => {
      const rows = await this.#due.all(this.#database.ledgerOf(account), queue, now, limit)
      const taken = rows.map(({ due, seq }) => ({ due, subject: seq }))
      this.#dueQueue.dropTaken(account, queue, taken)
      return rows.map((row) => readDelivery(account, row))
    }
    return this.#database.write(account, take)
  }

  recordAttempt (
    delivery: Delivery,
    attempt: Attempt,
    verdict: DeliveryVerdict,
    urgent = true
  ): Promise<void> {
    return this.#database.write(
      delivery.account,
      async () => {
        const { seq, account, payment, queue, attempts, firstAttempt } = delivery
        const due = verdict.state === 'PENDING' ? verdict.due : null
        const pending = await this.#pending.get(seq, this.#database.ledgerOf(account))
        // The account may have been reset: then the callback is none of it any more.
        if (pending === undefined) return
        // The result may be stored: the connection was lost after the commit.
        if (pending.attempts > attempts) return
        this.#update.run(verdict.state, attempts + 1, firstAttempt ?? attempt.at, due, seq)
        this.#changes.notify(account, payment === null ? undefined : { seq: payment })
        await this.#attempts.addAttempt(delivery, attempt)
        if (due !== null) this.#dueQueue.add(account, queue, due, seq)
        if (pending.held === null) return
        await this.#release(delivery, attempt.at)
      },
      {
        urgent,
        // A callback has one result at a time, and work beside it holds later callbacks only.
        firstRead: {
          statement: this.#pending,
          parameters: [delivery.seq, this.#database.ledgerOf(delivery.account)],
          isStable: true
        }
      }
    )
  }

  requeueLostCallbacks (
    account?: number,
    reportUnusable?: (account: number, error: unknown) => void
  ): Promise<void> {
    return this.#database.write(account, async () => {
      const rows = await (account === undefined
        ? this.#lost.all()
        : this.#lostOf.all(account, this.#database.ledgerOf(account)))
      for (const [account, lost] of Map.groupBy(rows, ({ account }) => account)) {
        try {
          await this.#database.withSavepoint(async () => this.#requeue(lost))
        } catch (error) {
          if (reportUnusable === undefined || this.#database.faults.isFault(error)) throw error
          reportUnusable(account, error)
        }
      }
    })
  }

  #requeue (lost: readonly LostRow[]): void {
    for (const { seq, account, queue, due } of lost) this.#dueQueue.add(account, queue, due, seq)
  }

  /** Forgets the counts of an account whose rows were changed by others. */
  forgetCounts (account: number): void {
    this.#attempts.forgetCount(account)
  }

  findLatest (
    account: number,
    of: readonly number[] | { callbacks: number }
  ): Promise<Map<number, LatestCallback>> {
    return this.#list.findLatest(account, of)
  }

  listCallbacks (account: number, query: CallbackQuery): Promise<Callback[]> {
    return this.#list.list(account, query)
  }

  resendCallback (account: number, seq: number, at: () => number): Promise<number | undefined> {
    return this.#database.write(account, async () => {
      const first = await this.#one.get(this.#database.ledgerOf(account), seq)
      if (first === undefined) return undefined
      const { payment, url, body } = first
      const now = at()
      const again = { url, body, created: now, due: now }
      return await this.addCallback({ account, seq: payment }, again)
    })
  }

  /**
   * Makes the callbacks due that waited for the callback of another payment, this one. One whose
   * minute has passed may be under way: it must not be sent again.
   */
  async #release ({ account, seq, payment }: Delivery, now: number): Promise<void> {
    const ledger = this.#database.ledgerOf(account)
    this.#unhold.run(ledger, seq)
    for (const held of await this.#held.all(ledger, seq, payment)) {
      this.#unhold.run(ledger, held.seq)
      if (held.isWaiting === 0) continue
      this.#dueQueue.drop(account, held.queue, held.due, held.seq)
      this.#update.run('PENDING', 0, null, now, held.seq)
      this.#dueQueue.add(account, held.queue, now, held.seq)
    }
  }

  /** Returns the queue of a receiver. Two receivers with the same number only share a queue. */
  #queue (url: string): number {
    let queue = this.#queues.get(url)
    if (queue === undefined) {
      const { origin } = new URL(url)
      queue = firstCallbackQueue + hash('sha256', origin, 'buffer').readUInt32BE()
      if (this.#queues.size >= mostQueues) this.#queues.clear()
      this.#queues.set(url, queue)
    }
    return queue
  }
}

function readDelivery (
  account: number,
  { due: _, fault, first_due: firstDue, first_attempt: first, ...row }: DeliveryRow
): Delivery {
  return {
    ...row,
    account,
    firstDue,
    ...readFault(fault),
    ...(first !== null && { firstAttempt: first })
  }
}
