import type { Audit, AuditedPayment } from '../src/ports/account-tables.ts'
import type { PostedEntry, WalletEvidence } from '../src/domain/invariants.ts'
import { kindOfCode } from '../src/domain/kinds.ts'
import type { Version } from '../src/domain/api-version.ts'
import type { Statement } from './connection.ts'
import type { Database } from './database.ts'
import { bytesToUuid } from '../src/lib/ids.ts'
import { moveColumns, readMove, type MoveRow } from './rows.ts'

interface PaymentRow {
  seq: number
  kind: number
  id: Buffer
  parent: number | null
  version: Version
  created: number
  details: string
  plan: string
}

interface CallbackRow {
  ledger: number
  body: string
}

/** Row that belongs to a payment. */
type OfPayment<Row> = Row & { payment: number }

/** Rows that belong to one payment. */
interface RowsOfPayment {
  moves: Array<MoveRow & { n: number }>
  entries: PostedEntry[]
  callbacks: Array<{ account: number; body: string }>
}

/** Payments whose rows one statement reads. */
const listed = 100

/** Reads a whole account for an auditor, in pages, by kind and identifier. */
export class SqlAudit implements Audit {
  readonly #database: Database
  readonly #payments
  readonly #moves
  readonly #entries
  readonly #callbacks

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#payments = connection.prepare<[number, number, Buffer, number], PaymentRow>(`
      SELECT seq, kind, id, parent, version, created, details, plan FROM payments
      WHERE ledger = ? AND (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?`)
    const among = `payment IN (${Array(listed).fill('?').join(', ')})`
    this.#moves = connection.prepare<number[], OfPayment<MoveRow & { n: number }>>(
      `SELECT payment, n, ${moveColumns} FROM moves WHERE ${among} ORDER BY payment, n`
    )
    this.#entries = connection.prepare<number[], OfPayment<PostedEntry>>(
      `SELECT payment, seq, wallet, book, amount FROM entries WHERE ${among} ORDER BY seq`
    )
    this.#callbacks = connection.prepare<number[], OfPayment<CallbackRow>>(
      `SELECT payment, ledger, body FROM callbacks WHERE ${among} ORDER BY seq`
    )
  }

  readWallets (
    account: number
  ): Promise<{ wallets: WalletEvidence[]; openings: PostedEntry[]; lastEntry: number }> {
    const { connection } = this.#database
    return this.#database.read(account, async () => ({
      wallets: await connection
        .prepare<[number], WalletEvidence>(
          'SELECT id, country, currency, available, reserved FROM wallets WHERE ledger = ' +
            '? ORDER BY id'
        )
        .all(this.#database.ledgerOf(account)),
      openings: await connection
        .prepare<[number], PostedEntry>(
          'SELECT seq, wallet, book, amount FROM entries WHERE payment IS NULL AND wallet ' +
            'IN (SELECT id FROM wallets WHERE ledger = ?)'
        )
        .all(this.#database.ledgerOf(account)),
      lastEntry:
        (await connection
          .prepare<[], number | null>('SELECT max(seq) FROM entries')
          .pluck()
          .get()) ?? 0
    }))
  }

  readPage (
    account: number,
    after: string | undefined,
    limit: number
  ): Promise<{ rows: AuditedPayment[]; next?: string }> {
    const [kind, id] = after?.split('/') ?? ['-1', '']
    const read = async (): Promise<{ rows: AuditedPayment[]; next?: string }> => {
      const ledger = this.#database.ledgerOf(account)
      const rows = await this.#payments.all(ledger, Number(kind), Buffer.from(id, 'hex'), limit)
      const last = rows.at(-1)
      const numbers = rows.map(({ seq }) => seq)
      const [moves, entries, callbacks] = await Promise.all([
        readEach(this.#moves, numbers),
        readEach(this.#entries, numbers),
        readEach(this.#callbacks, numbers)
      ])
      return {
        rows: rows.map((row) =>
          auditPayment(account, row, {
            moves: moves.get(row.seq) ?? [],
            entries: entries.get(row.seq) ?? [],
            // One of another account must be found.
            callbacks: (callbacks.get(row.seq) ?? []).map(({ ledger, body }) => ({
              account: this.#database.accountOf(ledger) ?? 0,
              body
            }))
          })
        ),
        ...(last !== undefined &&
          rows.length === limit && { next: `${last.kind}/${last.id.toString('hex')}` })
      }
    }
    return this.#database.read(account, read)
  }
}

/** Returns a payment with the rows that belong to it, or why it cannot be read. */
function auditPayment (
  account: number,
  row: PaymentRow,
  { moves, entries, callbacks }: RowsOfPayment
): AuditedPayment {
  const key = bytesToUuid(row.id)
  try {
    const kind = kindOfCode(row.kind)
    return {
      what: `${kind.name} ${key}`,
      evidence: {
        payment: {
          seq: row.seq,
          account,
          kind,
          version: row.version,
          created: row.created,
          details: JSON.parse(row.details),
          plan: JSON.parse(row.plan),
          moves: moves.map(readMove),
          ...(row.parent !== null && { parent: row.parent })
        },
        key,
        numbers: moves.map(({ n }) => n),
        entries,
        callbacks: callbacks.map(({ account, body }) => ({ account, status: readStatus(body) }))
      }
    }
  } catch (error) {
    return { what: `payment ${key}`, unreadable: (error as Error).message }
  }
}

/** Reads the rows of payments, by payment: a round trip for each payment would take too long. */
async function readEach<Row> (
  statement: Statement<number[], OfPayment<Row>>,
  payments: readonly number[]
): Promise<Map<number, Array<OfPayment<Row>>>> {
  const rows: Array<OfPayment<Row>> = []
  for (let start = 0; start < payments.length; start += listed) {
    const part = payments.slice(start, start + listed)
    // No payment has the number 0.
    rows.push(...(await statement.all(...part, ...Array<number>(listed - part.length).fill(0))))
  }
  return Map.groupBy(rows, ({ payment }) => payment)
}

/** Returns the status in the body of a callback, or null. */
function readStatus (body: string): string | null {
  try {
    const { status = null } = JSON.parse(body) ?? {}
    return status === null ? null : String(status)
  } catch {
    return null
  }
}
