import type { Operation } from '../domain/kinds.ts'
import type { Clock, SystemClock } from '../lib/clock.ts'
import { heldClock, originalClock, accountTime } from '../lib/clock.ts'
import type {
  Account,
  AccountState,
  AddedScenario,
  OutageEnds,
  Outages
} from '../domain/account.ts'
import { effectiveSettings, listTokens, storedState } from '../domain/account.ts'
import type { ChangeNotifier } from '../ports/ledger.ts'
import type { AccountRows, AccountStore, StateEffects } from '../ports/stores.ts'
import { deletedAccountError } from '../domain/refusal.ts'
import { type Scenario } from '../domain/scenario.ts'
import { readScenario } from '../scenarios/scenario-reading.ts'

/** Account whose fields can be assigned. It stays inside this folder. */
export type WritableAccount = { -readonly [Field in keyof Account]: Account[Field] }

/**
 * Changes of accounts. A change that outlives a restart is stored first; the account in memory
 * changes right after the commit, so that a change that could not be stored has no effect.
 */
export class AccountChanges {
  readonly #store: AccountStore
  readonly #notifier: ChangeNotifier
  readonly #systemClock: SystemClock

  constructor (store: AccountStore, notifier: ChangeNotifier, systemClock: SystemClock) {
    this.#store = store
    this.#notifier = notifier
    this.#systemClock = systemClock
  }

  /** Sets a clock. Called in the turn of the account. */
  setClock (account: Account, clock: Clock): Promise<void> {
    const set = (edited: WritableAccount): void => {
      edited.clock = clock
    }
    return this.saveEdit(account, set)
  }

  /** Stops a clock at a time until it is released or set. The ledger keeps the real clock. */
  holdClock (account: WritableAccount, now: number): void {
    account.clock = heldClock(account.clock, now)
  }

  /** Releases a held clock. */
  releaseClock (account: WritableAccount): void {
    account.clock = originalClock(account.clock)
  }

  /**
   * Adds a scenario before all others, in the place of one with the same name. One that ends by
   * itself applies from now on. Returns it as it was added.
   */
  async addScenario (account: Account, given: AddedScenario): Promise<AddedScenario> {
    const { name, forMs } = given.scenario
    let added = given
    const add = (edited: WritableAccount, now: number): void => {
      added = forMs === undefined ? given : { ...given, since: now }
      edited.scenarios = [added, ...withoutScenario(edited, name)]
    }
    await this.saveEdit(account, add, { restartCount: name })
    return added
  }

  removeScenario (account: Account, name: string): Promise<void> {
    return this.saveEdit(account, (edited) => {
      edited.scenarios = withoutScenario(edited, name)
    })
  }

  /**
   * Sets the availability of some operations of a provider; the others stay as they are. Those that
   * are not OPERATIONAL end at the time that `endAt` returns, if it is given. Payments that waited
   * for the others have to be released then.
   */
  setAvailability (
    account: Account,
    provider: string,
    states: Outages[string],
    endAt: (now: number) => number | undefined = () => undefined
  ): Promise<void> {
    const set = (edited: WritableAccount, now: number): void => {
      const before = edited.outages.get(provider)
      edited.outages = new Map(edited.outages).set(provider, { ...before, ...states })
      edited.outageEnds = changeEnds(edited.outageEnds, provider, states, endAt(now))
    }
    const release = Object.values(states).includes('OPERATIONAL')
    return this.saveEdit(account, set, { outages: true, release })
  }

  /** Ends the outages that are over at a time. Payments that waited have to be released then. */
  endOutages (account: Account, now: number): Promise<void> {
    const end = (edited: WritableAccount): void => {
      const { outages, outageEnds } = edited
      const isOver = (provider: string, operation: string): boolean =>
        ((outageEnds[provider] ?? {})[operation as Operation] ?? Infinity) <= now
      edited.outages = new Map(Object.entries(omitEach(Object.fromEntries(outages), isOver)))
      edited.outageEnds = omitEach(outageEnds, isOver)
    }
    return this.saveEdit(account, end, { outages: true, release: true })
  }

