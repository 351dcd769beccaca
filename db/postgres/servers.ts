import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import type { OtherServer, ServerList } from '../../src/domain/server-list.ts'
import type { Connection } from '../connection.ts'
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
  readonly #put
  readonly #touch
  readonly #removeDead
  readonly #others
  readonly #remove
  #url = ''

  constructor (database: Database, number: number, secret: string, version: string) {
    const { connection } = database
    this.#database = database
    this.#version = version
    this.number = number
    this.secret = secret
    this.#lock = connection.prepare('LOCK TABLE servers IN SHARE ROW EXCLUSIVE MODE')
    this.#put = connection.prepare(
      `INSERT INTO servers (number, version, url, seen) VALUES (?, ?, ?, now())
      ON CONFLICT (number) DO UPDATE SET seen = now()`
    )
    this.#touch = connection.prepare('UPDATE servers SET seen = now() WHERE number = ?')
    this.#removeDead = connection.prepare(`DELETE FROM servers WHERE ${isDead}`)
    this.#others = connection.prepare<[number], OtherServer>(
      `SELECT number, url FROM servers WHERE number <> ? AND NOT ${isDead} ORDER BY number`
    )
    this.#remove = connection.prepare('DELETE FROM servers WHERE number = ?')
  }

  /** Opens the list for a server with a number. */
  static async open (
    database: Database,
    number: number,
    version: string
  ): Promise<PostgresServers> {
    const secret = await database.read(undefined, () => readSecret(database.connection))
    return new PostgresServers(database, number, secret, version)
  }

  async join (url: string): Promise<void> {
    await this.#database.write(undefined, async () => {
      // Of two versions that start together, one sees the other.
      this.#lock.run()
      await refuseOtherVersions(this.#database.connection, this.#version)
      this.#put.run(this.number, this.#version, url)
    })
    this.#url = url
  }

  renew (): Promise<boolean> {
    return this.#database.write(undefined, async () => {
      this.#removeDead.run()
      const isListed = (await this.#touch.change(this.number)) > 0
      if (!isListed) this.#put.run(this.number, this.#version, this.#url)
      return !isListed
    })
  }

  listOthers (): Promise<OtherServer[]> {
    return this.#database.read(undefined, () => this.#others.all(this.number))
  }

  leave (): Promise<void> {
    return this.#database.write(undefined, () => {
      this.#remove.run(this.number)
    })
  }
}

/** Reads the secret that the servers of a ledger share. */
async function readSecret (connection: Connection): Promise<string> {
  const read = connection.prepare<[], string>('SELECT secret FROM server_secret').pluck()
  const secret = await read.get()
  if (secret === undefined) throw new Error('the table server_secret has no row')
  return secret
}

/** Throws a LedgerUnusableError if servers use the ledger that cannot work with this version. */
export async function refuseOtherVersions (
  connection: Connection,
  own: string
): Promise<void> {
  const versions = await connection
    .prepare<[], string>(`SELECT version FROM servers WHERE NOT ${isDead} ORDER BY number`)
    .pluck()
    .all()
  const other = versions.find((version) => !isCompatible(version, own))
  if (other === undefined) return
  throw new LedgerUnusableError(
    `servers of momock ${other} use this ledger, and this is momock ${own}`,
    `start version ${other} here, or stop the other servers first; only the last number of ` +
      'the versions may differ'
  )
}

/** Tells whether servers of two versions can work together: they differ in the last number only. */
function isCompatible (one: string, other: string): boolean {
  return readMinor(one) === readMinor(other)
}

function readMinor (version: string): string {
  return version.split('.', 2).join('.')
}
