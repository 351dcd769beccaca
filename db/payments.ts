import { kindOfCode, type Kind, type Operation } from '../src/domain/kinds.ts'
import type { AnyPayment, Payment } from '../src/domain/payment.ts'
import type { Move, Plan } from '../src/domain/plan.ts'
import type { Draft, Key } from '../src/domain/ports.ts'
import { isFinal } from '../src/domain/status.ts'
import { uuidToBytes } from '../src/lib/ids.ts'
import type { Connection, FirstRead } from './connection.ts'
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
  'account',
  'kind',
  'id',
  'parent',
  'generation',
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
  readonly #insert
  readonly #insertMove
  readonly #insertCode
  readonly #updatePlan
  readonly #findCreated
  readonly #find
  readonly #findChange
  readonly #findByCode
  readonly #findBySeq
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
    this.#insert = connection.prepareInsert('payments', insertedColumns, { ifNew: true })
    this.#insertMove = connection.prepareInsert('moves', insertedMoveColumns)
    this.#insertCode = connection.prepareInsert('codes', ['code', 'payment'])
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
    this.#listByPhone = connection.prepare<[number, number, string, number], PaymentRow>(`
      SELECT ${paymentColumns} FROM payments WHERE seq IN (
        SELECT seq FROM payments ${ofAccount}
        WHERE account = ? ORDER BY seq DESC LIMIT ?)
      AND ${hasField}
      ORDER BY seq DESC LIMIT ?`)
  }

  /** Inserts a payment with the code of its link; undefined if its identifier is taken. */
  async insert (account: number, kind: Kind, draft: Draft): Promise<AnyPayment | undefined> {
    const { generation, created, details, plan, link, parent } = draft
    const seq = await this.#insert.add(
      account,
      kind.ledgerCode,
      uuidToBytes(details.id),
      parent ?? null,
      generation,
      created,
      JSON.stringify(details),
      JSON.stringify(plan)
    )
    if (seq === undefined) return undefined
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
  async findCreated (account: number, kind: Kind, id: string): Promise<number | undefined> {
    return (await this.#findCreated.get(account, kind.ledgerCode, uuidToBytes(id)))?.created
  }

  async find ({ account, kind, id }: Key): Promise<AnyPayment | undefined> {
    const row = await this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
    return row && (await this.read(row))
  }

  /** Returns the read that finds a payment. */
  describeFind ({ account, kind, id }: Key): FirstRead {
    return { statement: this.#find, parameters: [account, kind.ledgerCode, uuidToBytes(id)] }
  }

  /** Returns whether a payment has another version now, or does not exist any more. */
  async isChanged (seq: number, version: number): Promise<boolean> {
    return (await this.#findChange.get(version, seq)) !== undefined
  }

  /** Returns the read that tells whether a payment has another version. */
  describeChange (seq: number, version: number): FirstRead {
    return { statement: this.#findChange, parameters: [version, seq] }
  }

  /** Returns the rows of a payment, to be read outside the transaction. */
  async findRows (
    { account, kind, id }: Key,
    history: boolean
  ): Promise<{ row: PaymentRow; moves: MoveRow[] } | undefined> {
    const row = await this.#find.get(account, kind.ledgerCode, uuidToBytes(id))
    if (row === undefined || row.at === null) return row && { row, moves: [] }
    // The first move has the number 0.
    const isEnough = row.n === 0 || (!history && isFinal(row.status))
    return { row, moves: isEnough ? [row] : await this.#listMoves.all(row.seq) }
  }

  async findByCode (code: string): Promise<AnyPayment | undefined> {
    const row = await this.#findByCode.get(code)
    return row && (await this.read(row))
  }

  async isCodeTaken (code: string): Promise<boolean> {
    return (await this.#findByCode.get(code)) !== undefined
  }

  /** Finds a payment by its number. */
  async findBySeq (seq: number): Promise<AnyPayment | undefined> {
    const row = await this.#findBySeq.get(seq)
    return row && (await this.read(row))
  }

  /** Reads payments, and leaves out those that cannot be read: the invariants call reports them. */
  async readPage (rows: readonly PaymentRow[]): Promise<AnyPayment[]> {
    const moves = await Promise.all(rows.map(({ seq }) => this.#listMoves.all(seq)))
    return rows.flatMap((row, i) => {
      try {
        return [readPayment(row, moves[i])]
      } catch {
        return []
      }
    })
  }

  async listParts (seq: number): Promise<Payment[]> {
    return (await this.#readAll(await this.#listParts.all(seq))) as Payment[]
  }

  /** Returns the rows of the payments that are due in a queue, oldest first. */
  async listDueRows (
    account: number,
    queue: number,
    now: number,
    limit: number
  ): Promise<DueRow[]> {
    const rows = await this.#listDue.all(account, queue, now, limit)
    const last = rows.at(-1)
    if (last === undefined) return rows
    const moves = Map.groupBy(
      await this.#listDueMoves.all(account, queue, last.due, last.seq),
      ({ payment }) => payment
    )
    for (const row of rows) row.moves = moves.get(row.seq) ?? []
    return rows
  }

  /** Returns the providers and operations that payments wait for. */
  listWaitedFor (account: number): Promise<Array<{ provider: string; operation: Operation }>> {
    return this.#listWaitedFor.all(account)
  }

  /** Returns the rows of the payments that wait for a provider, oldest first. */
  listHeldRows (
    account: number,
    provider: string,
    operation: string,
    limit: number
  ): Promise<PaymentRow[]> {
    return this.#listHeld.all(account, provider, operation, limit)
  }

  async listByPhone (account: number, phoneNumber: string, limit: number): Promise<Payment[]> {
    const pattern = patternOfField({ phoneNumber })
    const rows = await this.#listByPhone.all(account, searchedByPhone, pattern, limit)
    return (await this.#readAll(rows)) as Payment[]
  }

  /** Returns the payment of a row, with its history. */
  async read (row: PaymentRow & Pick<DueRow, 'moves'>): Promise<AnyPayment> {
    // The parts of a payment change with it, and it with them: then the list may be old.
    const isSingle = row.parent === null && kindOfCode(row.kind).money !== 'none'
    const listed = isSingle ? row.moves : undefined
    return readPayment(row, listed ?? (await this.#listMoves.all(row.seq)))
  }

  #readAll (rows: readonly PaymentRow[]): Promise<AnyPayment[]> {
    return Promise.all(rows.map((row) => this.read(row)))
  }
}
