import type { Kind, Operation } from '../src/domain/kinds.ts'
import { kinds } from '../src/domain/kinds.ts'
import type { AnyPayment, Payment } from '../src/domain/payment.ts'
import type {
  Acceptance,
  ChangeNotifier,
  Child,
  Draft,
  Facts,
  StateChange,
  Key,
  Ledger,
  FactsNeeded,
  PaymentQuery,
  TransitionRules
} from '../src/domain/ports.ts'
import { isCheckout } from '../src/domain/payment.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { isFinal } from '../src/domain/status.ts'
import { paymentQueue } from '../src/domain/due-queue.ts'
import { isRefusal } from '../src/domain/refusal.ts'
import { nextDue } from '../src/domain/plan.ts'
import type { SqliteDueQueue } from './due-queue.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'
import { uuidToBytes } from '../src/lib/uuid.ts'
import type { SqliteOutbox } from './outbox.ts'
import {
  moveColumns,
  paymentColumns,
  readPayment,
  type MoveRow,
  type NoMove,
  type PaymentRow
} from './rows.ts'
import type { SqliteScenarioUses } from './scenario-uses.ts'

/** A phone knows the payments among this many latest ones of the ledger. */
const rememberedPayments = 5000

/** Payments, their history and their money in SQLite. */
export class SqliteLedger implements Ledger {
  readonly #database: Database
  readonly #dueQueue: SqliteDueQueue
  readonly #balances: Balances
  readonly #outbox: SqliteOutbox
  readonly #uses: SqliteScenarioUses
  readonly #changes: ChangeNotifier
  readonly #insert
  readonly #replan
  readonly #created
  readonly #find
  readonly #byCode
  readonly #code
  readonly #bySeq
  readonly #seqs
  readonly #parts
  readonly #moves
  readonly #due
  readonly #move
  readonly #hold
  readonly #unhold
  readonly #held
  readonly #ofPhone

