import { kindOfCode } from '../src/domain/kinds.ts'
import type { AnyDetails, AnyPayment } from '../src/domain/payment.ts'
import type {
  PaymentScan,
  ScannedPage,
  ScannedPayment,
  ScanPage
} from '../src/domain/payment-scan.ts'
import type { Database } from './database.ts'
import { joinLastMove, readStatus, statusColumns, type StatusRow } from './payment-status.ts'
import { PaymentRows } from './payments.ts'
import type { PaymentRow } from './rows.ts'

/** Row of a payment with its last move. */
type ScanRow = StatusRow & Pick<PaymentRow, 'seq' | 'generation' | 'details'>

/** Reads payments for a search. */
export class SqlPaymentScan implements PaymentScan {
  readonly #database: Database
  readonly #payments: PaymentRows
  readonly #before
  readonly #after
  readonly #one

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#payments = new PaymentRows(connection)
    const select = `SELECT seq, generation, details, ${statusColumns}
      FROM payments ${connection.dialect.indexedBy('payments_of_account')} ${joinLastMove}`
    this.#before = connection.prepare<[number, number, number], ScanRow>(`
      ${select} WHERE payments.account = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
    this.#after = connection.prepare<[number, number, number], ScanRow>(`
      ${select} WHERE payments.account = ? AND seq > ? ORDER BY seq LIMIT ?`)
    this.#one = connection.prepare<[number, number], ScanRow>(`
      ${select} WHERE payments.account = ? AND seq = ?`)
  }

  countReplacements (account: number): number {
    return this.#database.replacements.count(account)
  }

  scanBefore (account: number, before: number, page: ScanPage): Promise<ScannedPage> {
    return this.#scanPage(account, page, () => this.#before.all(account, before, page.limit))
  }

  scanAfter (account: number, after: number, page: ScanPage): Promise<ScannedPage> {
    return this.#scanPage(account, page, () => this.#after.all(account, after, page.limit))
  }

  async scanEach (account: number, seqs: number[], now: number): Promise<ScannedPayment[]> {
    const rows = await this.#database.transactFor(account, () =>
      seqs.flatMap((seq) => this.#one.get(account, seq) ?? [])
    )
    return readRows(rows, now)
  }

  readEach (account: number, seqs: readonly number[]): Promise<AnyPayment[]> {
    return this.#database.transactFor(account, () => this.#payments.listEach(account, seqs))
  }

  async #scanPage (
    account: number,
    { limit, now }: ScanPage,
    list: () => ScanRow[]
  ): Promise<ScannedPage> {
    const rows = await this.#database.transactFor(account, list)
    const next = rows.length === limit ? rows.at(-1)?.seq : undefined
    return { payments: readRows(rows, now), ...(next !== undefined && { next }) }
  }
}

/** Reads rows outside of the transaction, which others share. */
function readRows (rows: readonly ScanRow[], now: number): ScannedPayment[] {
  return rows.flatMap((row) => {
    try {
      return [readRow(row, now)]
    } catch {
      // The invariants call reports a payment that cannot be read.
      return []
    }
  })
}

function readRow (row: ScanRow, now: number): ScannedPayment {
  const { seq, generation, created } = row
  const details = JSON.parse(row.details) as AnyDetails
  const { id, clientReferenceId, metadata = [] } = details
  const references = metadata.map(({ value }) => String(value).toLowerCase())
  if (clientReferenceId !== undefined) references.push(clientReferenceId.toLowerCase())
  return {
    seq,
    kind: kindOfCode(row.kind),
    generation,
    created,
    id: id.toLowerCase(),
    ...('amount' in details && { provider: details.provider, phoneNumber: details.phoneNumber }),
    references,
    ...readStatus(row, now)
  }
}
