import SQLite from 'better-sqlite3'
import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { migrations } from './schema.ts'

export type Connection = SQLite.Database

/** The ledger cannot be used as it is; the message says why and what to do. */
export class LedgerUnusable extends Error {
  override name = 'LedgerUnusable'
}

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** SQLite writes the log back into the file after this many pages; fewer stalls than the default of 1000. */
const checkpointPages = 4000
/** Page cache, in KiB. */
const cacheKiB = 64 * 1024

/**
 * One SQLite file and one writer. Work that is handed in during the same turn of the event loop is done in one
 * transaction and answered after its commit (group commit): an answer means the data is on disk, and fifty requests
 * share one flush.
 */
export class Database {
  readonly connection: Connection
  #queue: Job[] = []
  #scheduled = false
  #closed = false
  readonly #begin: SQLite.Statement
  readonly #commit: SQLite.Statement
  readonly #rollback: SQLite.Statement

  constructor (path: string) {
    this.connection = open(path)
    this.#begin = this.connection.prepare('BEGIN')
    this.#commit = this.connection.prepare('COMMIT')
    this.#rollback = this.connection.prepare('ROLLBACK')
  }

  /** Does the work inside the next transaction; resolves once that is durable. The work is synchronous. */
  transact<T> (work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(new LedgerUnusable('the ledger is closed'))
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject })
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(() => this.#flush())
    })
  }

  /** Finishes what was handed in, then closes the file. */
  close (): void {
    if (this.#closed) return
    this.#flush()
    this.#closed = true
    this.connection.close()
  }

  #flush (): void {
    const jobs = this.#queue
    this.#queue = []
    this.#scheduled = false
    if (jobs.length === 0) return
    try {
      const values = this.#together(jobs)
      for (let i = 0; i < jobs.length; i++) jobs[i].resolve(values[i] as never)
    } catch (error) {
      if (jobs.length === 1) return jobs[0].reject(error)
      // One of them is at fault and must not take the others with it: each on its own.
      for (const job of jobs) this.#alone(job)
    }
  }

  #alone (job: Job): void {
    try {
      job.resolve(this.#together([job])[0] as never)
    } catch (error) {
      job.reject(error)
    }
  }

  #together (jobs: Job[]): unknown[] {
    this.#begin.run()
    try {
      const values = jobs.map((job) => job.work())
      this.#commit.run()
      return values
    } catch (error) {
      if (this.connection.inTransaction) this.#rollback.run()
      throw error
    }
  }
}

function open (path: string): Connection {
  const inMemory = path === ':memory:'
  const shown = inMemory ? path : resolve(path)
  let connection: Connection | undefined
  try {
    if (!inMemory) mkdirSync(dirname(shown), { recursive: true })
    connection = new SQLite(path, { timeout: 0 })
    // Only one server may run the payments of a ledger; holding the lock also makes every read cheaper.
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    connection.pragma(`cache_size = -${cacheKiB}`)
    migrate(connection, shown)
    return connection
  } catch (error) {
    connection?.close()
    if (error instanceof LedgerUnusable) throw error
    throw new LedgerUnusable(explain(shown, error as Error & { code?: string }))
  }
}

function migrate (connection: Connection, path: string): void {
  connection.exec('BEGIN IMMEDIATE')
  const version = connection.pragma('user_version', { simple: true }) as number
  if (version > migrations.length) {
    throw new LedgerUnusable(`the ledger ${path} was written by a newer momock (schema ${version}, this one knows ${migrations.length}); update momock, or name another file with --db`)
  }
  if (version === 0 && connection.prepare("SELECT 1 FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").get() !== undefined) {
    throw new LedgerUnusable(`${path} is a database, but not a momock ledger; name another file with --db`)
  }
  for (const migration of migrations.slice(version)) connection.exec(migration)
  connection.pragma(`user_version = ${migrations.length}`)
  connection.exec('COMMIT')
}

function explain (path: string, error: Error & { code?: string }): string {
  const code = error.code ?? ''
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return `the ledger ${path} is in use by another process; stop that one, or name another file with --db`
  if (code.startsWith('SQLITE_NOTADB')) return `${path} is not a ledger (it is not an SQLite file, or it is damaged); move it away, or name another file with --db`
  if (code.startsWith('SQLITE_CORRUPT')) return `the ledger ${path} is damaged (${error.message}); move it away or restore a copy, or name another file with --db`
  return `the ledger ${path} cannot be opened for writing (${error.message}); check the folder and its permissions, or name another file with --db`
}
