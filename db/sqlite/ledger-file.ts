import SQLite from 'better-sqlite3'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { makeFolder } from '../../src/lib/folders.ts'
import { ledgerVersion, refuseOtherVersion } from '../schema.ts'
import { schema } from './schema.ts'

/** Opening of a ledger file: checks, settings and tables. */

/** Last advice of most problems. */
const orElsewhere = 'or name another file with --db'

/**
 * Pages in the write-ahead log before SQLite writes them back under load, which stops the server
 * for 15 to 50 ms. 16,000 pages are 14,400 payments, and 50 connections wait for it: 0.35 % of all
 * requests. Twice as many pages take less than twice as long, because most are in the log several
 * times.
 */
export const checkpointPages = 16_000
/**
 * Page cache in KiB. A larger one is slower: SQLite walks through all of it in every commit that
 * has split a page of an index.
 */
const cacheKiB = 8 * 1024
/** Application number of a ledger file (the letters MOMK), stored where SQLite keeps it. */
export const applicationId = 0x4d4f4d4b
/** First bytes of every SQLite file. */
const signature = 'SQLite format 3\0'
/** Largest file that is checked completely at the start, in bytes. The check takes 20 ms. */
const checkedBytes = 16 * 1024 * 1024

/** Opens a ledger file, or a ledger in memory. A new one gets its tables. */
export function openLedgerFile (path: string): SQLite.Database {
  let connection: SQLite.Database | undefined
  try {
    if (path !== ':memory:') makeFolder(dirname(path))
    refuseOtherFile(path)
    connection = new SQLite(path, { timeout: 0 })
    // Only one server may run the payments of a ledger. The lock also makes every read cheaper.
    connection.pragma('locking_mode = EXCLUSIVE')
    // Checked before anything is written: a file that is not ours stays unchanged.
    const isNew = inspectFile(connection, path)
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    connection.pragma(`cache_size = -${cacheKiB}`)
    if (isNew) createTables(connection)
    return connection
  } catch (error) {
    connection?.close()
    throw error instanceof LedgerUnusableError ? error : explainFault(path, error as Fault)
  }
}

/** Throws a LedgerUnusableError if an existing file is not a ledger. It changes nothing. */
export function checkLedgerFile (path: string): void {
  try {
    refuseOtherFile(path)
  } catch (error) {
    throw error instanceof LedgerUnusableError ? error : explainFault(path, error as Fault)
  }
}

/** Refuses other files, because SQLite overwrites a file of a few bytes. */
function refuseOtherFile (path: string): void {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return
  const file = openSync(path, 'r')
  const start = Buffer.alloc(signature.length)
  readSync(file, start, 0, start.length, 0)
  closeSync(file)
  if (start.toString('latin1') !== signature) {
    throw new LedgerUnusableError(
      `${path} is not a ledger and not a SQLite file`,
      `move it away, ${orElsewhere}`
    )
  }
}

/** Returns whether a file is new. Refuses files that are no ledger of this version. */
function inspectFile (connection: SQLite.Database, path: string): boolean {
  const version = connection.pragma('user_version', { simple: true }) as number
  const owner = connection.pragma('application_id', { simple: true })
  const isNew =
    version === 0 && connection.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  if (isNew) return true
  if (owner !== applicationId) {
    throw new LedgerUnusableError(
      `${path} is a database, but not a momock ledger`,
      'name another file with --db'
    )
  }
  refuseOtherVersion(path, version, orElsewhere)
  refuseDamagedFile(connection, path)
  return false
}

function refuseDamagedFile (connection: SQLite.Database, path: string): void {
  if (statSync(path).size > checkedBytes) return
  const finding = connection.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok') {
    const message = String(finding).replace(/^\*.*\n/, '')
    throw explainFault(path, { code: 'SQLITE_CORRUPT', message })
  }
}

/** Creates the tables of a ledger, and marks the file. */
function createTables (connection: SQLite.Database): void {
  connection.exec(`
    BEGIN IMMEDIATE;
    ${schema}
    PRAGMA user_version = ${ledgerVersion};
    PRAGMA application_id = ${applicationId};
    COMMIT`)
}

/** Error of SQLite or of the file system. */
export interface Fault {
  message: string
  code?: string
}

/** Tells errors of the file or the disk from errors in our own statements. */
export function isFileFault (error: unknown): error is Fault {
  return /^SQLITE_(CORRUPT|NOTADB|FULL|IOERR|READONLY|CANTOPEN)/.test((error as Fault).code ?? '')
}

/** Turns an error of the file or the disk into a message with the fix. */
export function explainFault (path: string, { code = '', message }: Fault): LedgerUnusableError {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new LedgerUnusableError(
      `the ledger ${path} is in use by another process`,
      `stop that one, ${orElsewhere}`,
      { inUse: true }
    )
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new LedgerUnusableError(
      `the ledger ${path} is damaged (${message})`,
      `move it away or restore a copy, ${orElsewhere}`
    )
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new LedgerUnusableError(
      `the ledger ${path} cannot grow (${message})`,
      `make room on the disk, ${orElsewhere}`
    )
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return new LedgerUnusableError(`${path} is a folder`, 'name a file in it with --db')
  }
  return new LedgerUnusableError(
    `the ledger ${path} cannot be opened for writing (${message})`,
    `check the folder and its permissions, ${orElsewhere}`
  )
}

/** Returns the identity of a file, or undefined if it is gone. */
export function readFileIdentity (path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file === undefined ? undefined : `${file.dev}/${file.ino}`
}

/** Error for a ledger file that was deleted or replaced while it was open. */
export function missingFileError (path: string): LedgerUnusableError {
  return new LedgerUnusableError(
    `the ledger ${path} was deleted or replaced while the server runs, so nothing can be stored`,
    'put the file back, or restart the server'
  )
}
