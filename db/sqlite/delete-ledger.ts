import SQLite from 'better-sqlite3'
import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { applicationId, explainFault, type Fault } from './ledger-file.ts'

/** Header of a SQLite file: its first bytes, and the position of the application number. */
const signature = 'SQLite format 3\0'
const applicationIdOffset = 68
const headerBytes = 100

/**
 * Deletes a ledger file, also a damaged one. Refuses a file that is not a ledger, and a ledger that
 * another process uses.
 */
export function deleteLedgerFile (path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === undefined) return
  const header = readHeader(path)
  if (size > 0 && header.toString('latin1', 0, signature.length) !== signature) {
    throw createRefusal(path)
  }
  const connection = new SQLite(path, { timeout: 0 })
  try {
    const owner = lockFile(connection, path) ?? header.readUInt32BE(applicationIdOffset)
    if (size > 0 && owner !== applicationId) throw createRefusal(path)
    // Deleted under the lock, so that no other process can open it in between.
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  } finally {
    connection.close()
  }
}

function createRefusal (path: string): LedgerUnusableError {
  return new LedgerUnusableError(
    `${path} is not a momock ledger, so --fresh does not delete it`,
    'move it away, or name another file with --db'
  )
}

function readHeader (path: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  readSync(file, header, 0, headerBytes, 0)
  closeSync(file)
  return header
}

/** Locks a file and returns its application number, or undefined for a damaged file. */
function lockFile (connection: SQLite.Database, path: string): number | undefined {
  try {
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.exec('BEGIN EXCLUSIVE')
    return connection.pragma('application_id', { simple: true }) as number
  } catch (error) {
    const fault = error as Fault
    // A damaged file cannot be locked, but it can be deleted.
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(fault.code ?? '')) return undefined
    throw explainFault(path, fault)
  }
}
