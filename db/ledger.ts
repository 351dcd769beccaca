import { kindOf } from '../src/domain/kinds.ts'
import type { Generation, Move, Payment, Status } from '../src/domain/payment.ts'
import type { Acceptance, Draft, Happening, Key, Ledger } from '../src/domain/ports.ts'
import { paymentLane } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { isRefusal } from '../src/domain/rules.ts'
import type { SqliteAgenda } from './agenda.ts'
import type { Books } from './books.ts'
import type { Database } from './database.ts'
import type { SqliteOutbox } from './outbox.ts'

interface PaymentRow {
  seq: number
  account: number
  kind: number
  generation: Generation
  created: number
  details: string
  plan: string
}

interface MoveRow {
  at: number
  status: Status
  failure: string | null
  cause: string
  step: number | null
}

/** Payments, their history and their money in SQLite. */
export class SqliteLedger implements Ledger {
  readonly #database: Database
  readonly #agenda: SqliteAgenda
  readonly #books: Books
  readonly #outbox: SqliteOutbox
  readonly #insert
  readonly #created
  readonly #find
  readonly #moves
  readonly #due
  readonly #move

  constructor (database: Database, agenda: SqliteAgenda, books: Books, outbox: SqliteOutbox) {
    const { connection } = database
    this.#database = database
    this.#agenda = agenda
    this.#books = books
    this.#outbox = outbox
    this.#insert = connection.prepare('INSERT INTO payments (account, kind, id, generation, created, details, plan) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
    this.#created = connection.prepare<[number, number, Buffer], { created: number }>('SELECT created FROM payments WHERE account = ? AND kind = ? AND id = ?')
    this.#find = connection.prepare<[number, number, Buffer], PaymentRow>('SELECT seq, account, kind, generation, created, details, plan FROM payments WHERE account = ? AND kind = ? AND id = ?')
    this.#moves = connection.prepare<[number], MoveRow>('SELECT at, status, failure, cause, step FROM moves WHERE payment = ? ORDER BY n')
    this.#due = connection.prepare<[number, number, number, number], PaymentRow & { due: number }>(`
      SELECT due, seq, payments.account, kind, generation, created, details, plan
      FROM agenda JOIN payments ON seq = subject
      WHERE agenda.account = ? AND lane = ? AND due <= ? ORDER BY due, subject LIMIT ?`)
    this.#move = connection.prepare('INSERT INTO moves (payment, n, at, status, failure, cause, step) VALUES (?, ?, ?, ?, ?, ?, ?)')
  }

  accept (key: Key, decide: () => Draft | Refusal): Promise<Acceptance> {
    return this.#database.transact(() => this.#accept(key, decide))
  }

  find (key: Key): Promise<Payment | undefined> {
    return this.#database.transact(() => {
      const row = this.#find.get(key.account, key.kind.code, bytes(key.id))
      return row && this.#payment(row)
    })
  }

  sweep (account: number, now: number, limit: number, happen: (payment: Payment) => Happening): Promise<number> {
    return this.#database.transact(() => {
      const rows = this.#due.all(account, paymentLane, now, limit)
      const last = rows.at(-1)
      if (last === undefined) return 0
      this.#agenda.dropUntil(account, paymentLane, last.due, last.seq)
      for (const row of rows) {
        const payment = this.#payment(row)
        this.#apply(payment, happen(payment))
      }
      return rows.length
    })
  }

  #accept ({ account, kind, id }: Key, decide: () => Draft | Refusal): Acceptance {
    const key = bytes(id)
    const first = this.#created.get(account, kind.code, key)
    if (first !== undefined) return { outcome: 'DUPLICATE', created: first.created }
    const draft = decide()
    if (isRefusal(draft)) return { outcome: 'REFUSED', refusal: draft }
    const { generation, created, details, plan, postings, due } = draft
    const seq = Number(this.#insert.run(account, kind.code, key, generation, created, JSON.stringify(details), JSON.stringify(plan)).lastInsertRowid)
    if (postings.length > 0) this.#books.post(account, seq, created, postings)
    if (due !== undefined) this.#agenda.add(account, paymentLane, due, seq)
    return { outcome: 'ACCEPTED', payment: { seq, account, kind, generation, created, details, plan, moves: [] } }
  }

  /** State, history, money and callback of a payment, written together. */
  #apply (payment: Payment, { moves, postings, letter, due }: Happening): void {
    let n = payment.moves.length
    for (const { at, to, failure, cause, step } of moves) {
      this.#move.run(payment.seq, n++, at, to, failure === undefined ? null : JSON.stringify(failure), cause, step ?? null)
    }
    if (postings.length > 0) this.#books.post(payment.account, payment.seq, moves[moves.length - 1].at, postings)
    if (letter !== undefined) this.#outbox.put(payment, letter)
    if (due !== undefined) this.#agenda.add(payment.account, paymentLane, due, payment.seq)
  }

  #payment (row: PaymentRow): Payment {
    return {
      seq: row.seq,
      account: row.account,
      kind: kindOf(row.kind),
      generation: row.generation,
      created: row.created,
      details: JSON.parse(row.details),
      plan: JSON.parse(row.plan),
      moves: this.#moves.all(row.seq).map(move)
    }
  }
}

function move ({ at, status, failure, cause, step }: MoveRow): Move {
  return { at, to: status, cause, ...(failure !== null && { failure: JSON.parse(failure) }), ...(step !== null && { step }) }
}

/** A UUID as sixteen bytes: half the index, and upper and lower case are the same identifier. */
function bytes (id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
