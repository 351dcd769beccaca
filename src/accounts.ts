import type { Clock } from './clock.ts'
import type { Account, AccountSettings, AccountState, Permission } from './domain/account.ts'
import { permissions, stateOf } from './domain/account.ts'
import type { AccountStore, Changes } from './domain/ports.ts'
import type { Scenario } from './domain/scenario.ts'
import { readScenario } from './domain/scenario.ts'

/** Who is calling: an account, and what the token may do there. */
export interface Caller {
  account: Account
  allow: readonly Permission[]
}

/** A token that begins so opens an account of its own. */
export const sandboxPrefix = 'sandbox-'
/** It becomes the name of an account, so it can be as long as one. */
const sandboxToken = new RegExp(`^${sandboxPrefix}[!-~]{1,120}$`)

/** The accounts and the tokens that lead to them. */
export class Accounts {
  readonly #store: AccountStore
  readonly #callers = new Map<string, Caller>()
  readonly #byId = new Map<number, Account>()
  readonly #opening = new Map<string, Promise<Caller>>()
  readonly #default: AccountSettings
  readonly #clock: () => Clock
  readonly #changes: Changes
  #defaultAccount: Account | undefined

  private constructor (store: AccountStore, settings: AccountSettings, clock: () => Clock, changes: Changes) {
    this.#store = store
    this.#default = settings
    this.#clock = clock
    this.#changes = changes
  }

  /** Opens the configured accounts, the first of which is the default one, and those that sandbox tokens opened before. */
  static async open (store: AccountStore, configured: readonly [AccountSettings, ...AccountSettings[]], clock: () => Clock, changes: Changes): Promise<Accounts> {
    const accounts = new Accounts(store, configured[0], clock, changes)
    for (const settings of configured) await store.open(settings.name)
    const taken = new Set(configured.flatMap(({ tokens = [] }) => tokens.map(({ token }) => token)))
    for (const { id, name, state } of await store.all()) {
      const settings = configured.find((settings) => settings.name === name)
      if (settings !== undefined) accounts.#add(id, settings, state)
      else if (name.startsWith(sandboxPrefix) && !taken.has(name)) accounts.#addSandbox(id, name, state)
      // One that has gone from the configuration, or lost its token to it: nobody gets in, but its payments run to their end.
      else accounts.#add(id, { name }, state)
    }
    return accounts
  }

  /** The caller a token belongs to; nothing, if it is not known. A sandbox token is known from its first use on. */
  caller (token: string): Caller | Promise<Caller> | undefined {
    return this.#callers.get(token) ?? (sandboxToken.test(token) ? this.#openSandbox(token) : undefined)
  }

  /** Who calls without a token where none is needed: a reader of the default account. */
  get nobody (): Caller {
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

  /** The account that is meant when nobody is named. */
  get default (): Account {
    return this.#defaultAccount as Account
  }

  /** Keeps what was changed of an account. */
  async save (account: Account): Promise<void> {
    await this.#store.save(account.id, stateOf(account))
    this.#changes.touch(account.id)
  }

  #openSandbox (token: string): Promise<Caller> {
    let opening = this.#opening.get(token)
    if (opening === undefined) {
      opening = this.#store.open(token).then((id) => this.#addSandbox(id, token, {})).finally(() => this.#opening.delete(token))
      this.#opening.set(token, opening)
    }
    return opening
  }

  /** A sandbox account has the settings of the default one, and its own token. */
  #addSandbox (id: number, token: string, state: AccountState): Caller {
    this.#add(id, { ...this.#default, name: token, tokens: [{ token }] }, state)
    return this.#callers.get(token) as Caller
  }

  #add (id: number, settings: AccountSettings, { clock, outages = {}, rules = [] }: AccountState): void {
    const account: Account = {
      id,
      name: settings.name,
      settings,
      clock: clock ?? this.#clock(),
      outages: new Map(Object.entries(outages)),
      rules: rules.map(({ name, written }) => ({ written, scenario: readScenario(name, written) as Scenario }))
    }
    if (settings === this.#default) this.#defaultAccount = account
    this.#byId.set(id, account)
    for (const { token, allow } of settings.tokens ?? []) this.#callers.set(token, { account, allow: allow ?? permissions })
  }
}
