import type { Clock, SystemClock } from '../lib/clock.ts'
import { accountTime, frozenClock } from '../lib/clock.ts'
import type { Account, AccountState } from '../domain/account.ts'
import { storedState } from '../domain/account.ts'
import type { ChangeNotifier } from '../ports/ledger.ts'
import type { AccountChange } from '../ports/stores.ts'
import type {
  AccountTables,
  Snapshot,
  Snapshots,
  SnapshotState
} from '../ports/account-tables.ts'
import { ledgerParts, type LedgerPart } from '../domain/reset-parts.ts'
import type { ResetPart } from '../domain/reset-parts.ts'
import { refuseDeletedAccount } from '../accounts/account-changes.ts'
import type { Accounts } from '../accounts/registry.ts'
import type { ErrorCounts, Ids } from '../lib/ids.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'

/** What is kept of accounts in memory only, and the part of an account that it belongs to. */
const memoryParts = {
  journal: 'journal',
  sinks: 'callbacks',
  // A reset keeps them: a program at their other end is running.
  listeners: 'callbacks',
  statusChecks: 'callbacks',
  coverageTracker: 'coverage',
  // A reset keeps it.
  examReports: undefined
} as const satisfies Record<string, ResetPart | undefined>

type MemoryName = keyof typeof memoryParts
const memoryNames = Object.keys(memoryParts) as MemoryName[]

/** Memories that can be cleared for an account; for one that is gone, with its numbers. */
export type AccountMemories = Record<
  MemoryName,
  { clear: (account: number, isGone?: boolean) => void }
>

/** Most snapshots that an account can have. */
export const maxSnapshots = 100

export interface AccountLifecycleParts {
  accounts: Accounts
  accountTables: AccountTables
  snapshots: Snapshots
  clockControl: ClockControl
  ids: Ids
  systemClock: SystemClock
  changes: ChangeNotifier
  memories: AccountMemories
  coverageTracker: { keepLedgerItems: (account: Account) => Promise<void> }
  /** Continues the payments of the releases of an account that have begun. */
  finishReleases: (account: Account, now: number) => Promise<unknown>
  /** Creates the fixtures of an account again. */
  createFixtures: (account: Account) => Promise<void>
}

/** Resets, copies, restores and deletes whole accounts. */
export class AccountLifecycle {
  readonly #parts: AccountLifecycleParts

  constructor (parts: AccountLifecycleParts) {
    this.#parts = parts
  }

  /** Brings an account back to its start, except for the kept parts. */
  async resetAccount (account: Account, keep: readonly ResetPart[]): Promise<void> {
    const { clockControl, accountTables, coverageTracker } = this.#parts
    const ledger = keep.filter((part): part is LedgerPart =>
      ledgerParts.includes(part as LedgerPart)
    )
    await clockControl.runAlone(account, 'a reset', keep.includes('callbacks'), async () => {
      if (keep.includes('coverage')) await coverageTracker.keepLedgerItems(account)
      const keepsPayments = keep.includes('payments')
      // They must not wait for outages that are forgotten.
      const release = keepsPayments && !keep.includes('providers')
      const change = this.#replaceState(account, () => this.#stateAfterReset(account, keep), {})
      // Before requests go on: they see the fixtures, and what they leave in a memory stays.
      const finished = async (): Promise<void> => {
        if (release) {
          await this.#parts.finishReleases(account, clockControl.now(account))
        }
        await this.#parts.createFixtures(account)
        this.#clearMemories(account, (part) => part !== undefined && !keep.includes(part))
      }
      const prepare = async (): Promise<void> => {
        if (keepsPayments) await this.#recordStates(account, keep)
      }
      // Most states before the lock: requests wait for the rest only.
      await prepare()
      const reset = { ...change, release, finished }
      await accountTables.clearAccount(account.id, ledger, reset, prepare)
    })
    this.#parts.changes.notify(account.id)
  }

