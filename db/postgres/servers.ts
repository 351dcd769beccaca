import type pg from 'pg'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import type { AccountPlace, Look, ServerList } from '../../src/ports/server-list.ts'
import type { Database } from '../database.ts'
import type { PostgresEngine } from './engine.ts'
import { creationLock } from './ledger.ts'
import type { SessionName } from './lost-sessions.ts'
import { beginColumn } from './lost-sessions.ts'
import { isLive, numberLock } from './server-tables.ts'

/** Most accounts that a server takes over at once. */
const mostOrphans = 500

/** Condition for an account whose owner is gone, or that has none. */
const isFree = (owner: string): string =>
  `NOT EXISTS (SELECT 1 FROM servers WHERE number = ${owner} AND ${isLive})`

/** The session of a server. */
const ownSession = `pg_stat_activity ON pid = session AND ${beginColumn} = session_begin`

/** Time after its last statement in which a server works: it looks at the others more often. */
const stillWorkingMs = 3000

interface LookRow {
  now: number
  /** Numbers, as an array in JSON. */
  orphans: string
  /** Servers, as an array in JSON. */
  others: string
}

/** Row of an account, with its server if it has one. */
interface PlaceRow {
  number: number | null
  url: string | null
  isLeaving: number | null
}

/**
 * The servers of a ledger, and which of them has which account. A server is alive as long as its
 * session holds the lock of its number. The same session does all its writes, so a server that has
 * lost it can write nothing any more. Then it comes back with another number.
 */
export class PostgresServers implements ServerList {
  number = 0
  url: string | null = null
  secret = ''
  readonly #database: Database
  readonly #version: string
  readonly #place
  readonly #claim
  readonly #claimed
  readonly #look
  readonly #announce
  readonly #leaving
  readonly #release
  readonly #giveBack
  readonly #leave
  readonly #staying
  readonly #working
  readonly #terminate
  #onLoss: () => void = () => {}