  /** Notes that an account is used now. */
  noteUse (account: WritableAccount): void {
    account.lastUsed = this.#systemClock.now()
  }

  /** Counts an account as used while some work waits in it, although no call arrives. */
  async keepInUse<T>(account: WritableAccount, work: () => Promise<T>): Promise<T> {
    account.waiting = (account.waiting ?? 0) + 1
    try {
      return await work()
    } finally {
      account.waiting--
      this.noteUse(account)
    }
  }

  /**
   * Stores an account as an edit would leave it, then edits it. The edit gets the time of the
   * account, and runs twice, on a copy and on the account: it assigns new values and changes none
   * in place. `check` may refuse the edited copy: it is called inside the transaction.
   */
  async saveEdit (
    account: WritableAccount,
    edit: (account: WritableAccount, now: number) => void,
    effects?: StateEffects,
    check: (edited: Account, rows: AccountRows) => void = () => {}
  ): Promise<void> {
    let now = 0
    let tokens: string[] = []
    const change = {
      state: (rows: AccountRows) => {
        refuseDeletedAccount(account)
        // Not before: the change may have waited for another one, also of the clock.
        now = accountTime(account.clock, this.#systemClock.now())
        const copy = { ...account }
        edit(copy, now)
        check(copy, rows)
        tokens = listTokens(copy)
        return storedState(copy)
      },
      tokens: () => tokens,
      committed: () => edit(account, now)
    }
    await this.#store.saveState(account.id, change, effects)
    this.#notifier.notify(account.id)
  }
}

/** Returns the ends of outages after operations of a provider were set. */
function changeEnds (
  all: OutageEnds,
  provider: string,
  states: Outages[string],
  until: number | undefined
): OutageEnds {
  const kept = omitFields(all[provider] ?? {}, (operation) => operation in states)
  const closed = omitFields(states, (_, state) => state === 'OPERATIONAL')
  const added =
    until === undefined ? {} : Object.fromEntries(Object.keys(closed).map((name) => [name, until]))
  return withoutEmpty(Object.entries({ ...all, [provider]: { ...kept, ...added } }))
}

/** Leaves operations of providers out. */
function omitEach<Value extends object> (
  all: Record<string, Value>,
  isOmitted: (provider: string, operation: string) => boolean
): Record<string, Value> {
  return withoutEmpty(
    Object.entries(all).map(([provider, value]) => [
      provider,
      omitFields(value, (operation) => isOmitted(provider, operation))
    ])
  )
}

function omitFields<Value extends object> (
  value: Value,
  isOmitted: (name: string, field: Value[keyof Value]) => boolean
): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => !isOmitted(name, field))
  ) as Value
}

/** Builds an object from those entries that have a field. */
function withoutEmpty<Value extends object> (
  entries: ReadonlyArray<readonly [string, Value]>
): Record<string, Value> {
  return Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0))
}

function withoutScenario ({ scenarios }: Account, name: string): AddedScenario[] {
  return scenarios.filter(({ scenario }) => scenario.name !== name)
}

/** Assigns a stored state to an account. A part that the state leaves out is as at the start. */
export function assignState (
  account: WritableAccount,
  state: AccountState & { clock: Clock }
): void {
  const { clock, outages = {}, outageEnds = {}, rules = [], patched = {}, fixtures } = state
  account.clock = clock
  account.outages = new Map(Object.entries(outages))
  account.outageEnds = outageEnds
  account.scenarios = rules.map(({ name, written, since }) => ({
    written,
    ...(since !== undefined && { since }),
    scenario: readScenario(name, written) as Scenario
  }))
  account.patched = patched
  account.fixtures = fixtures
  account.settings = effectiveSettings(account.base, patched)
}

/** Refuses a write of a request whose account was deleted while it ran. */
export function refuseDeletedAccount (account: Account): void {
  if (account.gone === true) throw deletedAccountError()
}
