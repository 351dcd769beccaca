import type { AccountState } from '../../src/domain/account.ts'
import type { AccountSettings } from '../../src/domain/account-settings.ts'
import type { AccountChange, ChangedAccount, StoredAccount } from '../../src/domain/stores.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { SqlAccounts, type SqlAccountParts } from '../accounts.ts'
import type { Database } from '../database.ts'
import { noRead, type WorkOptions } from '../jobs.ts'
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
  protected override get insertOptions (): WorkOptions<number | undefined> {
    return { committed: () => {} }
  }

  override openAccount (
    name: string,
    state?: AccountState,
    check?: () => void
  ): Promise<number> {
    if (check === undefined) return super.openAccount(name, state)
    return super.openAccount(name, state, () => {
      this.#lockAndAdopt()
      check()
    })
  }

  override createAccount (choose: () => AccountSettings | undefined): Promise<number | undefined> {
    return super.createAccount(() => {
      // No other server may open one with the same name or token meanwhile.
      this.#lockAndAdopt()
      return choose()
    })
  }

  protected override insertAccount (name: string, state: AccountState): number {
    // First, as all others do.
    this.#versions.lock()
    const clock = this.#firstClock()
    return super.insertAccount(name, clock === undefined ? state : { clock, ...state })
  }

  protected override listRows (): StoredAccount[] {
    // First, so that a change during the two statements is read again later.
    this.#versions.begin()
    return super.listRows()
  }

  override writeChange (id: number, change: AccountChange): AccountState {
    // The new state is made from the last one of all servers.
    this.#lockAndAdopt()
    return super.writeChange(id, change)
  }

  #lockAndAdopt (): void {
    this.#versions.lock()
    this.#versions.adoptChanges()
  }

  listenForChanges (listener: (changed: ChangedAccount) => void): void {
    this.#versions.listener = (changed) => {
      this.#database.replacements.note(changed.id)
      listener(changed)
    }
  }

  readUnchanged<T>(account: number, read: () => T): Promise<T> {
    // Not as a read: a server that locks the account waits for the end of all others.
    return this.#database.transactFor(account, read)
  }

  /** Learns the changes of other servers: the check of a transaction that begins later does. */
  readChanges (): Promise<void> {
    return this.#database.transact(() => {}, { isRead: true, firstRead: noRead })
  }
}
