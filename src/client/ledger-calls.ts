import { buildQuery } from './admin-connection.ts'
import { CallbackCalls } from './callback-calls.ts'
import type { Snapshot, Wallet } from './responses.ts'

/** Calls of the admin API about the ledger of the account: wallets, and snapshots as files. */
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

  /** Exports a snapshot as a file, which a server of the same version can import. */
  exportSnapshot (name: string): Promise<Uint8Array> {
    return this.download(`/snapshots/${encodeURIComponent(name)}/file`)
  }

  /** Imports a snapshot from the file of an export. */
  importSnapshot (name: string, file: Uint8Array): Promise<Snapshot> {
    return this.call('PUT', `/snapshots/${encodeURIComponent(name)}/file`, file)
  }

  /** Downloads an archive (tar.gz) with everything about the account, for a bug report. */
  bundle (): Promise<Uint8Array> {
    return this.download('/bundle')
  }

  /** Adds money to a wallet. */
  topUpWallet (country: string, currency: string, amount: string): Promise<Wallet> {
    return this.call('POST', `/wallets/${country}/${currency}/top-up`, { amount })
  }
}
