import type SQLite from 'better-sqlite3'
import { resolve } from 'node:path'
import { stopwatch } from '../../src/lib/clock.ts'
import type { Engine } from '../connection.ts'
import type { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { SqliteConnection } from './connection.ts'
import { IdleCheckpoint } from './idle-checkpoint.ts'
import {
  checkpointPages,
  explainFault,
  isFileFault,
  missingFileError,
  openLedgerFile,
  readFileIdentity
} from './ledger-file.ts'

/**
 * Pages in the write-ahead log before SQLite writes them back, while work on a whole account fills
 * it: 4000 pages took 30 ms, and 100 ms on a busy disk.
 */
const workCheckpointPages = 1000
/** Time between two checks that the file is still there. */
const fileCheckMs = 1000

/** One SQLite file with one writer, or a ledger in memory. */
export class SqliteEngine implements Engine {
  readonly connection: SqliteConnection
  /** Absent for a ledger in memory. */
  readonly check: (() => void) | undefined
  readonly #database: SQLite.Database
  readonly #path: string
  readonly #idleCheckpoint: IdleCheckpoint

  /** Opens the file, and creates it if there is none. */
  constructor (path: string) {
    this.#path = path === ':memory:' ? path : resolve(path)
    this.#database = openLedgerFile(this.#path)
    this.connection = new SqliteConnection(this.#database)
    this.#idleCheckpoint = new IdleCheckpoint(this.#database)
    if (path !== ':memory:') this.check = this.#createCheck()
  }

  explainFault (error: unknown): LedgerUnusableError | undefined {
    return isFileFault(error) ? explainFault(this.#path, error) : undefined
  }

  isWrongRow (error: unknown): boolean {
    return String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')
  }

  expectLongWork (isExpected: boolean): void {
    const pages = isExpected ? workCheckpointPages : checkpointPages
    this.#database.pragma(`wal_autocheckpoint = ${pages}`)
  }

  async close (): Promise<void> {
    this.#idleCheckpoint.stop()
    this.#database.close()
  }

  #createCheck (): () => void {
    const checkFile = createFileCheck(this.#path)
    return () => {
      checkFile()
      this.#idleCheckpoint.note()
    }
  }
}

/**
 * Creates the check that refuses all work when the file was deleted: a commit would be lost with
 * the process.
 */
function createFileCheck (path: string): () => void {
  const identity = readFileIdentity(path)
  let checkedAt = 0
  return () => {
    const now = stopwatch()
    if (now < checkedAt + fileCheckMs) return
    if (readFileIdentity(path) !== identity) throw missingFileError(path)
    checkedAt = now
  }
}
