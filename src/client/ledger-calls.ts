import { buildQuery } from './admin-connection.ts'
import { CallbackCalls } from './callback-calls.ts'
import type { Wallet } from './responses.ts'

/** Calls of the admin API about the money of the account. */
export class LedgerCalls extends CallbackCalls {
  /** Lists the wallets of the account, used or not, or those of one country. */
  async wallets (filter: { country?: string } = {}): Promise<Wallet[]> {
    const path = `/wallets${buildQuery(filter)}`
    return (await this.call<{ wallets: Wallet[] }>('GET', path)).wallets
  }

  /** Sets the available money of a wallet, such as `'500.00'`. */
  setWallet (country: string, currency: string, available: string): Promise<Wallet> {
    return this.call('PUT', `/wallets/${country}/${currency}`, { available })
  }

  /** Adds money to a wallet. */
  topUpWallet (country: string, currency: string, amount: string): Promise<Wallet> {
    return this.call('POST', `/wallets/${country}/${currency}/top-up`, { amount })
  }
}
