import { kindOfCode, type Kind, type Operation } from '../src/domain/kinds.ts'
import type { AnyPayment, Payment } from '../src/domain/payment.ts'
import type { Move, Plan } from '../src/domain/plan.ts'
import type { Draft, Key } from '../src/ports/ledger.ts'
import { isFinal } from '../src/domain/status.ts'
import { uuidToBytes } from '../src/lib/ids.ts'
import type { FirstRead } from './connection.ts'
import type { Database } from './database.ts'
import { hasField, moveColumns, patternOfField, paymentColumns, readPayment } from './rows.ts'
import type { MoveRow, NoMove, PaymentRow } from './rows.ts'

/** Most payments of an account that are searched for a phone number: the latest ones. */
const searchedByPhone = 5000

/** Row of a payment with the time at which it is due. */
export interface DueRow extends PaymentRow {
  due: number
  /** Its moves when the list was made. */
  moves?: MoveRow[]
}

const insertedColumns = [
  'ledger',
  'kind',
  'id',
  'parent',
  'version',
  'created',
  'details',
  'plan'
]
const insertedMoveColumns = [
  'payment',
  'n',
  'at',
  'status',
  'failure',
  'actor',
  'cause',
  'step',
  'no_callback_reason'
]

/** Row of a payment with its last move, and the number of that move. */
type FindRow = PaymentRow & (MoveRow | NoMove) & { n: number | null }

