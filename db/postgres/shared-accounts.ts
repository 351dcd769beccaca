import type { AccountState } from '../../src/domain/account.ts'
import type { AccountChange, ChangedAccount, StoredAccount } from '../../src/domain/stores.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { SqlAccounts, type SqlAccountParts } from '../accounts.ts'
import type { Database } from '../database.ts'
import type { WriteOptions } from '../jobs.ts'
import type { AccountVersions } from './account-versions.ts'

/** Accounts that several servers change. */
export class SharedAccounts extends SqlAccounts {
  readonly #database: Database
  readonly #versions: AccountVersions
  readonly #firstClock: () => Clock | undefined

  /** `firstClock` returns the clock of a new account, if it must be the same on all servers. */
  constructor (
    database: Database,
    parts: SqlAccountParts,
    versions: AccountVersions,
    firstClock: () => Clock | undefined
  ) {
    super(database, parts)
    this.#firstClock = firstClock
    this.#database = database
    this.#versions = versions
  }

  /** A transaction of its own: others that adopt changes in it would adopt this one too early. */
  protected override get insertOptions (): WriteOptions<number | undefined> {
    return { committed: () => {} }
  }

  /** No other server may open an account with the same name or token meanwhile. */
  protected override async prepareInsert (decides: boolean): Promise<void> {
    await this.#versions.lock()
    if (decides) await this.#versions.adoptChanges()
  }

  protected override insertAccount (name: string, state: AccountState): Promise<number> {
    const clock = this.#firstClock()
    return super.insertAccount(name, clock === undefined ? state : { clock, ...state })
  }

  protected override async listRows (): Promise<StoredAccount[]> {
    // First, so that a change during the two statements is read again later.
    await this.#versions.begin()
    return await super.listRows()
  }

  override async writeChange (id: number, change: AccountChange): Promise<AccountState> {
    // The new state is made from the last one of all servers.
    await this.#versions.lock()
    await this.#versions.adoptChanges()
    return await super.writeChange(id, change)
  }

  listenForChanges (listener: (changed: ChangedAccount) => void): void {
    this.#versions.listener = (changed) => {
      this.#database.replacements.note(changed.id)
      listener(changed)
    }
  }

  readUnchanged<T>(account: number, read: () => T): Promise<T> {
    // Not as a read: a server that locks the account waits for the end of all others.
    return this.#database.write(account, read)
  }

  /** Learns the changes of other servers: the check of a transaction that begins later does. */
  readChanges (): Promise<void> {
    return this.#database.read(undefined, () => {})
  }
}