  constructor (database: Database, version: string) {
    const { connection } = database
    this.#database = database
    this.#version = version
    this.#place = connection.prepare<[number], PlaceRow>(`
      SELECT number, url, is_leaving::int AS "isLeaving" FROM accounts
      LEFT JOIN account_owners ON account = id LEFT JOIN servers ON number = owner AND ${isLive}
      WHERE id = ?`)
    this.#claim = connection.prepare(`
      INSERT INTO account_owners (account, owner) SELECT id, ?::bigint FROM accounts WHERE id = ?
      ON CONFLICT (account) DO UPDATE SET owner = excluded.owner
      WHERE ${isFree('account_owners.owner')}`)
    this.#claimed = connection.prepare<[number, number], object>(
      'SELECT 1 FROM account_owners WHERE account = ? AND owner = ?'
    )
    // Servers that look at the same moment begin with other accounts.
    this.#look = connection.prepare<[number, number], LookRow>(`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, (
        SELECT COALESCE(json_agg(id), '[]')::text FROM (
          SELECT id FROM accounts LEFT JOIN account_owners ON account = id
          WHERE ${isFree('owner')} AND (
            EXISTS (SELECT 1 FROM due_queue WHERE due_queue.ledger = accounts.ledger)
            OR EXISTS (SELECT 1 FROM callbacks WHERE callbacks.ledger = accounts.ledger
              AND callbacks.state = 'PENDING')
            -- It is deleted when nobody uses it.
            OR name LIKE 'sandbox-%')
          ORDER BY id % 7919 * ? % 7919 LIMIT ${mostOrphans}) AS found
      ) AS orphans, (
        SELECT COALESCE(json_agg(json_build_object('number', number, 'url', url,
          'isLeaving', is_leaving)), '[]')::text
        FROM servers WHERE number <> ? AND ${isLive}
      ) AS others`)
    this.#announce = connection.prepare('UPDATE servers SET url = ? WHERE number = ?')
    this.#leaving = connection.prepare('UPDATE servers SET is_leaving = true WHERE number = ?')
    this.#release = connection.prepare(
      'DELETE FROM account_owners WHERE account = ? AND owner = ?'
    )
    this.#giveBack = connection.prepare('DELETE FROM account_owners WHERE owner = ?')
    this.#leave = connection.prepare('DELETE FROM servers WHERE number = ?')
    this.#staying = connection.prepare<[number], object>(
      `SELECT 1 FROM servers WHERE number = ? AND NOT (is_leaving AND ${isLive})`
    )
    this.#working = connection.prepare<[number], object>(`
      SELECT 1 FROM servers JOIN ${ownSession} WHERE number = ? AND (state = 'active'
        OR state_change > clock_timestamp() - interval '${stillWorkingMs} ms')`)
    this.#terminate = connection.prepare<[number], object>(`
      SELECT pg_terminate_backend(pid) FROM servers JOIN ${ownSession} WHERE number = ?`)
  }

  /** Joins the servers of a ledger. Throws a LedgerUnusableError if others have another version. */
  static async join (
    database: Database,
    engine: PostgresEngine,
    version: string
  ): Promise<PostgresServers> {
    const servers = new PostgresServers(database, version)
    engine.listenForLoss(() => servers.#onLoss())
    await engine.beginSession((client, name) => servers.#join(client, name))
    return servers
  }

  /** Takes a number, on a session that holds its lock from now on. */
  async #join (client: pg.Client, { number: session, begin }: SessionName): Promise<void> {
    // Of two servers that start together, one sees the other; and nobody empties the ledger.
    await client.query(`BEGIN; ${creationLock}`)
    const { rows: versions } = await client.query<{ version: string }>(
      `SELECT version FROM servers WHERE ${isLive}`
    )
    refuseOtherVersions(
      versions.map(({ version }) => version),
      this.#version
    )
    const { rows } = await client.query<{ number: string; secret: string }>(
      "SELECT nextval('server_numbers') AS number, secret FROM server_secret"
    )
    const number = Number(rows[0].number)
    await client.query(`SELECT pg_advisory_lock(${numberLock}, ${number})`)
    await client.query(
      `INSERT INTO servers (number, version, url, session, session_begin)
      VALUES ($1, $2, $3, $4, $5)`,
      [number, this.#version, this.url, session, begin]
    )
    await client.query(`DELETE FROM servers WHERE NOT ${isLive}; COMMIT`)
    this.number = number
    this.secret = rows[0].secret
  }

  listenForLoss (listener: () => void): void {
    this.#onLoss = listener
  }

  announce (url: string): Promise<void> {
    this.url = url
    return this.#database.write(undefined, () => this.#announce.run(url, this.number))
  }

  async findPlace (account: number): Promise<AccountPlace> {
    const owner = await this.#database.read(undefined, () => this.#place.get(account))
    if (owner === undefined) return 'deleted'
    const { number, url, isLeaving } = owner
    if (number === this.number) return 'here'
    if (number !== null) return { number, url, isLeaving: isLeaving === 1 }
    const claim = async (): Promise<AccountPlace> => {
      await this.#claim.change(this.number, account)
      return (await this.#claimed.get(account, this.number)) === undefined ? 'nowhere' : 'here'
    }
    // Servers that claim some accounts in another order would wait for each other.
    return await this.#database.write(undefined, claim, { alone: true })
  }

  async look (): Promise<Look> {
    const row = await this.#database.read(undefined, () =>
      this.#look.get(this.number, this.number)
    )
    if (row === undefined) throw new Error('a look at the servers has no row')
    return { now: row.now, orphans: JSON.parse(row.orphans), others: JSON.parse(row.others) }
  }

  release (account: number): Promise<void> {
    return this.#database.write(undefined, () => this.#release.run(account, this.number))
  }

  beginLeaving (): Promise<void> {
    return this.#database.write(undefined, () => this.#leaving.run(this.number))
  }

  leave (): Promise<void> {
    return this.#database.write(undefined, () => {
      this.#giveBack.run(this.number)
      this.#leave.run(this.number)
    })
  }

  async hasLeft (server: number): Promise<boolean> {
    const row = await this.#database.read(undefined, () => this.#staying.get(server))
    // Whoever leaves deletes its row. That of a dead server stays until the next one joins.
    return row === undefined
  }

  async isWorking (server: number): Promise<boolean> {
    return (await this.#database.read(undefined, () => this.#working.get(server))) !== undefined
  }

  async end (server: number): Promise<void> {
    await this.#database.write(undefined, () => this.#terminate.all(server))
  }
}

/** Throws a LedgerUnusableError if servers use the ledger that cannot work with this version. */
function refuseOtherVersions (versions: readonly string[], own: string): void {
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