/** Rows of payments, their moves and the codes of their links. Called inside a transaction. */
export class PaymentRows {
  readonly #database: Database
  readonly #insert
  readonly #insertMove
  readonly #insertCode
  readonly #updatePlan
  readonly #findCreated
  readonly #find
  readonly #findByCode
  readonly #findBySeq
  readonly #listParts
  readonly #listMoves
  readonly #listDue
  readonly #listDueMoves
  readonly #listWaitedFor
  readonly #listHeld
  readonly #listByPhone

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    const ofLedger = connection.dialect.indexedBy('payments_of_ledger')
    this.#insert = connection.prepareInsert('payments', insertedColumns, { ifNew: true })
    this.#insertMove = connection.prepareInsert('moves', insertedMoveColumns)
    this.#insertCode = connection.prepareInsert('codes', ['code', 'payment'])
    this.#updatePlan = connection.prepare('UPDATE payments SET plan = ? WHERE seq = ?')
    this.#findCreated = connection.prepare<[number, number, Buffer], { created: number }>(
      'SELECT created FROM payments WHERE ledger = ? AND kind = ? AND id = ?'
    )
    // With the last move, because most callers need no more of the history.
    this.#find = connection.prepare<[number, number, Buffer], FindRow>(`
      SELECT ${paymentColumns}, n, ${moveColumns}
      FROM payments LEFT JOIN moves ON payment = seq
      WHERE ledger = ? AND kind = ? AND id = ? ORDER BY n DESC LIMIT 1`)
    this.#findByCode = connection.prepare<[string], PaymentRow & { account: number }>(`
      SELECT ${paymentColumns}, accounts.id AS account FROM codes JOIN payments ON seq = payment
      JOIN accounts ON accounts.ledger = payments.ledger WHERE code = ?`)
    this.#findBySeq = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE seq = ?`
    )
    this.#listParts = connection.prepare<[number], PaymentRow>(
      `SELECT ${paymentColumns} FROM payments WHERE parent = ? ORDER BY seq`
    )
    this.#listMoves = connection.prepare<[number], MoveRow>(
      `SELECT ${moveColumns} FROM moves WHERE payment = ? ORDER BY n`
    )
    this.#listDue = connection.prepare<[number, number, number, number], DueRow>(`
      SELECT due, ${paymentColumns} FROM due_queue JOIN payments ON seq = subject
      WHERE due_queue.ledger = ? AND queue = ? AND due <= ? ORDER BY due, subject LIMIT ?`)
    // One statement for all payments. With `collectPostings` it saves 8 µs for each.
    this.#listDueMoves = connection.prepare<
      [number, number, number, number],
      MoveRow & { payment: number }
    >(`
      SELECT payment, ${moveColumns} FROM due_queue JOIN moves ON payment = subject
      WHERE ledger = ? AND queue = ? AND (due, subject) <= (?, ?) ORDER BY payment, n`)
    this.#listWaitedFor = connection.prepare<[number], { provider: string; operation: Operation }>(
      'SELECT DISTINCT provider, operation FROM provider_queue WHERE ledger = ?'
    )
    this.#listHeld = connection.prepare<[number, string, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM provider_queue JOIN payments ON seq = payment
      WHERE provider_queue.ledger = ? AND provider = ? AND operation = ?
      ORDER BY payment LIMIT ?`)
    // An index by phone number would cost every payment; a search of the latest costs 2 ms.
    this.#listByPhone = connection.prepare<[number, number, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments WHERE seq IN (
        SELECT seq FROM payments ${ofLedger}
        WHERE ledger = ? ORDER BY seq DESC LIMIT ?)
      AND ${hasField}
      ORDER BY seq DESC LIMIT ?`)
  }

  /** Inserts a payment with the code of its link; undefined if its identifier is taken. */
  async insert (account: number, kind: Kind, draft: Draft): Promise<AnyPayment | undefined> {
    const { version, created, details, plan, link, parent } = draft
    const seq = await this.#insert.add(
      this.#database.ledgerOf(account),
      kind.ledgerCode,
      uuidToBytes(details.id),
      parent ?? null,
      version,
      created,
      JSON.stringify(details),
      JSON.stringify(plan)
    )
    if (seq === undefined) return undefined
    if (link !== undefined) this.#insertCode.run(link, seq)
    const payment = { seq, account, kind, version, created, details, plan, moves: [] } as Omit<
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
  async findCreated (account: number, kind: Kind, id: string): Promise<number | undefined> {
    return (
      await this.#findCreated.get(
        this.#database.ledgerOf(account),
        kind.ledgerCode,
        uuidToBytes(id)
      )
    )?.created
  }

  async find (key: Key): Promise<AnyPayment | undefined> {
    const row = await this.#find.get(...this.#keyOf(key))
    return row && (await this.read(key.account, row))
  }

  #keyOf ({ account, kind, id }: Key): [ledger: number, kind: number, id: Buffer] {
    return [this.#database.ledgerOf(account), kind.ledgerCode, uuidToBytes(id)]
  }

  /** Returns the read that finds a payment. */
  describeFind (key: Key): FirstRead {
    return { statement: this.#find, parameters: this.#keyOf(key) }
  }

  /** Returns the rows of a payment, to be read outside the transaction. */
  async findRows (
    key: Key,
    history: boolean
  ): Promise<{ row: PaymentRow; moves: MoveRow[] } | undefined> {
    const row = await this.#find.get(...this.#keyOf(key))
    if (row === undefined || row.at === null) return row && { row, moves: [] }
    // The first move has the number 0.
    const isEnough = row.n === 0 || (!history && isFinal(row.status))
    return { row, moves: isEnough ? [row] : await this.#listMoves.all(row.seq) }
  }

  async findByCode (code: string): Promise<AnyPayment | undefined> {
    const row = await this.#findByCode.get(code)
    return row && (await this.read(row.account, row))
  }

  async isCodeTaken (code: string): Promise<boolean> {
    return (await this.#findByCode.get(code)) !== undefined
  }

  /** Finds a payment of an account by its number. */
  async findBySeq (account: number, seq: number): Promise<AnyPayment | undefined> {
    const row = await this.#findBySeq.get(seq)
    return row && (await this.read(account, row))
  }

  /** Reads payments, and leaves out those that cannot be read: the invariants call reports them. */
  async readPage (account: number, rows: readonly PaymentRow[]): Promise<AnyPayment[]> {
    const moves = await Promise.all(rows.map(({ seq }) => this.#listMoves.all(seq)))
    return rows.flatMap((row, i) => {
      try {
        return [readPayment(account, row, moves[i])]
      } catch {
        return []
      }
    })
  }

  async listParts ({ account, seq }: Pick<AnyPayment, 'account' | 'seq'>): Promise<Payment[]> {
    return (await this.#readAll(account, await this.#listParts.all(seq))) as Payment[]
  }

  /** Returns the rows of the payments that are due in a queue, oldest first. */
  async listDueRows (
    account: number,
    queue: number,
    now: number,
    limit: number
  ): Promise<DueRow[]> {
    const ledger = this.#database.ledgerOf(account)
    const rows = await this.#listDue.all(ledger, queue, now, limit)
    const last = rows.at(-1)
    if (last === undefined) return rows
    const moves = Map.groupBy(
      await this.#listDueMoves.all(ledger, queue, last.due, last.seq),
      ({ payment }) => payment
    )
    for (const row of rows) row.moves = moves.get(row.seq) ?? []
    return rows
  }

  /** Returns the providers and operations that payments wait for. */
  listWaitedFor (account: number): Promise<Array<{ provider: string; operation: Operation }>> {
    return this.#listWaitedFor.all(this.#database.ledgerOf(account))
  }

  /** Returns the rows of the payments that wait for a provider, oldest first. */
  listHeldRows (
    account: number,
    provider: string,
    operation: string,
    limit: number
  ): Promise<PaymentRow[]> {
    return this.#listHeld.all(this.#database.ledgerOf(account), provider, operation, limit)
  }

  async listByPhone (account: number, phoneNumber: string, limit: number): Promise<Payment[]> {
    const pattern = patternOfField({ phoneNumber })
    const ledger = this.#database.ledgerOf(account)
    const rows = await this.#listByPhone.all(ledger, searchedByPhone, pattern, limit)
    return (await this.#readAll(account, rows)) as Payment[]
  }

  /** Returns the payment of a row, with its history. */
  async read (
    account: number,
    row: PaymentRow & Pick<DueRow, 'moves'>
  ): Promise<AnyPayment> {
    // The parts of a payment change with it, and it with them: then the list may be old.
    const isSingle = row.parent === null && kindOfCode(row.kind).money !== 'none'
    const listed = isSingle ? row.moves : undefined
    return readPayment(account, row, listed ?? (await this.#listMoves.all(row.seq)))
  }

  #readAll (account: number, rows: readonly PaymentRow[]): Promise<AnyPayment[]> {
    return Promise.all(rows.map((row) => this.read(account, row)))
  }
}
