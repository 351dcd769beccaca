import { accountTime, frozenClock, type Clock, type SystemClock } from '../lib/clock.ts'
import { Turns } from '../lib/turns.ts'
import type { Account, AccountState, Origin, SettingsChanges } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import { effectiveSettings, listTokens, storedState } from '../domain/account.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { ChangeNotifier } from '../ports/ledger.ts'
import type {
  AccountChange,
  AccountRows,
  AccountStore,
  StoredAccount
} from '../ports/stores.ts'
import { TakenError } from '../ports/stores.ts'
import { AccountChanges, assignState } from './account-changes.ts'
import { refuseDeletedAccount, type WritableAccount } from './account-changes.ts'
import type { SettingsProblem, TakenNames } from './settings-checks.ts'
import { checkChangedSettings, checkNewSettings, completeSettings } from './settings-checks.ts'
import { FreeNames, readProblems, refuseProblems, sandboxPrefix } from './settings-checks.ts'
import { isSandboxToken, refuseSandbox } from './sandbox-tokens.ts'
import { TokenIndex, type Caller } from './token-index.ts'

export type { Caller } from './token-index.ts'

/** Parts that the registry needs. */
export interface AccountParts {
  store: AccountStore
  /** Returns the clock of a new account. */
  clock: () => Clock
  systemClock: SystemClock
  notifier: ChangeNotifier
  /** Called when an account is set aside. */
  reportSetAside: (account: Account, reason: string) => void
  /** Most sandbox accounts that can exist; 0 refuses all sandbox tokens. */
  sandboxLimit: number
  catalogue: Catalogue
  /** True if other servers use the ledger, too: an account is away until it is brought here. */
  isShared?: boolean
}

/** Registry of the accounts and of the tokens that lead to them. */
export class Accounts {
  /** Changes of single accounts. */
  readonly changes: AccountChanges
  readonly #parts: AccountParts
  readonly #tokens = new TokenIndex()
  readonly #taken: TakenNames
  readonly #byId = new Map<number, Account>()
  readonly #byName = new Map<string, Account>()
  /** Accounts that are not on this server: what it knows of them may be old. */
  readonly #away = new Set<number>()
  readonly #freeNames = new FreeNames(this.#byName)
  readonly #opening = new Map<string, Promise<Caller>>()
  readonly #default: AccountSettings
  #defaultAccount: Account | undefined
  readonly #turns = new Turns()

  private constructor (parts: AccountParts, settings: AccountSettings) {
    this.#parts = parts
    this.#default = settings
    this.#taken = { accounts: this.#byName, tokens: this.#tokens, catalogue: parts.catalogue }
    this.changes = new AccountChanges(parts.store, parts.notifier, parts.systemClock)
  }

