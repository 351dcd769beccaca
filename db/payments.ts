import { kindOfCode, kinds, type Kind, type Operation } from '../src/domain/kinds.ts'
import type { AnyPayment, Payment } from '../src/domain/payment.ts'
import type { Move, Plan } from '../src/domain/plan.ts'
import type { Draft, Key } from '../src/domain/ports.ts'
import { isFinal } from '../src/domain/status.ts'
import { uuidToBytes } from '../src/lib/ids.ts'
import type { Connection, FirstRead } from './connection.ts'
import { moveColumns, paymentColumns, readPayment } from './rows.ts'
import type { MoveRow, NoMove, PaymentRow } from './rows.ts'

/** Most payments of an account that are searched for a phone number: the latest ones. */
const searchedByPhone = 5000

/** Row of a payment with the time at which it is due. */
export interface DueRow extends PaymentRow {
  due: number
  /** Its moves when the list was made. */
  moves?: MoveRow[]
}

/** Payments of an account in the order of their numbers. */
export interface PaymentPage {
  payments: AnyPayment[]
  /** Number of payments on the page, also of those that cannot be read. */
  count: number
  /** Number of the last payment. */
  last: number | undefined
}

/** Row of a payment with its last move, and the number of that move. */
type FindRow = PaymentRow & (MoveRow | NoMove) & { n: number | null }

/** Rows of payments, their moves and the codes of their links. Called inside a transaction. */
export class PaymentRows {
  readonly #insert
  readonly #insertMove
  readonly #insertCode
  readonly #updatePlan
  readonly #findCreated
  readonly #find
  readonly #findChange
  readonly #findByCode
  readonly #findBySeq
  readonly #listAfter
  readonly #listBefore
  readonly #listParts
  readonly #listMoves
  readonly #listDue
  readonly #listDueMoves
  readonly #listWaitedFor
  readonly #listHeld
  readonly #listByPhone

