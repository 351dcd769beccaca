import type { ChangedAccount, KeyRecord } from '../../src/domain/stores.ts'
import type { Connection } from '../connection.ts'
import { versionOfKeys } from './schema.ts'

interface ChangedRow {
  account: number
  version: number
  name: string | null
  state: string | null
}

/**
 * Versions of the accounts that several servers change. A trigger gives each change the next
 * number; the numbers are in the order of the commits, so a server reads all changes after the last
 * one that it knows.
 */
export class AccountVersions {
  /** Number of the last change that this server knows. */
  known = 0
  /** Called for each change of another server, or of this one. */
  listener: (changed: ChangedAccount) => void = () => {}
  /** Called with all keys, newest first, when a server has added one. */
  keyListener: (keys: KeyRecord[]) => void = () => {}
  readonly #lock
  readonly #last
  readonly #changed
  readonly #keys

  constructor (connection: Connection) {
    this.#lock = connection.prepare('SELECT count FROM account_changes FOR UPDATE')
    this.#last = connection.prepare<[], number>('SELECT count FROM account_changes').pluck()
    this.#changed = connection.prepare<[number], ChangedRow>(`
      SELECT account, version, name, state
      FROM account_versions LEFT JOIN accounts ON id = account
      WHERE version > ? ORDER BY version`)
    this.#keys = connection.prepare<[], KeyRecord>(
      'SELECT id, private_key AS "privateKey" FROM keys ORDER BY seq DESC'
    )
  }

  /** Knows all changes up to now: the caller reads all accounts. */
  async begin (): Promise<void> {
    this.known = (await this.#last.get()) ?? 0
  }

  /** Lets no other server change an account until the end of the transaction. */
  async lock (): Promise<void> {
    await this.#lock.all()
  }

  /** Adopts the changes since the last one that is known. The transaction has made none itself. */
  async adoptChanges (): Promise<void> {
    for (const { account, version, name, state } of await this.#changed.all(this.known)) {
      if (account === versionOfKeys) this.keyListener(await this.#keys.all())
      else {
        this.listener({
          id: account,
          ...(name !== null && state !== null && { name, state: JSON.parse(state) })
        })
      }
      // Not before: the connection may be lost while the keys are read.
      this.known = version
    }
  }
}
