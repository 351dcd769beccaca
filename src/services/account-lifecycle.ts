import type { Clock, SystemClock } from '../lib/clock.ts'
import { frozenClock } from '../lib/clock.ts'
import type { Account, AccountState } from '../domain/account.ts'
import { storedState } from '../domain/account.ts'
import type { ChangeNotifier } from '../domain/ports.ts'
import type {
  AccountTables,
  LedgerPart,
  Snapshot,
  Snapshots,
  SnapshotState
} from '../domain/account-tables.ts'
import { ledgerParts } from '../domain/account-tables.ts'
import { refuseDeletedAccount, type Accounts } from '../accounts/registry.ts'
import type { Ids } from '../lib/ids.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'

/** The parts of an account that a reset can leave as they are. */
export const resetParts = [
  ...ledgerParts,
  'providers',
  'settings',
  'clock',
  'journal',
  'coverage'
] as const
export type ResetPart = (typeof resetParts)[number]

/** What is kept of an account outside the ledger. */
export interface AccountMemory {
  journal: { clear: (account: number, gone?: boolean) => void }
  sinks: { clear: (account: number) => void }
  coverage: {
    clear: (account: number) => void
    keepLedgerItems: (account: Account) => Promise<void>
  }
}

/** At most this many snapshots are kept for an account. */
export const maxSnapshots = 100

export interface AccountLifecycleParts {
  accounts: Accounts
  accountTables: AccountTables
  snapshots: Snapshots
  clockControl: ClockControl
  ids: Ids
  systemClock: SystemClock
  changes: ChangeNotifier
  memories: AccountMemory
}

/**
 * Looks after accounts as a whole: sets them back, copies them, puts the copies back, and clears
 * them away.
 */
export class AccountLifecycle {
  readonly #parts: AccountLifecycleParts

  constructor (parts: AccountLifecycleParts) {
    this.#parts = parts
  }

  /** An account is again as it started, but for the parts that are kept. */
  async resetAccount (account: Account, keep: readonly ResetPart[]): Promise<void> {
    const { clockControl, accountTables, ids, memories } = this.#parts
    const ledger = keep.filter((part): part is LedgerPart =>
      ledgerParts.includes(part as LedgerPart)
    )
    await clockControl.runAlone(account, keep.includes('callbacks'), async (clock) => {
      if (keep.includes('coverage')) await memories.coverage.keepLedgerItems(account)
      await this.#undone(account, () =>
        accountTables.clearAccount(account.id, ledger, () => {
          this.#assume(account, this.#kept(account, clock, keep))
          ids.countErrors(account.name, 0)
          return storedState(account)
        })
      )
    })
    this.#parts.changes.notify(account.id)
    if (!keep.includes('journal')) memories.journal.clear(account.id)
    if (!keep.includes('callbacks')) memories.sinks.clear(account.id)
    if (!keep.includes('coverage')) memories.coverage.clear(account.id)
  }

  /** Everything of an account is gone; or nothing, if `unless` says so when it comes to it. */
  async removeAccount (account: Account, unless: () => boolean = () => false): Promise<boolean> {
    const { accounts, clockControl, accountTables, ids } = this.#parts
    const removed = await clockControl.runAlone(account, false, async () => {
      const already = account.gone === true
      try {
        return await accountTables.removeAccount(account.id, () => {
          if (already || unless()) return false
          // Together with its rows, so that nobody writes to it in between.
          accounts.forget(account)
          return true
        })
      } catch (error) {
        if (!already) accounts.remember(account)
        throw error
      }
    })
    if (removed) {
      ids.countErrors(account.name, 0)
      this.#parts.changes.notify(account.id)
      for (const memory of Object.values(this.#parts.memories)) memory.clear(account.id, true)
    }
    return removed
  }

  /** Copies an account as it is; nothing, if it has too many copies already. */
  async takeSnapshot (account: Account, name: string): Promise<Snapshot | undefined> {
    const { clockControl, snapshots, systemClock, ids } = this.#parts
    return await clockControl.runInTurn(account, async () => {
      const taken = await snapshots.takeSnapshot(
        account.id,
        name,
        systemClock.now(),
        () => {
          refuseDeletedAccount(account)
          return {
            ...storedState(account),
            now: clockControl.now(account),
            seed: ids.seed,
            errors: ids.errorsOf(account.name)
          }
        },
        maxSnapshots
      )
      return taken ? await snapshots.findSnapshot(account.id, name) : undefined
    })
  }

  /** An account is again as it was copied; false, if there is no such copy. */
  async restoreSnapshot (account: Account, name: string): Promise<boolean> {
    const { clockControl, snapshots, ids, memories } = this.#parts
    const restored = await clockControl.runAlone(account, false, async () => {
      await memories.coverage.keepLedgerItems(account)
      return await this.#undone(account, () =>
        snapshots.restoreSnapshot(account.id, name, ({ now, errors, ...state }) => {
          this.#assume(account, { ...state, clock: this.#resumed(state, now) })
          ids.countErrors(account.name, errors)
          return storedState(account)
        })
      )
    })
    if (!restored) return false
    this.#parts.changes.notify(account.id)
    memories.journal.clear(account.id)
    return true
  }

  #assume (account: Account, state: AccountState): void {
    this.#parts.accounts.assume(account, state)
  }

  /** What a reset leaves of the account itself. */
  #kept (account: Account, clock: Clock, keep: readonly ResetPart[]): AccountState {
    const { outages, rules, patched } = storedState(account)
    return {
      ...this.#parts.accounts.initialState,
      ...(keep.includes('clock') && { clock }),
      ...(keep.includes('providers') && { outages }),
      ...(keep.includes('scenarios') && { rules }),
      ...(keep.includes('settings') && { patched })
    }
  }

  /** The clock of a copy goes on from what it showed, whatever time has passed since. */
  #resumed ({ clock }: Omit<SnapshotState, 'now' | 'errors'>, now: number): Clock {
    const { mode, speed } = clock as Clock
    return mode === 'frozen'
      ? { ...frozenClock(now), speed }
      : { mode, base: now, since: this.#parts.systemClock.now(), speed }
  }

  /** Work that fails leaves the account itself as it was, as the ledger does with the rest. */
  async #undone<T>(account: Account, work: () => Promise<T>): Promise<T> {
    const before = storedState(account)
    const errors = this.#parts.ids.errorsOf(account.name)
    try {
      return await work()
    } catch (error) {
      if (account.gone !== true) {
        this.#assume(account, before)
        this.#parts.ids.countErrors(account.name, errors)
      }
      throw error
    }
  }
}
