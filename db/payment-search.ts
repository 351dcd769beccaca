import { kindOfCode, type KindName } from '../src/domain/kinds.ts'
import { stateAt, type AnyPayment } from '../src/domain/payment.ts'
import { matchesFilter, type PaymentFilter } from '../src/domain/payment-filter.ts'
import type {
  FoundPayments,
  PaymentQuery,
  SearchOptions,
  StatusCounts
} from '../src/ports/ledger.ts'
import { isFinal, type Status } from '../src/domain/status.ts'
import { stopwatch } from '../src/lib/clock.ts'
import type { Database } from './database.ts'
import {
  finalStatuses,
  joinLastMove,
  readStatus,
  statusColumns,
  type StatusRow
} from './payment-status.ts'
import type { PaymentRows } from './payments.ts'
import { hasField, patternOf, patternOfField, paymentColumns, type PaymentRow } from './rows.ts'

/** Payments that are read in one turn of the event loop: about 5 ms. */
const mostRead = 250
/** Payments whose plans one statement reads. */
const listed = 100
/** Payments that are searched in one turn: as many as a few milliseconds allow. */
const leastSearched = 500
const mostSearched = 20_000
const shortMs = 3
const longMs = 10

/** Condition in SQL, with its parameters. That of a text or a status may accept too much. */
interface Condition {
  sql: string
  parameters: unknown[]
}

type CountedRow = [seq: number, kind: number, status: Status | null]

const hasText = "lower(details) LIKE ? ESCAPE '!'"

/** Status of the last move of a payment. */
const lastStatus = '(SELECT status FROM moves WHERE payment = seq ORDER BY n DESC LIMIT 1)'

/** Payments of an account after a number, up to another one. */
interface Slice {
  after: number
  /** Number of its last payment; undefined if it has all that are left. */
  end: number | undefined
}

/**
 * Lists and counts the payments of an account. SQL finds those that may match a filter, in slices
 * between which other work is done; the whole filter is a function. Nothing is kept in memory: a
 * search of 20,000 payments takes 10 to 60 ms.
 */
export class PaymentSearch {
  readonly #database: Database
  readonly #payments: PaymentRows
  readonly #others
  readonly #endOfSlice: Record<'ASC' | 'DESC', ReturnType<PaymentSearch['prepareEnd']>>

  constructor (database: Database, payments: PaymentRows) {
    this.#database = database
    this.#payments = payments
    this.#others = database.connection.prepare<number[], StatusRow>(
      `SELECT ${statusColumns} FROM payments ${joinLastMove}
      WHERE seq IN (${Array(listed).fill('?').join(', ')})`
    )
    this.#endOfSlice = { ASC: this.prepareEnd('ASC'), DESC: this.prepareEnd('DESC') }
  }

  private prepareEnd (order: 'ASC' | 'DESC') {
    const { connection } = this.#database
    return connection
      .prepare<[number, number, number], number>(
        `SELECT seq FROM payments ${connection.dialect.indexedBy('payments_of_ledger')}
        WHERE ledger = ? AND seq ${order === 'ASC' ? '>' : '<'} ? ORDER BY seq ${order}
        LIMIT 1 OFFSET ?`
      )
      .pluck()
  }

  /** Returns the payments that match a query, until it is late. */
  list (account: number, query: PaymentQuery, options: SearchOptions): Promise<FoundPayments> {
    return this.#database.readPages(account, () => this.#list(account, query, options))
  }

  async #list (
    account: number,
    { after, newest = false, limit, ...filter }: PaymentQuery,
    { readNow, isWanted, isLate = () => false }: SearchOptions
  ): Promise<FoundPayments> {
    const payments: AnyPayment[] = []
    const narrowed = writeConditions(filter).length > 0
    const read = narrowed ? mostRead : Math.min(mostRead, Math.max(limit, 50))
    let last = after ?? (newest ? Number.MAX_SAFE_INTEGER : 0)
    for (let size = narrowed ? leastSearched : read; payments.length < limit;) {
      const began = stopwatch()
      const { page, end } = await this.#database.read(account, async () => {
        const slice = await this.#cutSlice(account, last, size, newest)
        const rows = await this.#findRows(account, slice, filter, newest, read)
        const isFull = rows.length === read
        return {
          page: await this.#payments.readPage(account, rows),
          end: isFull ? rows.at(-1)?.seq : slice.end
        }
      })
      const now = readNow()
      const found = page.filter(
        (payment) => matchesFilter(payment, filter, now) && isWanted?.(payment) !== false
      )
      payments.push(...found.slice(0, limit - payments.length))
      if (payments.length === limit) break
      if (end === undefined) return { payments }
      last = end
      if (isLate()) return { payments, next: last }
      size = narrowed ? adaptSize(size, stopwatch() - began) : size
    }
    return { payments, next: payments.at(-1)?.seq }
  }

  /** Counts the payments that match a filter by kind and status, until it is late. */
  count (
    account: number,
    filter: PaymentFilter,
    { readNow, isLate = () => false }: SearchOptions
  ): Promise<StatusCounts> {
    return this.#database.readPages(account, async () => {
      const counts = new Map<string, { kind: KindName; status: Status; count: number }>()
      const add = (kind: KindName, status: Status, count: number): void => {
        if (filter.status !== undefined && status !== filter.status) return
        const known = counts.get(`${kind} ${status}`)
        if (known === undefined) counts.set(`${kind} ${status}`, { kind, status, count })
        else known.count += count
      }
      let last = Number.MAX_SAFE_INTEGER
      for (let size = leastSearched; ;) {
        const began = stopwatch()
        const slice = await this.#database.read(account, async () => {
          const slice = await this.#cutSlice(account, last, size, true)
          await this.#countSlice(account, slice, filter, readNow(), add)
          return slice
        })
        const isComplete = slice.end === undefined
        if (isComplete || isLate()) return { counts: [...counts.values()], isComplete }
        last = slice.end as number
        size = adaptSize(size, stopwatch() - began)
      }
    })
  }

  async #countSlice (
    account: number,
    slice: Slice,
    filter: PaymentFilter,
    now: number,
    add: (kind: KindName, status: Status, count: number) => void
  ): Promise<void> {
    const addKnown = (kind: number, readStatus: () => Status): void => {
      try {
        add(kindOfCode(kind).name, readStatus(), 1)
      } catch {
        // The invariants call reports a payment that cannot be read.
      }
    }
    // SQL finds too many for a text.
    if (filter.search !== undefined) {
      const rows = await this.#findRows(account, slice, filter, true)
      for (const payment of await this.#payments.readPage(account, rows)) {
        if (matchesFilter(payment, filter, now)) add(payment.kind.name, stateAt(payment, now).to, 1)
      }
      return
    }
    const ledger = this.#database.ledgerOf(account)
    const { sql, parameters } = whereOf(ledger, slice, true, writeConditions(filter))
    // Arrays of few values: most payments are final, and need no more than their status.
    const rows = await this.#database.connection
      .prepare<unknown[], unknown[]>(
        `SELECT seq, kind, ${lastStatus} AS status FROM payments WHERE ${sql}`
      )
      .raw()
      .all(...parameters)
    const others: number[] = []
    for (const [seq, kind, status] of rows as CountedRow[]) {
      if (status === null || !isFinal(status)) others.push(seq)
      else addKnown(kind, () => status)
    }
    for (let start = 0; start < others.length; start += listed) {
      const seqs = others.slice(start, start + listed)
      // No payment has the number 0.
      const padding = Array<number>(listed - seqs.length).fill(0)
      for (const row of await this.#others.all(...seqs, ...padding)) {
        addKnown(row.kind, () => readStatus(row, now))
      }
    }
  }

  async #cutSlice (account: number, after: number, size: number, newest: boolean): Promise<Slice> {
    const end = await this.#endOfSlice[newest ? 'DESC' : 'ASC'].get(
      this.#database.ledgerOf(account),
      after,
      size - 1
    )
    return { after, end }
  }

  /** Finds the payments of a slice that may match a filter. */
  #findRows (
    account: number,
    slice: Slice,
    filter: PaymentFilter,
    newest: boolean,
    limit = Number.MAX_SAFE_INTEGER
  ): Promise<PaymentRow[]> {
    const { connection } = this.#database
    const ledger = this.#database.ledgerOf(account)
    const { sql, parameters } = whereOf(ledger, slice, newest, writeConditions(filter))
    return connection
      .prepare<unknown[], PaymentRow>(
        `SELECT ${paymentColumns} FROM payments
        ${connection.dialect.indexedBy('payments_of_ledger')}
        WHERE ${sql} ORDER BY seq ${newest ? 'DESC' : 'ASC'} LIMIT ?`
      )
      .all(...parameters, limit)
  }
}

