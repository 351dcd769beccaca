import type { Audit, AuditedPayment } from '../src/domain/account-tables.ts'
import type { PostedEntry, WalletEvidence } from '../src/domain/invariants.ts'
import { kindOfCode } from '../src/domain/kinds.ts'
import type { Generation } from '../src/domain/api-version.ts'
import type { Database } from './database.ts'
import { bytesToUuid } from '../src/lib/ids.ts'
import { moveColumns, readMove, type MoveRow } from './rows.ts'

interface PaymentRow {
  seq: number
  account: number
  kind: number
  id: Buffer
  parent: number | null
  generation: Generation
  created: number
  details: string
  plan: string
}

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
      SELECT seq, account, kind, id, parent, generation, created, details, plan FROM payments
      WHERE account = ? AND (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?`)
    this.#moves = connection.prepare<[number], MoveRow & { n: number }>(
      `SELECT n, ${moveColumns} FROM moves WHERE payment = ? ORDER BY n`
    )
    this.#entries = connection.prepare<[number], PostedEntry>(
      'SELECT seq, wallet, book, amount FROM entries WHERE payment = ? ORDER BY seq'
    )
    this.#callbacks = connection.prepare<[number], { account: number; body: string }>(
      'SELECT account, body FROM callbacks WHERE payment = ?'
    )
  }

  readWallets (
    account: number
  ): Promise<{ wallets: WalletEvidence[]; openings: PostedEntry[]; lastEntry: number }> {
    const read = (): { wallets: WalletEvidence[]; openings: PostedEntry[]; lastEntry: number } => {
      const { connection } = this.#database
      return {
        wallets: connection
          .prepare<[number], WalletEvidence>(
            'SELECT id, country, currency, available, reserved FROM wallets WHERE account = ' +
              '? ORDER BY id'
          )
          .all(account),
        openings: connection
          .prepare<[number], PostedEntry>(
            'SELECT seq, wallet, book, amount FROM entries WHERE payment IS NULL AND wallet ' +
              'IN (SELECT id FROM wallets WHERE account = ?)'
          )
          .all(account),
        lastEntry:
          connection
            .prepare<[], { last: number | null }>('SELECT max(seq) AS last FROM entries')
            .get()?.last ?? 0
      }
    }
    // Claimed, so that no other server has entries with earlier numbers that nobody sees yet.
    return this.#database.transactFor(account, read, { claims: true })
  }

  readPage (
    account: number,
    after: string | undefined,
    limit: number
  ): Promise<{ rows: AuditedPayment[]; next?: string }> {
    const [kind, id] = after?.split('/') ?? ['-1', '']
    const read = (): { rows: AuditedPayment[]; next?: string } => {
      const rows = this.#payments.all(account, Number(kind), Buffer.from(id, 'hex'), limit)
      const last = rows.at(-1)
      return {
        rows: rows.map((row) => this.#audited(row)),
        ...(last !== undefined &&
          rows.length === limit && { next: `${last.kind}/${last.id.toString('hex')}` })
      }
    }
    return this.#database.transactFor(account, read, { isRead: true })
  }

  #audited (row: PaymentRow): AuditedPayment {
    const key = bytesToUuid(row.id)
    try {
      const kind = kindOfCode(row.kind)
      const moves = this.#moves.all(row.seq)
      return {
        what: `${kind.name} ${key}`,
        evidence: {
          payment: {
            seq: row.seq,
            account: row.account,
            kind,
            generation: row.generation,
            created: row.created,
            details: JSON.parse(row.details),
            plan: JSON.parse(row.plan),
            moves: moves.map(readMove),
            ...(row.parent !== null && { parent: row.parent })
          },
          key,
          numbers: moves.map(({ n }) => n),
          entries: this.#entries.all(row.seq),
          callbacks: this.#callbacks
            .all(row.seq)
            .map(({ account, body }) => ({ account, status: readStatus(body) }))
        }
      }
    } catch (error) {
      return { what: `payment ${key}`, unreadable: (error as Error).message }
    }
  }
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