  /** Records the states of payments that a reset keeps: none goes back with the clock. */
  async #recordStates (account: Account, keep: readonly ResetPart[]): Promise<void> {
    const { clock = account.clock } = this.#stateAfterReset(account, keep)
    const now = accountTime(clock, this.#parts.systemClock.now())
    await this.#parts.clockControl.recordStates(account, now)
  }

  /** Deletes an account, unless `unless` refuses when its turn comes. Returns whether it did. */
  async removeAccount (account: Account, unless: () => boolean = () => false): Promise<boolean> {
    const { accounts, clockControl, accountTables, ids, changes } = this.#parts
    const removed = await clockControl.runAlone(account, 'the deletion of the account', false, () =>
      accountTables.removeAccount(
        account.id,
        () => account.gone !== true && !unless(),
        () => accounts.forget(account)
      )
    )
    if (removed) {
      ids.countErrors(account.name, {})
      changes.notify(account.id)
      this.#clearMemories(account, () => true, true)
    }
    return removed
  }

  /** Copies an account. Returns undefined if it has too many copies already. */
  async takeSnapshot (account: Account, name: string): Promise<Snapshot | undefined> {
    const { clockControl, snapshots, systemClock, ids } = this.#parts
    return await clockControl.interruptFor(account, 'a snapshot', async () => {
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

  /** Brings an account back to a copy. Returns false for an unknown copy. */
  async restoreSnapshot (account: Account, name: string): Promise<boolean> {
    const { clockControl, snapshots, coverageTracker } = this.#parts
    const restore = async (): Promise<boolean> => {
      await coverageTracker.keepLedgerItems(account)
      return await snapshots.restoreSnapshot(account.id, name, ({ now, errors, ...state }) => ({
        ...this.#replaceState(
          account,
          () => ({ ...state, clock: this.#resumeClock(state, now) }),
          errors
        ),
        finished: async () => this.#clearMemories(account, (part) => part === 'journal')
      }))
    }
    const reason = 'the restore of a snapshot'
    const restored = await clockControl.runAlone(account, reason, false, restore)
    if (!restored) return false
    this.#parts.changes.notify(account.id)
    return true
  }

  /** Forgets what is in memory only of an account that has left this server. */
  forgetMemories (account: Account): void {
    this.#clearMemories(account, () => true)
  }

  #clearMemories (
    { id }: Account,
    isWanted: (part: ResetPart | undefined) => boolean,
    isGone = false
  ): void {
    for (const name of memoryNames) {
      if (isWanted(memoryParts[name])) this.#parts.memories[name].clear(id, isGone)
    }
  }

  /** Prepares another state of an account, and other counts of its failed requests. */
  #replaceState (account: Account, next: () => AccountState, errors: ErrorCounts): AccountChange {
    const { accounts, ids } = this.#parts
    const { committed, ...change } = accounts.replaceState(account, next)
    return {
      ...change,
      committed: () => {
        committed()
        ids.countErrors(account.name, errors)
      }
    }
  }

  /** Returns the state of an account after a reset. */
  #stateAfterReset (account: Account, keep: readonly ResetPart[]): AccountState {
    const { clock, outages, outageEnds, rules, patched, fixtures } = storedState(account)
    return {
      ...this.#parts.accounts.initialState,
      ...(keep.includes('clock') && { clock }),
      ...(keep.includes('providers') && { outages, outageEnds }),
      ...(keep.includes('scenarios') && { rules }),
      ...(keep.includes('settings') && { patched }),
      ...(keep.includes('payments') && { fixtures })
    }
  }

  /** Returns the clock of a copy, which goes on from the time it showed. */
  #resumeClock ({ clock }: Omit<SnapshotState, 'now' | 'errors'>, now: number): Clock {
    const { mode, speed } = clock as Clock
    return mode === 'frozen'
      ? { ...frozenClock(now), speed }
      : { mode, base: now, since: this.#parts.systemClock.now(), speed }
  }
}