/** Returns how many payments are searched in the next turn. */
function adaptSize (size: number, ms: number): number {
  if (ms < shortMs) return Math.min(2 * size, mostSearched)
  return ms > longMs ? Math.max(Math.round(size / 2), leastSearched) : size
}

/** Writes the condition for the payments of a slice that may match. */
function whereOf (
  ledger: number,
  { after, end }: Slice,
  newest: boolean,
  conditions: readonly Condition[]
): Condition {
  const [beyond, upTo] = newest ? ['<', '>='] : ['>', '<=']
  const all: Condition[] = [
    { sql: 'ledger = ?', parameters: [ledger] },
    { sql: `seq ${beyond} ?`, parameters: [after] },
    ...(end === undefined ? [] : [{ sql: `seq ${upTo} ?`, parameters: [end] }]),
    ...conditions
  ]
  return {
    sql: all.map(({ sql }) => sql).join(' AND '),
    parameters: all.flatMap(({ parameters }) => parameters)
  }
}

/** Writes the conditions of a filter, as far as SQL can tell. */
function writeConditions (filter: PaymentFilter): Condition[] {
  const { kind, status, provider, phoneNumber, version, since, until, search } = filter
  const given: Array<[value: unknown, sql: string, parameter?: unknown]> = [
    [kind, 'kind = ?', kind?.ledgerCode],
    [version, 'version = ?'],
    [since, 'created >= ?'],
    [until, 'created < ?'],
    [provider, hasField, provider && patternOfField({ provider })],
    [phoneNumber, hasField, phoneNumber && patternOfField({ phoneNumber })],
    // Other letters have no lower case in all engines.
    [isPlain(search) ? search : undefined, hasText, patternOf(textIn(search))]
  ]
  const conditions = given
    .filter(([value]) => value !== undefined)
    .map(([value, sql, parameter = value]) => ({ sql, parameters: [parameter] }))
  if (status === undefined) return conditions
  const condition = isFinal(status)
    ? { sql: `${lastStatus} = ?`, parameters: [status] }
    : { sql: `coalesce(${lastStatus}, '') NOT IN (${finalStatuses})`, parameters: [] }
  return [...conditions, condition]
}

function isPlain (text = ''): boolean {
  return /^[ -~]*$/.test(text)
}

/** Returns a text in lower case as it stands in JSON. */
function textIn (text = ''): string {
  return JSON.stringify(text.toLowerCase()).slice(1, -1)
}
