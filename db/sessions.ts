import { kinds } from '../src/domain/kinds.ts'
import type { Sessions } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { isRefusal } from '../src/domain/rules.ts'
import type { Session } from '../src/domain/session.ts'
import type { Database } from './database.ts'
import { bytes } from './identifier.ts'

/** Sessions of the payment page in SQLite. */
export class SqliteSessions implements Sessions {
  readonly #database: Database
  readonly #before
  readonly #taken
  readonly #put
  readonly #find

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#before = connection.prepare<[number, Buffer], { n: number }>('SELECT n FROM sessions WHERE account = ? AND deposit = ?')
    this.#taken = connection.prepare<[number, number, Buffer]>('SELECT 1 FROM payments WHERE account = ? AND kind = ? AND id = ?')
    this.#put = connection.prepare('INSERT OR REPLACE INTO sessions (token, account, deposit, n, session) VALUES (?, ?, ?, ?, ?)')
    this.#find = connection.prepare<[string], { session: string }>('SELECT session FROM sessions WHERE token = ?')
  }

  open (account: number, depositId: string, make: (before: number, taken: boolean) => Session | Refusal): Promise<Session | Refusal> {
    return this.#database.transact(() => {
      const id = bytes(depositId)
      const before = this.#before.get(account, id)?.n ?? 0
      const session = make(before, this.#taken.get(account, kinds.deposit.code, id) !== undefined)
      if (isRefusal(session)) return session
      this.#put.run(session.token, account, id, before + 1, JSON.stringify(session))
      return session
    })
  }

  find (token: string): Promise<Session | undefined> {
    return this.#database.transact(() => {
      const row = this.#find.get(token)
      return row && JSON.parse(row.session) as Session
    })
  }
}