  /**
   * Opens the configured accounts, of which the first is the default account, and all accounts of
   * the ledger.
   */
  static async open (
    parts: AccountParts,
    configured: readonly [AccountSettings, ...AccountSettings[]]
  ): Promise<Accounts> {
    const accounts = new Accounts(parts, configured[0])
    for (const settings of configured) await parts.store.openAccount(settings.name)
    const taken = new Set(configured.flatMap(({ tokens = [] }) => tokens.map(({ token }) => token)))
    const later: Array<() => void> = []
    const stored = await parts.store.listAccounts()
    for (const { id, name, state } of stored) {
      const settings = configured.find((settings) => settings.name === name)
      // Tokens of the configuration come first: they replace the same tokens made at run time.
      if (settings !== undefined && state.patched?.tokens === undefined) {
        accounts.#add(id, 'configuration', settings, state)
      } else if (settings !== undefined) {
        later.push(() => accounts.#add(id, 'configuration', settings, state))
      } else if (name.startsWith(sandboxPrefix) && taken.has(name)) {
        accounts.#addWithoutToken(id, name, state)
      } else later.push(() => accounts.#addStored(id, name, state))
    }
    for (const add of later) add()
    for (const { id, unreadable } of stored) {
      if (unreadable !== undefined) accounts.setAside(id, unreadable)
    }
    await accounts.#storeTokens()
    return accounts
  }

  /**
   * Sets an account aside that cannot be read, so that the others go on: its clock stands still,
   * and its calls are refused until a reset or a restore replaces what the ledger has of it.
   */
  setAside (id: number, reason: string, isNew = true): void {
    const account: WritableAccount | undefined = this.#byId.get(id)
    if (account === undefined || account.setAside !== undefined) return
    account.setAside = reason
    account.clock = frozenClock(this.#parts.systemClock.now())
    if (isNew) this.#parts.reportSetAside(account, reason)
  }

  /** Returns the time of an account: the only place that knows it, besides a held clock. */
  now (account: Account): number {
    return accountTime(account.clock, this.#parts.systemClock.now())
  }

  /** Stores which token leads to which account. Those of the configuration come first. */
  async #storeTokens (): Promise<void> {
    const tokens = [...this.#tokens.callers].map(([token, { account }]) => ({
      token,
      account: account.id,
      isConfigured: account.origin === 'configuration'
    }))
    await this.#parts.store.storeTokens(tokens, [...this.#byId.keys()])
  }

  /** Reads the accounts again that are not on this server. */
  async refresh (): Promise<void> {
    if (this.#parts.isShared !== true) return
    const stored = await this.#parts.store.listAccounts()
    const ids = new Set(stored.map(({ id }) => id))
    // First all that is old: names and tokens may lead to other accounts now.
    for (const id of this.#away) {
      const account = this.#byId.get(id)
      if (account !== undefined && ids.has(id)) this.#tokens.remove(account)
      else this.forgetDeleted(id)
    }
    const isConfigured = ({ id }: StoredAccount): boolean =>
      this.#byId.get(id)?.origin === 'configuration'
    for (const isFirst of [true, false]) {
      for (const account of stored) {
        if (this.#isUnknown(account.id) && isConfigured(account) === isFirst) this.#learn(account)
      }
    }
  }

  #isUnknown (id: number): boolean {
    return this.#away.has(id) || !this.#byId.has(id)
  }

  /** Takes what is stored of an account for what it is. */
  #learn ({ id, name, state, unreadable }: StoredAccount): Account {
    const known = this.#byId.get(id)
    const wasSetAside = known?.setAside !== undefined
    if (known === undefined) {
      this.#freeNames.note(name)
      this.#addStored(id, name, state)
    } else {
      const patched = known.origin === 'ledger' ? {} : state.patched
      this.#adoptState(known, { clock: this.#parts.clock(), ...state, patched })
    }
    if (unreadable !== undefined) this.setAside(id, unreadable, !wasSetAside)
    return this.#byId.get(id) as Account
  }

  /** Brings an account to this server, as it is stored. Returns undefined if it was deleted. */
  async bringHere (id: number): Promise<Account | undefined> {
    const stored = await this.#parts.store.findAccount(id)
    if (stored === undefined) {
      this.forgetDeleted(id)
      return undefined
    }
    const isOther = (one?: { id: number }): boolean => one !== undefined && one.id !== id
    const isNameOfOther = isOther(this.#byName.get(stored.name))
    const { tokens = [] } = this.#learn(stored).settings
    const areOfOther = tokens.some(({ token }) => isOther(this.#tokens.callers.get(token)?.account))
    // Another server has given them to this account.
    if (isNameOfOther || areOfOther) await this.refresh()
    const account: WritableAccount | undefined = this.#byId.get(id)
    if (account === undefined) return undefined
    account.opened = this.#parts.systemClock.now()
    delete account.lastUsed
    this.#away.delete(id)
    return account
  }

  /** Notes that an account is not on this server any more. */
  leave (id: number): void {
    if (this.#byId.has(id)) this.#away.add(id)
  }

  /** Forgets an account that was deleted on another server. */
  forgetDeleted (id: number): void {
    const account = this.#byId.get(id)
    if (account !== undefined) this.forget(account)
  }

  /** Returns the number of the account of a token, as far as this server knows it. */
  findKnownToken (token: string | undefined): number | undefined {
    return token === undefined ? undefined : this.#tokens.callers.get(token)?.account.id
  }

  /** Returns the number of the account of a token, wherever it is. */
  async findToken (token: string, isFresh = false): Promise<number | undefined> {
    const known = this.findKnownToken(token)
    if (known !== undefined && !(isFresh && this.#away.has(known))) return known
    const found = await this.#parts.store.findToken(token)
    // Its account was deleted, or has other tokens now.
    if (known !== undefined && known !== found) await this.refresh()
    return found
  }

  /** Adds an account of the ledger that the configuration does not have. */
  #addStored (id: number, name: string, state: AccountState): void {
    if (name.startsWith(sandboxPrefix)) this.#addSandbox(id, name, state)
    else if (state.made !== undefined) this.#add(id, 'admin', state.made, state)
    else this.#addWithoutToken(id, name, state)
  }

  /** Adds an account that left the configuration, or lost its token to it: its payments go on. */
  #addWithoutToken (id: number, name: string, state: AccountState): void {
    this.#add(id, 'ledger', { name }, { ...state, patched: {} })
  }

  /**
   * Returns the account and the permissions of a token, or undefined for an unknown token. A
   * sandbox token opens its account with its first use.
   */
  findCaller (token: string, opens = this.opensSandboxes): Caller | Promise<Caller> | undefined {
    const caller = this.#tokens.callers.get(token)
    if (caller !== undefined) {
      const account: WritableAccount = caller.account
      account.lastUsed = this.#parts.systemClock.now()
      return caller
    }
    return opens && isSandboxToken(token) ? this.#openSandbox(token) : undefined
  }

  /** Tells whether a sandbox token can open an account. */
  get opensSandboxes (): boolean {
    return this.#parts.sandboxLimit > 0
  }

  /** Caller without a token, where none is needed: a reader of the default account. */
  get anonymousCaller (): Caller {
    return { account: this.default, allow: ['read'] }
  }

  /** Returns an account of this server, or undefined if it was deleted or is away. */
  find (id: number): Account | undefined {
    return this.#away.has(id) ? undefined : this.#byId.get(id)
  }

  byId (id: number): Account {
    const account = this.find(id)
    if (account === undefined) throw new Error(`there is no account ${id}`)
    return account
  }

  byName (name: string): Account | undefined {
    return this.#byName.get(name)
  }

  /** All accounts, oldest first. What is known of those that are away may be old. */
  get all (): Account[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id)
  }

  /** Accounts of this server, oldest first. */
  get here (): Account[] {
    return this.all.filter(({ id }) => !this.#away.has(id))
  }

  /** Account of a request that names none. */
  get default (): Account {
    return this.#defaultAccount as Account
  }

  /** State of an account at the start: the configured clock, and no changes. */
  get initialState (): AccountState {
    return { clock: this.#parts.clock() }
  }

  /** Creates an account, with a name and a token if it has none, or returns its problems. */
  createAccount (
    given: Partial<AccountSettings>,
    createToken: (name: string) => string
  ): Promise<Account | SettingsProblem[]> {
    return this.#inTurn(() =>
      this.#untilFree(async () => {
        const settings = completeSettings(this.#freeNames.find(), given, createToken)
        const problems = checkNewSettings(settings, this.#taken, given)
        if (problems.length > 0) return problems
        const id = await this.#parts.store.createAccount(settings)
        this.#freeNames.note(settings.name)
        return this.#add(id, 'admin', settings, {})
      })
    )
  }

  /**
   * Does work that wants names or tokens which nobody has. If another server has given one to
   * somebody meanwhile, it is done again, and finds that out.
   */
  async #untilFree<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.refresh()
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof TakenError) || this.#parts.isShared !== true) throw error
      }
    }
  }

  /**
   * Changes settings of an account, or returns their problems and changes nothing. `merge` returns
   * the changed settings of the account as it is when its turn comes. `refuse` may throw.
   */
  changeSettings (
    account: Account,
    merge: (account: Account) => SettingsChanges,
    refuse: (changes: SettingsChanges, rows: AccountRows) => void = () => {}
  ): Promise<SettingsProblem[]> {
    let { tokens } = account.settings
    const edit = (edited: WritableAccount): void => {
      edited.patched = merge(edited)
      edited.settings = effectiveSettings(edited.base, edited.patched)
    }
    const check = ({ settings, patched }: Account, rows: AccountRows): void => {
      tokens = account.settings.tokens
      refuse(patched, rows)
      refuseProblems(checkChangedSettings(settings, patched, this.#taken, account))
    }
    const change = async (): Promise<SettingsProblem[]> => {
      await this.changes.saveEdit(account, edit, { refusesTaken: true }, check)
      this.#tokens.remove(account, tokens)
      if (account.gone !== true) this.#tokens.add(account)
      return []
    }
    return this.#inTurn(() => this.#untilFree(change).catch(readProblems))
  }

  /** Prepares the replacement of the whole state of an account. */
  replaceState (account: Account, next: () => AccountState): AccountChange {
    let state = { clock: account.clock }
    let tokens: string[] = []
    return {
      state: () => {
        refuseDeletedAccount(account)
        state = { clock: this.#parts.clock(), ...next() }
        const copy = { ...account }
        assignState(copy, state)
        tokens = listTokens(copy)
        return storedState(copy)
      },
      tokens: () => tokens,
      committed: () => this.#adoptState(account, state)
    }
  }

  /** Removes an account from memory. */
  forget (account: WritableAccount): void {
    account.gone = true
    this.#away.delete(account.id)
    this.#byId.delete(account.id)
    if (this.#byName.get(account.name) === account) this.#byName.delete(account.name)
    this.#tokens.remove(account)
  }

  #adoptState (account: WritableAccount, state: AccountState & { clock: Clock }): void {
    delete account.setAside
    this.#tokens.remove(account)
    assignState(account, state)
    this.#tokens.add(account)
  }

  #openSandbox (token: string): Promise<Caller> {
    let opening = this.#opening.get(token)
    if (opening === undefined) {
      const { sandboxLimit, store } = this.#parts
      refuseSandbox(token, this.#byId.values(), sandboxLimit, this.#opening.size)
      opening = this.refresh()
        .then(async () => {
          // Other servers may have opened some.
          refuseSandbox(token, this.#byId.values(), sandboxLimit)
          return await store.openAccount(token, [token])
        })
        .then((id) => {
          const caller = this.#addSandbox(id, token, {})
          this.changes.noteUse(caller.account)
          return caller
        })
        .finally(() => this.#opening.delete(token))
      this.#opening.set(token, opening)
    }
    return opening
  }

  /** Adds a sandbox account: the settings of the default account, and its own token. */
  #addSandbox (id: number, token: string, state: AccountState): Caller {
    const settings = { ...this.#default, name: token, tokens: [{ token }] }
    if (!this.#byId.has(id)) this.#add(id, 'sandbox', settings, state)
    return this.#tokens.callers.get(token) as Caller
  }

  #add (id: number, origin: Origin, base: AccountSettings, state: AccountState): Account {
    const account: Account = {
      id,
      name: base.name,
      origin,
      base,
      patched: {},
      settings: base,
      clock: this.#parts.clock(),
      outages: new Map(),
      outageEnds: {},
      scenarios: [],
      opened: this.#parts.systemClock.now()
    }
    this.#byId.set(id, account)
    this.#byName.set(account.name, account)
    if (this.#parts.isShared === true) this.#away.add(id)
    this.#adoptState(account, { clock: account.clock, ...state })
    if (base === this.#default) this.#defaultAccount = account
    return account
  }

  /** Runs one change at a time, so that no two accounts get the same name or token. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work)
  }
}
