import type { Account } from '../domain/account.ts'
import type { Permission } from '../domain/account-settings.ts'
import { permissions } from '../domain/account-settings.ts'

/** Account of a token, with the operations that the token allows. */
export interface Caller {
  readonly account: Account
  readonly allow: readonly Permission[]
}

/** Index from tokens to accounts. */
export class TokenIndex {
  readonly #callers = new Map<string, Caller>()
  /** Callers by token. */
  readonly callers: ReadonlyMap<string, Caller> = this.#callers

  /** Tells whether a token leads to an account other than this one. */
  isTaken (token: string, account?: Account): boolean {
    const caller = this.#callers.get(token)
    return caller !== undefined && caller.account !== account
  }

  /** Adds the tokens of an account. A token that leads to another account stays there. */
  add (account: Account): void {
    for (const { token, allow } of account.settings.tokens ?? []) {
      if (!this.#callers.has(token)) {
        this.#callers.set(token, { account, allow: allow ?? permissions })
      }
    }
  }

  remove (account: Account, tokens = account.settings.tokens): void {
    for (const { token } of tokens ?? []) {
      if (this.#callers.get(token)?.account === account) this.#callers.delete(token)
    }
  }
}
