import type { Clock } from './clock.ts'
import type { Account, AccountSettings, Permission } from './domain/account.ts'
import { permissions } from './domain/account.ts'
import type { AccountStore } from './domain/ports.ts'

/** Who is calling: an account, and what the token may do there. */
export interface Caller {
  account: Account
  allow: readonly Permission[]
}

/** A token that begins so opens an account of its own. */
export const sandboxPrefix = 'sandbox-'

/** The accounts and the tokens that lead to them. */
export class Accounts {
  readonly #store: AccountStore
  readonly #callers = new Map<string, Caller>()
  readonly #byId = new Map<number, Account>()
  readonly #opening = new Map<string, Promise<Caller>>()
  readonly #default: AccountSettings
  readonly #clock: () => Clock
  #defaultId = 0

  private constructor (store: AccountStore, settings: AccountSettings, clock: () => Clock) {
    this.#store = store
    this.#default = settings
    this.#clock = clock
  }

  /** Opens the configured accounts, the first of which is the default one, and those that sandbox tokens opened before. */
  static async open (store: AccountStore, configured: readonly [AccountSettings, ...AccountSettings[]], clock: () => Clock): Promise<Accounts> {
    const accounts = new Accounts(store, configured[0], clock)
    for (const settings of configured) accounts.#add(await store.open(settings.name), settings)
    accounts.#defaultId = await store.open(configured[0].name)
    for (const { id, name } of await store.all()) {
      if (name.startsWith(sandboxPrefix) && !accounts.#byId.has(id)) accounts.#addSandbox(id, name)
    }
    return accounts
  }

  /** The caller a token belongs to; nothing, if it is not known. A sandbox token is known from its first use on. */
  caller (token: string): Caller | Promise<Caller> | undefined {
    return this.#callers.get(token) ?? (token.startsWith(sandboxPrefix) ? this.#openSandbox(token) : undefined)
  }

  /** Who calls without a token where none is needed: a reader of the default account. */
  get nobody (): Caller {
    return { account: this.byId(this.#defaultId), allow: ['read'] }
  }

  byId (id: number): Account {
    const account = this.#byId.get(id)
    if (account === undefined) throw new Error(`there is no account ${id}`)
    return account
  }

  #openSandbox (token: string): Promise<Caller> {
    let opening = this.#opening.get(token)
    if (opening === undefined) {
      opening = this.#store.open(token).then((id) => this.#addSandbox(id, token)).finally(() => this.#opening.delete(token))
      this.#opening.set(token, opening)
    }
    return opening
  }

  /** A sandbox account has the settings of the default one, and its own token. */
  #addSandbox (id: number, token: string): Caller {
    this.#add(id, { ...this.#default, name: token, tokens: [{ token }] })
    return this.#callers.get(token) as Caller
  }

  #add (id: number, settings: AccountSettings): void {
    const account: Account = { id, name: settings.name, settings, clock: this.#clock(), outages: new Map() }
    this.#byId.set(id, account)
    for (const { token, allow } of settings.tokens ?? []) this.#callers.set(token, { account, allow: allow ?? permissions })
  }
}