  constructor (
    database: Database,
    dueQueue: SqliteDueQueue,
    balances: Balances,
    outbox: SqliteOutbox,
    uses: SqliteScenarioUses,
    changes: ChangeNotifier
  ) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#balances = balances
    this.#outbox = outbox
    this.#uses = uses
    this.#changes = changes
    this.#insert = connection.prepare(
      'INSERT INTO payments (account, kind, id, parent, generation, created, details, plan) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'
    )
    this.#replan = connection.prepare('UPDATE payments SET plan = ? WHERE seq = ?')
    this.#created = connection.prepare<[number, number, Buffer], { created: number }>(
      'SELECT created FROM payments WHERE account = ? AND kind = ? AND id = ?'
    )
    // With the last move, which is all that most want to know of them.
    this.#find = connection.prepare<[number, number, Buffer], PaymentRow & (MoveRow | NoMove)>(`
      SELECT ${paymentColumns}, ${moveColumns} FROM payments LEFT JOIN moves ON payment = seq
      WHERE payments.account = ? AND kind = ? AND id = ? ORDER BY n DESC LIMIT 1`)
    this.#byCode = connection.prepare<[string], PaymentRow>(
      `SELECT ${paymentColumns} FROM codes JOIN payments ON seq = payment WHERE code = ?`
    )
    this.#code = connection.prepare('INSERT INTO codes (code, payment) VALUES (?, ?)')
    this.#bySeq = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE seq = ?`
    )
    this.#seqs = connection.prepare<
      [number, number, number | null, number | null],
      { seq: number }
    >(
      'SELECT seq FROM payments WHERE account = ? AND seq > ? AND (? IS NULL OR kind = ?) ' +
        'ORDER BY seq'
    )
    this.#parts = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE parent = ? ORDER BY seq`
    )
    this.#moves = connection.prepare<[number], MoveRow>(
      `SELECT ${moveColumns} FROM moves WHERE payment = ? ORDER BY n`
    )
    this.#due = connection.prepare<[number, number, number, number], PaymentRow & { due: number }>(`
      SELECT due, ${paymentColumns} FROM due_queue JOIN payments ON seq = subject
      WHERE due_queue.account = ? AND queue = ? AND due <= ? ORDER BY due, subject LIMIT ?`)
    this.#move = connection.prepare(
      'INSERT INTO moves (payment, n, at, status, failure, actor, cause, step, ' +
        'no_callback_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
    )
    this.#hold = connection.prepare(
      'INSERT INTO provider_queue (account, provider, operation, payment) VALUES (?, ?, ?, ?)'
    )
    this.#unhold = connection.prepare(
      'DELETE FROM provider_queue WHERE account = ? AND provider = ? AND operation = ? AND payment = ?'
    )
    this.#held = connection.prepare<[number, string, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM provider_queue JOIN payments ON seq = payment
      WHERE provider_queue.account = ? AND provider = ? AND operation = ? ORDER BY payment LIMIT ?`)
    // There is no index by number, because every payment would have to pay for it: only the latest
    // are looked through.
    this.#ofPhone = connection.prepare<[number, number, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments WHERE seq > (SELECT max(seq) FROM payments) - ? AND payments.account = ?
      AND json_extract(details, '$.phoneNumber') = ? ORDER BY seq DESC LIMIT ?`)
  }

  acceptPayment (
    key: Key,
    needs: FactsNeeded,
    decide: (facts: Facts) => Draft | Refusal
  ): Promise<Acceptance> {
    return this.#database.transact(() => {
      const draft = decide(this.#facts(key.account, needs))
      const payment = isRefusal(draft) ? undefined : this.#store(key.account, key.kind, draft)
      // Nearly every identifier is new, so only one that could not be stored is looked for; if it
      // was taken, nothing else counts.
      const first =
        payment === undefined
          ? this.#created.get(key.account, key.kind.ledgerCode, uuidToBytes(key.id))
          : undefined
      if (first !== undefined) return { outcome: 'DUPLICATE', created: first.created }
      for (const scenario of draft.usedScenarios ?? []) this.#uses.addUse(key.account, scenario)
      if (isRefusal(draft)) return { outcome: 'REFUSED', refusal: draft }
      return {
        outcome: 'ACCEPTED',
        payment: payment as AnyPayment,
        ...(draft.behaviour !== undefined && { behaviour: draft.behaviour })
      }
    })
  }

  async findPayment ({ account, kind, id }: Key, history = true): Promise<AnyPayment | undefined> {
    // What is read is read in one go with what others read, and made sense of afterwards.
    const found = await this.#database.transact(() => {
      const row = this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
      if (row === undefined || row.at === null) return row && { row, moves: [] }
      return { row, moves: history || !isFinal(row.status) ? this.#moves.all(row.seq) : [row] }
    })
    return found && readPayment(found.row, found.moves)
  }

  findByCode (code: string): Promise<AnyPayment | undefined> {
    return this.#database.transact(() => {
      const row = this.#byCode.get(code)
      return row && this.#payment(row)
    })
  }

  listPayments (
    account: number,
    { kind, after = 0, limit }: PaymentQuery,
    isWanted: (payment: AnyPayment) => boolean
  ): Promise<AnyPayment[]> {
    return this.#database.transact(() => {
      const wanted: AnyPayment[] = []
      for (const { seq } of this.#seqs.iterate(
        account,
        after,
        kind?.ledgerCode ?? null,
        kind?.ledgerCode ?? null
      )) {
        const payment = this.#payment(this.#bySeq.get(seq) as PaymentRow)
        if (isWanted(payment)) wanted.push(payment)
        if (wanted.length === limit) break
      }
      return wanted
    })
  }

  listParts (payment: AnyPayment): Promise<Payment[]> {
    return this.#database.transact(() => this.#partsOf(payment.seq))
  }

  listByPhone (account: number, phoneNumber: string, limit: number): Promise<Payment[]> {
    return this.#database.transact(() =>
      this.#ofPhone
        .all(rememberedPayments, account, phoneNumber, limit)
        .map((row) => this.#payment(row) as Payment)
    )
  }

  changePayment (
    key: Key,
    decide: (payment: AnyPayment, parts: Payment[]) => StateChange | Refusal,
    story: TransitionRules
  ): Promise<Refusal | undefined> {
    return this.#database.transact(() => {
      const payment = this.#get(key)
      if (payment === undefined) {
        return {
          code: 'NOT_FOUND',
          message: `there is no ${key.kind.name} ${key.id} on this account`
        }
      }
      const change = decide(payment, this.#ownParts(payment))
      if (isRefusal(change)) return change
      if (change.moves.length > 0 || change.plan !== undefined) this.#withdraw(payment)
      this.#apply(payment, change, story)
    })
  }

  moveDuePayments (
    account: number,
    now: number,
    limit: number,
    story: TransitionRules
  ): Promise<number> {
    return this.#database.transact(() => {
      const rows = this.#due.all(account, paymentQueue, now, limit)
      const last = rows.at(-1)
      if (last === undefined) return 0
      this.#dueQueue.dropUntil(account, paymentQueue, last.due, last.seq)
      for (const row of rows) {
        const payment = this.#payment(row)
        this.#apply(payment, story.apply(payment, this.#ownParts(payment)), story)
      }
      return rows.length
    })
  }

  releasePayments (
    account: number,
    provider: string,
    operation: Operation,
    limit: number,
    story: TransitionRules
  ): Promise<number> {
    return this.#database.transact(() => {
      const rows = this.#held.all(account, provider, operation, limit)
      for (const row of rows) {
        const payment = this.#payment(row) as Payment
        this.#withdraw(payment)
        this.#apply(payment, story.resume(payment), story)
      }
      return rows.length
    })
  }

  #facts (account: number, { deposit: id, wallet, payouts = [], codes = [] }: FactsNeeded): Facts {
    const deposit =
      id === undefined
        ? undefined
        : (this.#get({ account, kind: kinds.deposit, id }) as Payment | undefined)
    const freeCode = codes.find((code) => this.#byCode.get(code) === undefined)
    const { country, currency } = wallet ?? deposit?.details ?? {}
    return {
      ...(deposit !== undefined && { deposit }),
      refunds: deposit === undefined ? [] : this.#partsOf(deposit.seq),
      available:
        country === undefined || currency === undefined
          ? 0
          : this.#balances.readAvailable(account, country, currency),
      takenPayouts: payouts.filter(
        (id) => this.#created.get(account, kinds.payout.ledgerCode, uuidToBytes(id)) !== undefined
      ),
      used: (scenario) => this.#uses.readUses(account, scenario),
      ...(freeCode !== undefined && { freeCode })
    }
  }

  /** Writes a payment with its parts; nothing, if its identifier is taken. */
  #store (account: number, kind: Kind, draft: Draft): AnyPayment | undefined {
    const { generation, created, details, plan, postings, link, parent, children = [], due } = draft
    const { changes, lastInsertRowid } = this.#insert.run(
      account,
      kind.ledgerCode,
      uuidToBytes(details.id),
      parent ?? null,
      generation,
      created,
      JSON.stringify(details),
      JSON.stringify(plan)
    )
    if (changes === 0) return undefined
    const seq = Number(lastInsertRowid)
    this.#changes.notify(account)
    if (postings.length > 0) this.#balances.post(account, seq, created, postings)
    if (due !== undefined) this.#dueQueue.add(account, paymentQueue, due, seq)
    if (link !== undefined) this.#code.run(link, seq)
    if (plan.held !== undefined && 'provider' in details) {
      this.#hold.run(account, details.provider, kind.operation, seq)
    }
    this.#storeParts(account, seq, children)
    const payment = { seq, account, kind, generation, created, details, plan, moves: [] } as Omit<
      AnyPayment,
      'parent'
    > as AnyPayment
    if (parent !== undefined) payment.parent = parent
    return payment
  }

  #storeParts (account: number, parent: number, children: readonly Child[]): void {
    for (const { kind, draft } of children) {
      this.#store(account, kind, { ...draft, parent })
      for (const scenario of draft.usedScenarios ?? []) this.#uses.addUse(account, scenario)
    }
  }

  /**
   * State, history, money, parts and callback of a payment, written together; then what it belongs
   * to follows.
   */
  #apply (
    payment: AnyPayment,
    {
      moves,
      postings,
      callbacks: outgoingCallbacks = [],
      children = [],
      others = [],
      plan,
      due,
      usedScenarios: uses = [],
      at = payment.created
    }: StateChange,
    story: TransitionRules
  ): void {
    this.#changes.notify(payment.account)
    let n = payment.moves.length
    for (const { at, to, failure, by, cause, step, noCallbackReason } of moves) {
      this.#move.run(
        payment.seq,
        n++,
        at,
        to,
        failure === undefined ? null : JSON.stringify(failure),
        by,
        cause,
        step ?? null,
        noCallbackReason ?? null
      )
    }
    if (plan !== undefined) this.#replan.run(JSON.stringify(plan), payment.seq)
    for (const scenario of uses) this.#uses.addUse(payment.account, scenario)
    if (plan?.held !== undefined && 'provider' in payment.details) {
      this.#hold.run(payment.account, payment.details.provider, payment.kind.operation, payment.seq)
    }
    if (postings.length > 0) {
      this.#balances.post(payment.account, payment.seq, moves.at(-1)?.at ?? at, postings)
    }
    for (const outgoing of outgoingCallbacks) this.#outbox.addCallback(payment, outgoing)
    if (due !== undefined) this.#dueQueue.add(payment.account, paymentQueue, due, payment.seq)
    this.#storeParts(payment.account, payment.seq, children)
    for (const { payment: other, change } of others) {
      this.#apply(other, change, { ...story, follow: () => undefined })
    }
    if (payment.parent !== undefined && moves.length > 0) this.#follow(payment.parent, story)
  }

  #follow (seq: number, story: TransitionRules): void {
    const whole = this.#payment(this.#bySeq.get(seq) as PaymentRow)
    const change = story.follow(whole, this.#partsOf(seq))
    if (change === undefined) return
    if (change.moves.length > 0) this.#withdraw(whole)
    this.#apply(whole, change, story)
  }

  /**
   * Takes a payment out of the due queue and out of its provider's queue: what follows is decided anew.
   */
  #withdraw (payment: AnyPayment): void {
    for (const due of new Set([nextDue(payment), nextDue(payment, true)])) {
      if (due !== undefined) this.#dueQueue.drop(payment.account, paymentQueue, due, payment.seq)
    }
    if (payment.plan.held !== undefined && !isCheckout(payment)) {
      this.#unhold.run(
        payment.account,
        payment.details.provider,
        payment.kind.operation,
        payment.seq
      )
    }
  }

  #get ({ account, kind, id }: Key): AnyPayment | undefined {
    const row = this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
    return row && this.#payment(row)
  }

  /** The parts of a whole; none of a payment that stands for itself, whatever refers to it. */
  #ownParts ({ seq, kind }: AnyPayment): Payment[] {
    return kind.money === 'none' ? this.#partsOf(seq) : []
  }

  #partsOf (seq: number): Payment[] {
    return this.#parts.all(seq).map((row) => this.#payment(row) as Payment)
  }

  #payment (row: PaymentRow): AnyPayment {
    return readPayment(row, this.#moves.all(row.seq))
  }
}
