import { kinds } from '../src/domain/kinds.ts'
import type { Sessions } from '../src/domain/ports.ts'
import { linkLane } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { isRefusal } from '../src/domain/rules.ts'
import type { Session } from '../src/domain/page-session.ts'
import type { SqliteAgenda } from './due-queue.ts'
import type { Database } from './database.ts'
import { bytes } from '../src/lib/uuid.ts'

/** Sessions of the payment page in SQLite. */
export class SqliteSessions implements Sessions {
  readonly #database: Database
  readonly #agenda: SqliteAgenda
  readonly #due
  readonly #before
  readonly #taken
  readonly #put
  readonly #find

  constructor (database: Database, agenda: SqliteAgenda) {
    const { connection } = database
    this.#database = database
    this.#agenda = agenda
    this.#before = connection.prepare<[number, Buffer], { n: number }>(
      'SELECT n FROM sessions WHERE account = ? AND deposit = ?'
    )
    this.#taken = connection.prepare<[number, number, Buffer]>(
      'SELECT 1 FROM payments WHERE account = ? AND kind = ? AND id = ?'
    )
    this.#put = connection.prepare(
      'INSERT OR REPLACE INTO sessions (token, account, deposit, n, session) VALUES (?, ?, ?, ?, ?)'
    )
    this.#due = connection.prepare<
      [number, number, number, number],
      { due: number; subject: number; open: number }
    >(`
      SELECT due, subject,
        EXISTS (SELECT 1 FROM sessions WHERE seq = subject AND NOT EXISTS (
          SELECT 1 FROM payments WHERE payments.account = sessions.account AND kind = ? AND id = deposit)) AS open
      FROM agenda WHERE account = ? AND lane = ? AND due <= ? ORDER BY due, subject`)
    this.#find = connection.prepare<[string], { session: string }>(
      'SELECT session FROM sessions WHERE token = ?'
    )
  }

  open (
    account: number,
    depositId: string,
    make: (before: number, taken: boolean) => Session | Refusal
  ): Promise<Session | Refusal> {
    return this.#database.transact(() => {
      const id = bytes(depositId)
      const before = this.#before.get(account, id)?.n ?? 0
      const session = make(before, this.#taken.get(account, kinds.deposit.code, id) !== undefined)
      if (isRefusal(session)) return session
      const { lastInsertRowid } = this.#put.run(
        session.token,
        account,
        id,
        before + 1,
        JSON.stringify(session)
      )
      this.#agenda.add(account, linkLane, session.expiresAt, Number(lastInsertRowid))
      return session
    })
  }

  expire (account: number, now: number): Promise<number> {
    return this.#database.transact(() => {
      const rows = this.#due.all(kinds.deposit.code, account, linkLane, now)
      const last = rows.at(-1)
      if (last !== undefined) this.#agenda.dropUntil(account, linkLane, last.due, last.subject)
      // A link that was replaced, or paid by, has not run out.
      return rows.filter(({ open }) => open === 1).length
    })
  }

  find (token: string): Promise<Session | undefined> {
    return this.#database.transact(() => {
      const row = this.#find.get(token)
      return row && (JSON.parse(row.session) as Session)
    })
  }
}
