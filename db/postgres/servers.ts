import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import type { OtherServer, ServerList } from '../../src/domain/server-list.ts'
import type { Database } from '../database.ts'

/** Time after which a server that was not renewed does not count any more. */
const deadSeconds = 15

const isDead = `seen < now() - interval '${deadSeconds} s'`

/** List of servers in the table `servers`. */
export class PostgresServers implements ServerList {
  readonly number: number
  readonly secret: string
  readonly renewalMs = (deadSeconds * 1000) / 5
  readonly #database: Database
  readonly #version: string
  readonly #lock
  readonly #versions
  readonly #put
  readonly #removeDead
  readonly #others
  readonly #remove
  #url = ''

  constructor (database: Database, number: number, version: string) {
    const { connection } = database
    this.#database = database
    this.#version = version
    this.number = number
    this.secret = String(connection.prepare('SELECT secret FROM server_secret').pluck().get())
    this.#lock = connection.prepare('LOCK TABLE servers IN SHARE ROW EXCLUSIVE MODE')
    this.#versions = connection
      .prepare<[], string>(`SELECT version FROM servers WHERE NOT ${isDead} ORDER BY number`)
      .pluck()
    this.#put = connection.prepare(
      `INSERT INTO servers (number, version, url, seen) VALUES (?, ?, ?, now())
      ON CONFLICT (number) DO UPDATE SET seen = now()`
    )
    this.#removeDead = connection.prepare(`DELETE FROM servers WHERE ${isDead}`)
    this.#others = connection.prepare<[number], OtherServer>(
      `SELECT number, url FROM servers WHERE number <> ? AND NOT ${isDead} ORDER BY number`
    )
    this.#remove = connection.prepare('DELETE FROM servers WHERE number = ?')
  }

  async join (url: string): Promise<void> {
    const other = await this.#database.transact(() => {
      // Of two versions that start together, one sees the other.
      this.#lock.run()
      const other = this.#versions.all().find((version) => !isCompatible(version, this.#version))
      if (other === undefined) this.#put.run(this.number, this.#version, url)
      return other
    })
    this.#url = url
    if (other === undefined) return
    throw new LedgerUnusableError(
      `servers of momock ${other} use this ledger, and this is momock ${this.#version}`,
      `start version ${other} here, or stop the other servers first; only the last number of ` +
        'the versions may differ'
    )
  }

  renew (): Promise<void> {
    return this.#database.transact(() => {
      this.#removeDead.run()
      this.#put.run(this.number, this.#version, this.#url)
    })
  }

  listOthers (): Promise<OtherServer[]> {
    return this.#database.transact(() => this.#others.all(this.number))
  }

  leave (): Promise<void> {
    return this.#database.transact(() => {
      this.#remove.run(this.number)
    })
  }
}

/** Tells whether servers of two versions can work together: they differ in the last number only. */
function isCompatible (one: string, other: string): boolean {
  return readMinor(one) === readMinor(other)
}

function readMinor (version: string): string {
  return version.split('.', 2).join('.')
}