  constructor (connection: Connection) {
    const ofAccount = connection.dialect.indexedBy('payments_of_account')
    const { paymentVersion } = connection.dialect
    const version = paymentVersion === undefined ? '' : `, ${paymentVersion} AS version`
    this.#insert = connection.prepare(`
      INSERT INTO payments (account, kind, id, parent, generation, created, details, plan)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
    this.#insertMove = connection.prepare(`
      INSERT INTO moves
        (payment, n, at, status, failure, actor, cause, step, no_callback_reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#insertCode = connection.prepare('INSERT INTO codes (code, payment) VALUES (?, ?)')
    this.#updatePlan = connection.prepare('UPDATE payments SET plan = ? WHERE seq = ?')
    this.#findCreated = connection.prepare<[number, number, Buffer], { created: number }>(
      'SELECT created FROM payments WHERE account = ? AND kind = ? AND id = ?'
    )
    // With the last move, because most callers need no more of the history.
    this.#find = connection.prepare<[number, number, Buffer], FindRow>(`
      SELECT ${paymentColumns}, n, ${moveColumns}${version}
      FROM payments LEFT JOIN moves ON payment = seq
      WHERE payments.account = ? AND kind = ? AND id = ? ORDER BY n DESC LIMIT 1`)
    // Nearly no payment has changed, and a row costs more than a parameter.
    this.#findChange = connection.prepare<[number, number], { changed: number }>(`
      SELECT 1 AS changed WHERE ? IS DISTINCT FROM (
        SELECT ${paymentVersion ?? 0} FROM payments LEFT JOIN moves ON payment = seq
        WHERE seq = ? ORDER BY n DESC LIMIT 1)`)
    this.#findByCode = connection.prepare<[string], PaymentRow>(
      `SELECT ${paymentColumns} FROM codes JOIN payments ON seq = payment WHERE code = ?`
    )
    this.#findBySeq = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE seq = ?`
    )
    this.#listAfter = connection.prepare<[number, number, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments ${ofAccount}
      WHERE account = ? AND seq > ? ORDER BY seq LIMIT ?`)
    this.#listBefore = connection.prepare<[number, number, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments ${ofAccount}
      WHERE account = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
    this.#listParts = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE parent = ? ORDER BY seq`
    )
    this.#listMoves = connection.prepare<[number], MoveRow>(
      `SELECT ${moveColumns} FROM moves WHERE payment = ? ORDER BY n`
    )
    this.#listDue = connection.prepare<[number, number, number, number], DueRow>(`
      SELECT due, ${paymentColumns} FROM due_queue JOIN payments ON seq = subject
      WHERE due_queue.account = ? AND queue = ? AND due <= ? ORDER BY due, subject LIMIT ?`)
    // One statement for all payments. With `collectPostings` it saves 8 µs for each.
    this.#listDueMoves = connection.prepare<
      [number, number, number, number],
      MoveRow & { payment: number }
    >(`
      SELECT payment, ${moveColumns} FROM due_queue JOIN moves ON payment = subject
      WHERE account = ? AND queue = ? AND (due, subject) <= (?, ?) ORDER BY payment, n`)
    this.#listWaitedFor = connection.prepare<[number], { provider: string; operation: Operation }>(
      'SELECT DISTINCT provider, operation FROM provider_queue WHERE account = ?'
    )
    this.#listHeld = connection.prepare<[number, string, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM provider_queue JOIN payments ON seq = payment
      WHERE provider_queue.account = ? AND provider = ? AND operation = ?
      ORDER BY payment LIMIT ?`)
    // An index by phone number would cost every payment; a search of the latest costs 2 ms.
    // Only a checkout has the phone number deeper in its details.
    this.#listByPhone = connection.prepare<[number, number, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments WHERE seq IN (
        SELECT seq FROM payments ${ofAccount}
        WHERE account = ? ORDER BY seq DESC LIMIT ?)
      AND kind <> ${kinds.checkout.ledgerCode} AND details LIKE ? ESCAPE '\\'
      ORDER BY seq DESC LIMIT ?`)
  }

  /** Inserts a payment with the code of its link; undefined if its identifier is taken. */
  insert (account: number, kind: Kind, draft: Draft): AnyPayment | undefined {
    const { generation, created, details, plan, link, parent } = draft
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
    if (link !== undefined) this.#insertCode.run(link, seq)
    const payment = { seq, account, kind, generation, created, details, plan, moves: [] } as Omit<
      AnyPayment,
      'parent'
    > as AnyPayment
    if (parent !== undefined) payment.parent = parent
    return payment
  }

  insertMoves ({ seq, moves: before }: AnyPayment, moves: readonly Move[]): void {
    let n = before.length
    for (const { at, to, failure, by, cause, step, noCallbackReason } of moves) {
      this.#insertMove.run(
        seq,
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
  }

  updatePlan ({ seq }: AnyPayment, plan: Plan): void {
    this.#updatePlan.run(JSON.stringify(plan), seq)
  }

  /** Returns the time at which a payment was created, or undefined for an unknown payment. */
  findCreated (account: number, kind: Kind, id: string): number | undefined {
    return this.#findCreated.get(account, kind.ledgerCode, uuidToBytes(id))?.created
  }

  find ({ account, kind, id }: Key): AnyPayment | undefined {
    const row = this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
    return row && this.read(row)
  }

  /** Returns the read that finds a payment. */
  describeFind ({ account, kind, id }: Key): FirstRead {
    return { statement: this.#find, parameters: [account, kind.ledgerCode, uuidToBytes(id)] }
  }

  /** Returns whether a payment has another version now, or does not exist any more. */
  isChanged (seq: number, version: number): boolean {
    return this.#findChange.get(version, seq) !== undefined
  }

  /** Returns the read that tells whether a payment has another version. */
  describeChange (seq: number, version: number): FirstRead {
    return { statement: this.#findChange, parameters: [version, seq] }
  }

  /** Returns the rows of a payment, to be read outside the transaction. */
  findRows (
    { account, kind, id }: Key,
    history: boolean
  ): { row: PaymentRow; moves: MoveRow[] } | undefined {
    const row = this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
    if (row === undefined || row.at === null) return row && { row, moves: [] }
    // The first move has the number 0.
    const isEnough = row.n === 0 || (!history && isFinal(row.status))
    return { row, moves: isEnough ? [row] : this.#listMoves.all(row.seq) }
  }

  findByCode (code: string): AnyPayment | undefined {
    const row = this.#findByCode.get(code)
    return row && this.read(row)
  }

  isCodeTaken (code: string): boolean {
    return this.#findByCode.get(code) !== undefined
  }

  /** Finds a payment by its number. */
  findBySeq (seq: number): AnyPayment | undefined {
    const row = this.#findBySeq.get(seq)
    return row && this.read(row)
  }

  /** Returns the payments of an account after a number, oldest first. */
  listAfter (account: number, after: number, limit: number): PaymentPage {
    return this.#readPage(this.#listAfter.all(account, after, limit))
  }

  /** Returns the payments of an account before a number, newest first. */
  listBefore (account: number, before: number, limit: number): PaymentPage {
    return this.#readPage(this.#listBefore.all(account, before, limit))
  }

  /** Leaves out payments that cannot be read: the invariants call reports them. */
  #readPage (rows: readonly PaymentRow[]): PaymentPage {
    const payments = rows.flatMap((row) => {
      // Outside of the try: a lost connection is no unreadable payment.
      const moves = this.#listMoves.all(row.seq)
      try {
        return [readPayment(row, moves)]
      } catch {
        return []
      }
    })
    return { payments, count: rows.length, last: rows.at(-1)?.seq }
  }

  /** Returns the payments of an account with these numbers, in this order. */
  listEach (account: number, seqs: readonly number[]): AnyPayment[] {
    return seqs.flatMap((seq) => {
      const row = this.#findBySeq.get(seq)
      return row === undefined || row.account !== account ? [] : [this.read(row)]
    })
  }

  listParts (seq: number): Payment[] {
    return this.#listParts.all(seq).map((row) => this.read(row) as Payment)
  }

  /** Returns the rows of the payments that are due in a queue, oldest first. */
  listDueRows (account: number, queue: number, now: number, limit: number): DueRow[] {
    const rows = this.#listDue.all(account, queue, now, limit)
    const last = rows.at(-1)
    if (last === undefined) return rows
    const moves = Map.groupBy(
      this.#listDueMoves.all(account, queue, last.due, last.seq),
      ({ payment }) => payment
    )
    for (const row of rows) row.moves = moves.get(row.seq) ?? []
    return rows
  }

  /** Returns the rows of the payments that wait for a provider, oldest first. */
  listWaitedFor (account: number): Array<{ provider: string; operation: Operation }> {
    return this.#listWaitedFor.all(account)
  }

  listHeldRows (account: number, provider: string, operation: string, limit: number): PaymentRow[] {
    return this.#listHeld.all(account, provider, operation, limit)
  }

  listByPhone (account: number, phoneNumber: string, limit: number): Payment[] {
    return this.#listByPhone
      .all(account, searchedByPhone, patternOf({ phoneNumber }), limit)
      .map((row) => this.read(row) as Payment)
  }

  /** Returns the payment of a row, with its history. */
  read (row: PaymentRow & Pick<DueRow, 'moves'>): AnyPayment {
    // The parts of a payment change with it, and it with them: then the list may be old.
    const isSingle = row.parent === null && kindOfCode(row.kind).money !== 'none'
    const listed = isSingle ? row.moves : undefined
    return readPayment(row, listed ?? this.#listMoves.all(row.seq))
  }
}

/** Returns the pattern of LIKE for a field at the first level of an object in JSON. */
function patternOf (field: Record<string, string>): string {
  const text = JSON.stringify(field).slice(1, -1)
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
