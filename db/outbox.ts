import { hash } from 'node:crypto'
import type {
  Attempt,
  Callback,
  CallbackQuery,
  ChangeNotifier,
  Delivery,
  OutgoingCallback,
  Outbox,
  DeliveryVerdict
} from '../src/domain/ports.ts'
import type { Queue } from '../src/domain/due-queue.ts'
import { firstCallbackQueue } from '../src/domain/due-queue.ts'
import type { SqlDueQueue } from './due-queue.ts'
import { CallbackAttempts } from './callback-attempts.ts'
import { CallbackList } from './callback-list.ts'
import type { Database } from './database.ts'
import { readFault } from './rows.ts'

/** URLs whose queue is remembered: most callbacks go to a few. */
const mostQueues = 1000

interface DeliveryRow extends Omit<Delivery, 'firstDue' | 'firstAttempt' | 'fault' | 'goneId'> {
  due: number
  gone_id: Buffer | null
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
  SELECT 1 FROM due_queue WHERE due_queue.account = callbacks.account
    AND due_queue.queue = callbacks.queue AND due_queue.queue >= ${firstCallbackQueue}
    AND due_queue.due = callbacks.due AND subject = seq)`

/** SQL for an outbox whose callbacks other servers send, too. */
export interface SharedOutboxSql {
  /** Condition for callbacks that no other server may have taken. */
  untaken: string
  /** Condition for due callbacks whose payment has no callback before them to another receiver. */
  inTurn: string
}

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
  readonly #copyGone
  readonly #hold
  readonly #unhold
  readonly #held
  readonly #pending

  constructor (
    database: Database,
    dueQueue: SqlDueQueue,
    changes: ChangeNotifier,
    shared?: SharedOutboxSql
  ) {
    const { connection } = database
    const { untaken, inTurn } = shared ?? { untaken: '', inTurn: '' }
    this.#database = database
    this.#dueQueue = dueQueue
    this.#changes = changes
    this.#attempts = new CallbackAttempts(database)
    this.#list = new CallbackList(database, this.#attempts)
    this.#insert = connection.prepareInsert('callbacks', [
      'account',
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
      SELECT due_queue.due, seq, callbacks.account, payment, callbacks.queue, url, body, fault,
        attempts, first_due, first_attempt, gone_id
      FROM due_queue JOIN callbacks ON seq = subject
      WHERE due_queue.account = ? AND due_queue.queue = ? AND due_queue.due <= ? ${inTurn}
      ORDER BY due_queue.due, subject LIMIT ?`)
    this.#update = connection.prepare(
      'UPDATE callbacks SET state = ?, attempts = ?, first_attempt = ?, due = ? WHERE seq = ?'
    )
    this.#lost = connection.prepare<[], LostRow>(`
      SELECT seq, account, queue, due FROM callbacks
      WHERE state = 'PENDING' AND ${isLost} ${untaken}`)
    this.#lostOf = connection.prepare<[number], LostRow>(`
      SELECT seq, account, queue, due FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND ${isLost} ${untaken}`)
    this.#one = connection.prepare<
      [number, number],
      { payment: number | null; url: string; body: string }
    >('SELECT payment, url, body FROM callbacks WHERE account = ? AND seq = ?')
    this.#copyGone = connection.prepare(`
      UPDATE callbacks SET (gone_kind, gone_id) = (
        SELECT gone_kind, gone_id FROM callbacks AS first WHERE first.seq = ?) WHERE seq = ?`)
    this.#hold = connection.prepareInsert('held_callbacks', ['account', 'callback'])
    this.#unhold = connection.prepare(
      'DELETE FROM held_callbacks WHERE account = ? AND callback = ?'
    )
    this.#held = connection.prepare<
      [number, number, number | null],
      { seq: number; queue: number; due: number; isWaiting: number }
    >(`
      SELECT seq, callbacks.queue, callbacks.due, CASE WHEN EXISTS (
        SELECT 1 FROM due_queue
        WHERE due_queue.account = held_callbacks.account AND due_queue.queue = callbacks.queue
          AND due_queue.due = callbacks.due AND subject = seq
      ) THEN 1 ELSE 0 END AS "isWaiting"
      FROM held_callbacks JOIN callbacks ON seq = callback
      WHERE held_callbacks.account = ? AND callback < ?
        AND payment IS DISTINCT FROM ? ORDER BY callback`)
    // With a callback of the account that is held, if there is one.
    this.#pending = connection.prepare<[number], { attempts: number; held: number | null }>(`
      SELECT attempts, (
        SELECT callback FROM held_callbacks WHERE held_callbacks.account = callbacks.account LIMIT 1
      ) AS held FROM callbacks WHERE seq = ?`)
  }

  /** Adds a callback, of a payment or of a statement. Called inside a transaction. */
  async addCallback (
    { account, seq: payment }: { account: number; seq: number | null },
    { url, body, created, due, held, fault }: OutgoingCallback
  ): Promise<number> {
    const queue = this.#queue(url)
    const seq = (await this.#insert.add(
      account,
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
    if (held === true) this.#hold.run(account, seq)
    this.#dueQueue.add(account, queue, due, seq)
    return seq
  }

  takeDueCallbacks ({ account, queue }: Queue, now: number, limit: number): Promise<Delivery[]> {
    const take = async (): Promise<Delivery[]> => {
      const rows = await this.#due.all(account, queue, now, limit)
      const taken = rows.map(({ due, seq }) => ({ due, subject: seq }))
      this.#dueQueue.dropTaken(account, queue, taken)
      return rows.map(readDelivery)
    }
    return this.#database.write(account, take, { claims: true, lease: { account, queue } })
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
        const pending = await this.#pending.get(seq)
        // The callback may be deleted, because its account was reset.
        if (pending === undefined) return
        // The result may be stored: the connection was lost after the commit.
        if (pending.attempts > attempts) return
        this.#update.run(verdict.state, attempts + 1, firstAttempt ?? attempt.at, due, seq)
        this.#changes.notify(account, payment === null ? undefined : { seq: payment })
        await this.#attempts.addAttempt(delivery, attempt)
        if (due !== null) this.#dueQueue.add(account, queue, due, seq)
        if (pending.held === null) return
        this.#database.sharing?.claimAccount(account)
        await this.#release(delivery, attempt.at)
      },
      {
        urgent,
        lease: { account: delivery.account, queue: delivery.queue },
        // A callback has one result at a time, and work beside it holds later callbacks only.
        firstRead: { statement: this.#pending, parameters: [delivery.seq], isStable: true }
      }
    )
  }

  requeueLostCallbacks (
    account?: number,
    reportUnusable?: (account: number, error: unknown) => void
  ): Promise<void> {
    return this.#database.write(undefined, async () => {
      const rows = await (account === undefined ? this.#lost.all() : this.#lostOf.all(account))
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

  listCallbacks (account: number, query: CallbackQuery): Promise<Callback[]> {
    return this.#list.list(account, query)
  }

  resendCallback (account: number, seq: number, at: () => number): Promise<number | undefined> {
    return this.#database.write(account, async () => {
      const first = await this.#one.get(account, seq)
      if (first === undefined) return undefined
      const { payment, url, body } = first
      const now = at()
      const again = { url, body, created: now, due: now }
      const created = await this.addCallback({ account, seq: payment }, again)
      if (payment === null) this.#copyGone.run(seq, created)
      return created
    })
  }

  /**
   * Makes the callbacks due that waited for the callback of another payment, this one. One whose
   * minute has passed may be under way: it must not be sent again.
   */
  async #release ({ account, seq, payment }: Delivery, now: number): Promise<void> {
    this.#unhold.run(account, seq)
    for (const held of await this.#held.all(account, seq, payment)) {
      this.#unhold.run(account, held.seq)
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

function readDelivery ({
  due: _,
  fault,
  first_due: firstDue,
  first_attempt: first,
  gone_id: gone,
  ...row
}: DeliveryRow): Delivery {
  return {
    ...row,
    firstDue,
    ...readFault(fault),
    ...(first !== null && { firstAttempt: first }),
    ...(gone !== null && { goneId: gone.toString('hex') })
  }
}
