import type { Clock, SystemClock } from '../lib/clock.ts'
import type {
  Account,
  AccountSettings,
  AccountState,
  Origin,
  SettingsChanges,
  Permission
} from '../domain/account.ts'
import { permissions, effectiveSettings, storedState } from '../domain/account.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { Refused } from '../domain/refusal.ts'
import type { AccountStore, ChangeNotifier } from '../domain/ports.ts'
import type { Scenario } from '../domain/scenario.ts'
import { readScenario } from '../domain/scenario.ts'
import type { SettingsProblem } from './settings-checks.ts'
import { checkSettings, longestSandboxName, sandboxPrefix } from './settings-checks.ts'

/** Who is calling: an account, and what the token may do there. */
export interface Caller {
  account: Account
  allow: readonly Permission[]
}

/** It becomes the name of an account, so it can be as long as one. */
const sandboxToken = new RegExp(`^${sandboxPrefix}[!-~]{1,${longestSandboxName}}$`)

/** The accounts and the tokens that lead to them. */
export class Accounts {
  readonly #store: AccountStore
  readonly #callers = new Map<string, Caller>()
  readonly #byId = new Map<number, Account>()
  readonly #byName = new Map<string, Account>()
  readonly #opening = new Map<string, Promise<Caller>>()
  readonly #default: AccountSettings
  readonly #clock: () => Clock
  readonly #systemClock: SystemClock
  readonly #changes: ChangeNotifier
  readonly #catalogue: Catalogue
  #defaultAccount: Account | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #named = 0

  private constructor (
    store: AccountStore,
    settings: AccountSettings,
    clock: () => Clock,
    systemClock: SystemClock,
    changes: ChangeNotifier,
    catalogue: Catalogue
  ) {
    this.#store = store
    this.#default = settings
    this.#clock = clock
    this.#systemClock = systemClock
    this.#changes = changes
    this.#catalogue = catalogue
  }

  /**
   * Opens the configured accounts, the first of which is the default one, and those that were
   * opened or made before.
   */
  static async open (
    store: AccountStore,
    configured: readonly [AccountSettings, ...AccountSettings[]],
    clock: () => Clock,
    systemClock: SystemClock,
    changes: ChangeNotifier,
    catalogue: Catalogue
  ): Promise<Accounts> {
    const accounts = new Accounts(store, configured[0], clock, systemClock, changes, catalogue)
    for (const settings of configured) await store.openAccount(settings.name)
    const taken = new Set(configured.flatMap(({ tokens = [] }) => tokens.map(({ token }) => token)))
    const later: Array<() => void> = []
    for (const { id, name, state } of await store.listAccounts()) {
      const settings = configured.find((settings) => settings.name === name)
      // What the configuration says comes first: tokens that were given out otherwise give way to
      // it.
      if (settings !== undefined && state.patched?.tokens === undefined) {
        accounts.#add(id, 'configuration', settings, state)
      } else if (settings !== undefined) {
        later.push(() => accounts.#add(id, 'configuration', settings, state))
      } else if (name.startsWith(sandboxPrefix) && !taken.has(name)) {
        later.push(() => accounts.#addSandbox(id, name, state))
      } else if (state.made !== undefined) {
        later.push(() => accounts.#add(id, 'admin', state.made as AccountSettings, state))
      } else {
        // An account that left the configuration, or lost its token to it: no token opens it, but
        // its payments run to their end.
        accounts.#add(id, 'ledger', { name }, { ...state, patched: {} })
      }
    }
    for (const add of later) add()
    return accounts
  }

  /**
   * The caller a token belongs to; nothing, if it is not known. A sandbox token is known from its
   * first use on.
   */
  findCaller (token: string): Caller | Promise<Caller> | undefined {
    const caller = this.#callers.get(token)
    if (caller !== undefined) {
      caller.account.lastUsed = this.#systemClock.now()
      return caller
    }
    return sandboxToken.test(token) ? this.#openSandbox(token) : undefined
  }

  /** Who calls without a token where none is needed: a reader of the default account. */
  get anonymousCaller (): Caller {
    return { account: this.default, allow: ['read'] }
  }

  has (id: number): boolean {
    return this.#byId.has(id)
  }

  byId (id: number): Account {
    const account = this.#byId.get(id)
    if (account === undefined) throw new Error(`there is no account ${id}`)
    return account
  }

  byName (name: string): Account | undefined {
    return this.#byName.get(name)
  }

  /** Every account, oldest first. */
  get all (): Account[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id)
  }

  /** The account that is meant when nobody is named. */
  get default (): Account {
    return this.#defaultAccount as Account
  }

  /** Keeps what was changed of an account. */
  async save (account: Account): Promise<void> {
    // Read when it is written, so that nothing older comes after something newer.
    await this.#store.saveState(account.id, () => {
      refuseDeletedAccount(account)
      return storedState(account)
    })
    this.#changes.notify(account.id)
  }

