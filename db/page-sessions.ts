import { kinds } from '../src/domain/kinds.ts'
import type { PageSessions } from '../src/ports/stores.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { linkQueue } from '../src/ports/due-queue.ts'
import { isRefusal } from '../src/domain/refusal.ts'
import type { PageSession } from '../src/domain/page-session.ts'
import type { SqlDueQueue } from './due-queue.ts'
import type { Database } from './database.ts'
import { uuidToBytes } from '../src/lib/ids.ts'

/** Sessions of the payment page. */
export class SqlPageSessions implements PageSessions {
  readonly #database: Database
  readonly #dueQueue: SqlDueQueue
  readonly #due
  readonly #before
  readonly #taken
  readonly #put
  readonly #find
  readonly #tokens

  constructor (database: Database, dueQueue: SqlDueQueue) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#before = connection.prepare<[number, Buffer], { n: number | null }>(
      'SELECT max(n) AS n FROM sessions WHERE ledger = ? AND deposit = ?'
    )
    this.#taken = connection.prepare<[number, number, Buffer]>(
      'SELECT 1 FROM payments WHERE ledger = ? AND kind = ? AND id = ?'
    )
    this.#put = connection.prepareInsert('sessions', [
      'token',
      'ledger',
      'deposit',
      'n',
      'session'
    ])
    this.#due = connection.prepare<
      [number, number, number, number],
      { due: number; subject: number; open: number }
    >(`
      SELECT due, subject,
        CASE WHEN EXISTS (SELECT 1 FROM sessions WHERE seq = subject AND NOT EXISTS (
          SELECT 1 FROM payments
          WHERE payments.ledger = sessions.ledger AND kind = ? AND id = deposit))
          THEN 1 ELSE 0 END AS open
      FROM due_queue WHERE ledger = ? AND queue = ? AND due <= ? ORDER BY due, subject`)
    this.#find = connection.prepare<[string], { account: number; session: string }>(
      'SELECT accounts.id AS account, session FROM sessions ' +
        'JOIN accounts ON accounts.ledger = sessions.ledger WHERE token = ?'
    )
    this.#tokens = connection
      .prepare<[number, Buffer], string>(
        'SELECT token FROM sessions WHERE ledger = ? AND deposit = ? ORDER BY n'
      )
      .pluck()
  }

  openSession (
    account: number,
    depositId: string,
    make: (before: number, taken: boolean) => PageSession | Refusal
  ): Promise<PageSession | Refusal> {
    return this.#database.write(account, async () => {
      const id = uuidToBytes(depositId)
      const ledger = this.#database.ledgerOf(account)
      const before = (await this.#before.get(ledger, id))?.n ?? 0
      const taken = await this.#taken.get(ledger, kinds.deposit.ledgerCode, id)
      const session = make(before, taken !== undefined)
      if (isRefusal(session)) return session
      const text = JSON.stringify(session)
      const seq = (await this.#put.add(session.token, ledger, id, before + 1, text)) as number
      this.#dueQueue.add(account, linkQueue, session.expiresAt, seq)
      return session
    })
  }

  expireLinks (account: number, now: number): Promise<number> {
    const expire = async (): Promise<number> => {
      const ledger = this.#database.ledgerOf(account)
      const rows = await this.#due.all(kinds.deposit.ledgerCode, ledger, linkQueue, now)
      this.#dueQueue.dropTaken(account, linkQueue, rows)
      // A link of a paid deposit has not expired.
      return rows.filter(({ open }) => open === 1).length
    }
    return this.#database.write(account, expire)
  }

  findSession (token: string): Promise<PageSession | undefined> {
    return this.#database.read(undefined, async () => {
      const row = await this.#find.get(token)
      // The session of an imported snapshot names the account that it was taken of.
      return row && { ...(JSON.parse(row.session) as PageSession), account: row.account }
    })
  }

  listTokens (account: number, depositId: string): Promise<string[]> {
    return this.#database.read(account, () =>
      this.#tokens.all(this.#database.ledgerOf(account), uuidToBytes(depositId))
    )
  }
}
