import { ledgerTableNames } from '../ledger-rows.ts'
import { listNames } from '../../src/lib/name-list.ts'
import type { Connection } from '../connection.ts'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { orElsewhere } from './faults.ts'
import { isLive } from './server-tables.ts'
import { ledgerVersion, refuseOtherVersion } from '../schema.ts'
import { refuseUnwritable } from './rights.ts'
import { dropTables, ledgerTable, schema } from './schema.ts'

/** Oldest version of PostgreSQL that is supported. */
const oldestServer = 14
/** Tables of a ledger that begins without rows. */
const ledgerTables = [...ledgerTableNames, 'servers', 'account_owners']
/** Lock of a server that creates, empties or joins a ledger: the letters MOMK. */
export const creationLock = `SELECT pg_advisory_xact_lock(${0x4d4f4d4b})`

/**
 * Creates the ledger of a database, if its schema is empty. Refuses everything else and changes
 * nothing. Of several servers that start together, one creates it.
 */
export async function prepareLedger (connection: Connection, place: string): Promise<void> {
  await runInTransaction(connection, async () => {
    await connection.exec(creationLock)
    const version = await inspectLedger(connection, place)
    if (version !== 0) refuseOtherVersion(`in ${place}`, version, orElsewhere)
    await refuseUnwritable(connection, place, version === 0)
    if (version === 0) await connection.exec(schema)
  })
}

/** Empties a ledger, and numbers new rows from 1. One of another version gets new tables. */
export async function renewLedger (connection: Connection, place: string): Promise<void> {
  await runInTransaction(connection, async () => {
    await connection.exec(creationLock)
    const version = await inspectLedger(connection, place)
    await refuseUnwritable(connection, place, version !== ledgerVersion)
    if (version === ledgerVersion) await refuseLiveServers(connection, place)
    if (version === ledgerVersion) {
      await connection.exec(`TRUNCATE ${ledgerTables.join(', ')} RESTART IDENTITY`)
    } else await connection.exec(`${dropTables}; ${schema}`)
  })
}

/** Throws a LedgerUnusableError that names the servers which use the ledger, if there are some. */
async function refuseLiveServers (connection: Connection, place: string): Promise<void> {
  const servers = await connection
    .prepare<[], { number: number; url: string | null }>(
      `SELECT number, url FROM servers WHERE ${isLive} ORDER BY number`
    )
    .all()
  if (servers.length === 0) return
  const list = servers.map(
    ({ number, url }) => `server ${number}${url === null ? '' : ` at ${url}`}`
  )
  throw new LedgerUnusableError(
    `the ledger in ${place} is in use by another momock (${list.join('; ')})`,
    `stop ${servers.length === 1 ? 'it' : 'them'}, ${orElsewhere}`,
    { inUse: true }
  )
}

/** Refuses a database that cannot store every text of a request. */
async function refuseOtherEncoding (connection: Connection, place: string): Promise<void> {
  const read = connection.prepare<[], string>("SELECT current_setting('server_encoding')").pluck()
  const encoding = await read.get()
  if (encoding === 'UTF8') return
  throw new LedgerUnusableError(
    `${place} has the encoding ${encoding}, which cannot store all texts`,
    "create a database with ENCODING 'UTF8'"
  )
}

async function runInTransaction (
  connection: Connection,
  work: () => Promise<void>
): Promise<void> {
  await connection.begin()
  await work()
  await connection.commit()
}

async function refuseOldServer (connection: Connection, place: string): Promise<void> {
  const number = Number(await connection.prepare('SHOW server_version_num').pluck().get())
  const version = Math.floor(number / 10_000)
  if (version >= oldestServer) return
  throw new LedgerUnusableError(
    `${place} is PostgreSQL ${version}`,
    `use PostgreSQL ${oldestServer} or later`
  )
}

/**
 * Returns the version of the ledger in the current schema, 0 for an empty schema. Throws a
 * LedgerUnusableError if it is something else.
 */
export async function inspectLedger (connection: Connection, place: string): Promise<number> {
  await refuseOldServer(connection, place)
  await refuseOtherEncoding(connection, place)
  const schema = await connection
    .prepare<[], string | null>('SELECT current_schema()')
    .pluck()
    .get()
  if (schema === null || schema === undefined) {
    throw new LedgerUnusableError(
      `${place} has no schema that the user can use`,
      'create the schema of the search_path, or grant USAGE on it'
    )
  }
  // Also those that the user may not use, which the information schema hides.
  const tables = await connection
    .prepare<[string], string>(
      `SELECT relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ? AND relkind IN ('r', 'p', 'v', 'm', 'f')`
    )
    .pluck()
    .all(schema)
  if (tables.length === 0) return 0
  if (!tables.includes(ledgerTable)) {
    throw new LedgerUnusableError(
      `schema ${schema} of ${place} has tables, but it is not a momock ledger`,
      'name another database with --db, or another schema with ?options=-csearch_path%3DNAME'
    )
  }
  const version = await connection
    .prepare<[], number>(`SELECT version FROM ${ledgerTable}`)
    .pluck()
    .get()
  const missing = ledgerTables.filter((table) => !tables.includes(table))
  if (version === undefined) throw createDamagedError(place, `row in ${ledgerTable}`)
  if (version === ledgerVersion && missing.length > 0) {
    throw createDamagedError(place, `table ${listNames(missing)}`)
  }
  return version
}

/** Error for a backup that was restored in part. */
function createDamagedError (place: string, missing: string): LedgerUnusableError {
  return new LedgerUnusableError(
    `the ledger in ${place} is damaged: it has no ${missing}`,
    `restore a whole backup of the database, ${orElsewhere}`
  )
}
