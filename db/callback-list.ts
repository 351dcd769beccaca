import { showUrl } from '../src/lib/url.ts'
import type { Callback, CallbackQuery, DeliveryState, LatestCallback } from '../src/ports/ledger.ts'
import { kindOfCode } from '../src/domain/kinds.ts'
import { uuidToBytes } from '../src/lib/ids.ts'
import type { CallbackAttempts } from './callback-attempts.ts'
import type { Database } from './database.ts'
import { readFault } from './rows.ts'

interface CallbackRow {
  seq: number
  kind: number | null
  /** Details of the payment; null for a statement. */
  details: string | null
  url: string
  body: string
  fault: string | null
  created: number
  state: DeliveryState
  due: number | null
  attempts: number
}

type LatestRow = Pick<CallbackRow, 'state' | 'attempts'> & { payment: number }

/** Callbacks that are searched in one turn of the event loop. */
const pageSize = 2000

/** Lists of callbacks for testers. */
export class CallbackList {
  readonly #database: Database
  readonly #attempts: CallbackAttempts

  constructor (database: Database, attempts: CallbackAttempts) {
    this.#database = database
    this.#attempts = attempts
  }

  /** Returns the callbacks that match a query. */
  list (account: number, query: CallbackQuery): Promise<Callback[]> {
    return this.#database.readPages(account, () => this.#searchPages(account, query))
  }

  /** Returns the latest callback of each payment: of these, or of the latest callbacks. */
  findLatest (
    account: number,
    of: readonly number[] | { callbacks: number }
  ): Promise<Map<number, LatestCallback>> {
    return this.#database.read(account, async () => {
      const [where, values] =
        'callbacks' in of
          ? ['ledger = ? AND payment IS NOT NULL ORDER BY seq DESC LIMIT ?', [
              this.#database.ledgerOf(account),
              of.callbacks
            ]]
          : [`payment IN (${of.map(() => '?').join(', ')}) ORDER BY seq DESC`, of]
      const latest = new Map<number, LatestCallback>()
      if (values.length === 0) return latest
      const rows = await this.#database.connection
        .prepare<unknown[], LatestRow>(
          `SELECT payment, state, attempts FROM callbacks WHERE ${where}`
        )
        .all(...values)
      for (const { payment, state, attempts } of rows) {
        if (!latest.has(payment)) latest.set(payment, { state, tries: attempts })
      }
      return latest
    })
  }

  async #searchPages (account: number, query: CallbackQuery): Promise<Callback[]> {
    const { newest = false, limit } = query
    const found: Callback[] = []
    let last = query.after ?? (newest ? Number.MAX_SAFE_INTEGER : 0)
    for (let isLast = false; !isLast && found.length < limit;) {
      await this.#database.read(account, async () => {
        // The callbacks of one payment have an index.
        const isIndexed = typeof query.payment === 'number'
        const end = isIndexed ? undefined : await this.#findPageEnd(account, last, newest)
        found.push(...(await this.#search(account, query, last, end, limit - found.length)))
        isLast = end === undefined
        last = end ?? last
      })
    }
    return found
  }

  /** Returns the number of the last callback of a page, or undefined for the last page. */
  #findPageEnd (account: number, after: number, newest: boolean): Promise<number | undefined> {
    const [beyond, order] = newest ? ['<', 'DESC'] : ['>', 'ASC']
    return this.#database.connection
      .prepare<[number, number], number>(
        `SELECT seq FROM callbacks WHERE ledger = ? AND seq ${beyond} ? ` +
          `ORDER BY seq ${order} LIMIT 1 OFFSET ${pageSize - 1}`
      )
      .pluck()
      .get(this.#database.ledgerOf(account), after)
  }

  async #search (
    account: number,
    { state, kind, payment, url, newest = false }: CallbackQuery,
    after: number,
    end: number | undefined,
    limit: number
  ): Promise<Callback[]> {
    const [beyond, within, order] = newest ? ['<', '>=', 'DESC'] : ['>', '<=', 'ASC']
    const paymentId = typeof payment === 'string' ? uuidToBytes(payment) : undefined
    const conditions: Array<[sql: string, value: unknown]> = [
      ['callbacks.ledger = ?', this.#database.ledgerOf(account)],
      [`callbacks.seq ${beyond} ?`, after],
      [`callbacks.seq ${within} ?`, end],
      ['state = ?', state],
      ['kind = ?', kind?.ledgerCode],
      ['payment = ?', typeof payment === 'number' ? payment : undefined],
      ['id = ?', paymentId]
    ]
    const given = conditions.filter(([, value]) => value !== undefined)
    const from = `FROM callbacks LEFT JOIN payments ON payments.seq = payment
      WHERE ${given.map(([sql]) => sql).join(' AND ')}`
    const values = given.map(([, value]) => value)
    const urls = url === undefined ? [] : await this.#findUrls(from, values, url)
    if (url !== undefined && urls.length === 0) return []
    const marks = urls.map(() => '?').join(', ')
    const rows = await this.#database.connection
      .prepare<unknown[], CallbackRow>(
        `
      SELECT callbacks.seq, kind, details, url, body, fault, callbacks.created, state, due, attempts
      ${from} ${urls.length === 0 ? '' : `AND url IN (${marks})`}
      ORDER BY callbacks.seq ${order} LIMIT ?`
      )
      .all(...values, ...urls, limit)
    return await Promise.all(rows.map((row) => this.#readCallback(account, row)))
  }

  /** Returns the URLs that a tester means: the same one, or the same one with a password. */
  async #findUrls (from: string, values: readonly unknown[], url: string): Promise<string[]> {
    const urls = await this.#database.connection
      .prepare<unknown[], string>(`SELECT DISTINCT url ${from}`)
      .pluck()
      .all(...values)
    return urls.filter((one) => one === url || showUrl(one) === url)
  }

  async #readCallback (
    account: number,
    { kind, details, fault, due, attempts: tries, ...row }: CallbackRow
  ): Promise<Callback> {
    return {
      ...row,
      ...(kind !== null &&
        details !== null && { payment: { kind: kindOfCode(kind), id: JSON.parse(details).id } }),
      ...readFault(fault),
      ...(due !== null && { due }),
      tries,
      attempts: await this.#attempts.listAttempts(account, row.seq, row.body)
    }
  }
}
