import type { AccountState } from '../../src/domain/account.ts'
import type { ChangedAccount } from '../../src/domain/stores.ts'
import { SqlAccounts, type AccountRow, type SqlAccountParts } from '../accounts.ts'
import type { Database } from '../database.ts'

interface ChangedRow {
  account: number
  version: number
  name: string | null
  state: string | null
}

/**
 * Accounts that several servers change. A trigger gives each change the next number; the numbers
 * are in the order of the commits, so a server reads all changes after the last one that it knows.
 */
export class SharedAccounts extends SqlAccounts {
  readonly #database: Database
  readonly #lock
  readonly #last
  readonly #changed
  #known = 0
  #listener: (changed: ChangedAccount) => void = () => {}
  #reading: Promise<void> | undefined

  constructor (database: Database, parts: SqlAccountParts) {
    super(database, parts)
    const { connection } = database
    this.#database = database
    this.#lock = connection.prepare('SELECT count FROM account_changes FOR UPDATE')
    this.#last = connection.prepare<[], number>('SELECT count FROM account_changes').pluck()
    this.#changed = connection.prepare<[number], ChangedRow>(`
      SELECT account, version, name, state
      FROM account_versions LEFT JOIN accounts ON id = account
      WHERE version > ? ORDER BY version`)
  }

  protected override listRows (): AccountRow[] {
    // First, so that a change during the two statements is read again later.
    this.#known = this.#last.all()[0]
    return super.listRows()
  }

  override writeState (id: number, makeState: () => AccountState): AccountState {
    // The new state is made from the last one of all servers.
    this.#lock.all()
    this.#adoptChanges()
    return super.writeState(id, makeState)
  }

  listenForChanges (listener: (changed: ChangedAccount) => void): void {
    this.#listener = listener
  }

  /** Reads the changes of other servers. All calls of one moment share a transaction. */
  readChanges (): Promise<void> {
    this.#reading ??= this.#database
      .transact(() => {
        this.#reading = undefined
        this.#adoptChanges()
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  /** Adopts the changes since the last one that is known. They are committed. */
  #adoptChanges (): void {
    for (const { account, version, name, state } of this.#changed.all(this.#known)) {
      this.#known = version
      this.#listener({
        id: account,
        ...(name !== null && state !== null && { name, state: JSON.parse(state) })
      })
    }
  }
}
