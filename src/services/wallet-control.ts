import { refuseDeletedAccount } from '../accounts/account-changes.ts'
import type { Accounts } from '../accounts/registry.ts'
import { openingBalanceOf, type Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import { listWallets } from '../domain/account-offering.ts'
import { toHundredths } from '../domain/amount.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { isSameWallet, type WalletBalance, type WalletName } from '../domain/money.ts'
import type { ChangeNotifier } from '../ports/ledger.ts'
import { Refused } from '../domain/refusal.ts'
import type { Wallets } from '../ports/stores.ts'

/** Most money in a wallet, in hundredths: twelve digits before the point, like opening balances. */
export const mostInWallet = toHundredths('999999999999.99')

/** A wallet of an account; `used` is false while it still has its opening balance. */
export interface ControlledWallet extends WalletBalance {
  used: boolean
}

export interface WalletControlParts {
  wallets: Wallets
  catalogue: Catalogue
  accounts: Pick<Accounts, 'now'>
  changes: ChangeNotifier
}

/** Wallets as a tester sees and changes them. */
export class WalletControl {
  readonly #parts: WalletControlParts

  constructor (parts: WalletControlParts) {
    this.#parts = parts
  }

  /** Lists the wallets of an account, or those of one country. */
  async listWallets (account: Account, country?: string): Promise<ControlledWallet[]> {
    const names = this.listNames(account, country)
    const used = await this.#parts.wallets.listUsed(account.id)
    return names.map((name) => {
      const wallet = used.find((one) => isSameWallet(one, name))
      return {
        ...name,
        available: wallet?.available ?? toHundredths(openingBalanceOf(account.settings, name)),
        reserved: wallet?.reserved ?? 0,
        used: wallet !== undefined
      }
    })
  }

  /** Lists the names of the wallets of an account, used or not. */
  listNames (account: Account, country?: string): WalletName[] {
    return listWallets(account, this.#parts.catalogue, country)
  }

  /** Sets the available money of a wallet, in hundredths. Reserved money stays reserved. */
  setAvailable (account: Account, wallet: WalletName, available: number): Promise<WalletBalance> {
    return this.#change(account, wallet, () => available)
  }

  /** Adds money to a wallet, in hundredths. */
  topUp (account: Account, wallet: WalletName, amount: number): Promise<WalletBalance> {
    return this.#change(account, wallet, (available) => {
      if (available + amount > mostInWallet) {
        throw new Refused(
          'INVALID',
          'amount is too large: a wallet can hold at most 999999999999.99'
        )
      }
      return available + amount
    })
  }

  async #change (
    account: Account,
    wallet: WalletName,
    change: (available: number) => number
  ): Promise<WalletBalance> {
    const { wallets, accounts, changes } = this.#parts
    const at = (): number => {
      refuseDeletedAccount(account)
      return accounts.now(account)
    }
    const changed = await wallets.changeAvailable(account.id, wallet, at, change)
    changes.notify(account.id)
    return changed
  }
}

/**
 * Returns the wallets whose opening balance would change although they were used: the change would
 * have no effect.
 */
export function findUsedOpenings (
  settings: AccountSettings,
  wallets: NonNullable<AccountSettings['wallets']>,
  used: readonly WalletName[]
): NonNullable<AccountSettings['wallets']> {
  return wallets.filter(
    (wallet) =>
      toHundredths(wallet.balance) !== toHundredths(openingBalanceOf(settings, wallet)) &&
      used.some((one) => isSameWallet(one, wallet))
  )
}