  /**
   * Makes an account, or says what is wrong with its settings. It is given a name and a token if it
   * has none.
   */
  createAccount (
    { name = this.#freeName(), ...given }: Partial<AccountSettings>,
    token: (name: string) => string
  ): Promise<Account | SettingsProblem[]> {
    const { tokens = [] } = given
    const settings = {
      ...given,
      name,
      tokens: tokens.length > 0 ? tokens : [{ token: token(name) }]
    }
    return this.#inTurn(async () => {
      const flaws = this.#flaws(settings)
      // Of a token that was made from the name, nobody wants to hear what is wrong with the name.
      if (flaws.length > 0) {
        return tokens.length > 0 || flaws.every(({ field }) => field.startsWith('tokens.'))
          ? flaws
          : flaws.filter(({ field }) => !field.startsWith('tokens.'))
      }
      const id = await this.#store.openAccount(settings.name, { made: settings })
      return this.#add(id, 'admin', settings, {})
    })
  }

  /** Changes settings of an account; bad ones change nothing. */
  changeSettings (account: Account, patched: SettingsChanges): Promise<SettingsProblem[]> {
    return this.#inTurn(async () => {
      refuseDeletedAccount(account)
      const settings = effectiveSettings(account.base, patched)
      const shut = 'tokens' in patched && (settings.tokens ?? []).length === 0
      const flaws = shut
        ? [
            {
              field: 'tokens',
              says:
                'must hold at least one token, because without any nobody gets into the ' +
                'account; give it others, such as [{ "token": "my-token" }]'
            }
          ]
        : this.#flaws(settings, account)
      if (flaws.length > 0) return flaws
      const before = account.patched
      this.assume(account, { ...storedState(account), patched })
      try {
        await this.save(account)
      } catch (error) {
        if (account.gone !== true) {
          this.assume(account, { ...storedState(account), patched: before })
        }
        throw error
      }
      return []
    })
  }

  /** An account as it would start: its clock as the configuration has it, and nothing changed. */
  get initialState (): AccountState {
    return { clock: this.#clock() }
  }

  /**
   * Gives an account another state than it had; what is not said is as at the start. One that is
   * gone gets no tokens any more.
   */
  assume (account: Account, { clock, outages = {}, rules = [], patched = {} }: AccountState): void {
    refuseDeletedAccount(account)
    this.#takeTokens(account)
    account.clock = clock ?? this.#clock()
    account.outages = new Map(Object.entries(outages))
    account.scenarios = rules.map(({ name, written }) => ({
      written,
      scenario: readScenario(name, written) as Scenario
    }))
    account.patched = patched
    account.settings = effectiveSettings(account.base, patched)
    this.#giveTokens(account)
  }

  /** Knows an account no more. */
  forget (account: Account): void {
    account.gone = true
    this.#byId.delete(account.id)
    this.#byName.delete(account.name)
    this.#takeTokens(account)
  }

  /** Knows it again after all. */
  remember (account: Account): void {
    account.gone = false
    this.#byId.set(account.id, account)
    this.#byName.set(account.name, account)
    this.#giveTokens(account)
  }

  /**
   * What is wrong with settings among those of all other accounts; of a new account, or of one that
   * is there.
   */
  #flaws (settings: AccountSettings, account?: Account): SettingsProblem[] {
    const flaws = checkSettings(settings, {
      isName: (name) => this.#byName.has(name) && this.#byName.get(name) !== account,
      isToken: (token) => this.#callers.has(token) && this.#callers.get(token)?.account !== account,
      own:
        account === undefined
          ? []
          : [account.name, ...(account.base.tokens ?? []).map(({ token }) => token)],
      catalogue: this.#catalogue
    })
    const kept =
      account?.origin !== 'sandbox' ||
      settings.tokens?.some(({ token }) => token === account.name) === true
    return kept
      ? flaws
      : [
          ...flaws,
          { field: 'tokens', says: `must keep '${account.name}', the token that opens the account` }
        ]
  }

  /** A name that nobody has, and nobody was given before in this run. */
  #freeName (): string {
    do this.#named++
    while (this.#byName.has(`account-${this.#named}`))
    return `account-${this.#named}`
  }

  #openSandbox (token: string): Promise<Caller> {
    let opening = this.#opening.get(token)
    if (opening === undefined) {
      opening = this.#store
        .openAccount(token)
        .then((id) => this.#openedSandbox(id, token))
        .finally(() => this.#opening.delete(token))
      this.#opening.set(token, opening)
    }
    return opening
  }

  #openedSandbox (id: number, token: string): Caller {
    const caller = this.#addSandbox(id, token, {})
    caller.account.lastUsed = caller.account.opened
    return caller
  }

  /** A sandbox account has the settings of the default one, and its own token. */
  #addSandbox (id: number, token: string, state: AccountState): Caller {
    this.#add(id, 'sandbox', { ...this.#default, name: token, tokens: [{ token }] }, state)
    return this.#callers.get(token) as Caller
  }

  #add (id: number, origin: Origin, base: AccountSettings, state: AccountState): Account {
    const account: Account = {
      id,
      name: base.name,
      origin,
      base,
      patched: {},
      settings: base,
      clock: this.#clock(),
      outages: new Map(),
      scenarios: [],
      opened: this.#systemClock.now()
    }
    this.remember(account)
    this.assume(account, state)
    if (base === this.#default) this.#defaultAccount = account
    return account
  }

  /** A token that leads elsewhere already goes on doing so. */
  #giveTokens (account: Account): void {
    for (const { token, allow } of account.settings.tokens ?? []) {
      if (!this.#callers.has(token)) {
        this.#callers.set(token, { account, allow: allow ?? permissions })
      }
    }
  }

  #takeTokens (account: Account): void {
    for (const { token } of account.settings.tokens ?? []) {
      if (this.#callers.get(token)?.account === account) this.#callers.delete(token)
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }
}

/**
 * Who was deleted while its request was under way is not let in any more. Called where something is
 * about to be written.
 */
export function refuseDeletedAccount (account: Account): void {
  if (account.gone === true) throw deletedAccountError()
}

/** What they are told. */
export function deletedAccountError (): Refused {
  return new Refused('NOT_AUTHENTICATED', 'this account was deleted a moment ago')
}
