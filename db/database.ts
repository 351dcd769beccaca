import SQLite from 'better-sqlite3'
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { migrations } from './schema.ts'

export type Connection = SQLite.Database

/** The ledger cannot be used as it is; the message says why and what to do. */
export class LedgerUnusableError extends Error {
  override name = 'LedgerUnusable'
}

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * SQLite writes the log back into the file after this many pages; fewer stalls than the default of
 * 1000.
 */
const checkpointPages = 4000
/**
 * Page cache, in KiB. More is slower: SQLite walks through all of it in every commit that has split
 * a page of an index.
 */
const cacheKiB = 8 * 1024
/**
 * So what is not cached is read where the system has it in memory, without a copy; up to this many
 * bytes of the file.
 */
const mappedBytes = 2 ** 30
/** Work that is not urgent waits at most so long for a transaction. */
const patienceMs = 10
/**
 * Marks a file as ours: the letters MOMK, where SQLite keeps the number of the application a
 * database belongs to.
 */
export const applicationId = 0x4d4f4d4b
/** What every SQLite file begins with. */
const signature = 'SQLite format 3\0'
/**
 * Files up to this many bytes are read through when they are opened, which takes 20 ms; a larger
 * one shows its damage when it is used.
 */
const inspectedBytes = 16 * 1024 * 1024

/**
 * One SQLite file and one writer. Work that is handed in at about the same time is done in one
 * transaction and answered after its commit (group commit): an answer means the data is on disk,
 * and fifty requests share one flush.
 */
export class Database {
  readonly connection: Connection
  readonly #path: string
  readonly #observe: (size: number) => void
  #queue: Job[] = []
  #scheduled = false
  #patience: NodeJS.Timeout | undefined
  #closed = false
  readonly #begin: SQLite.Statement
  readonly #commit: SQLite.Statement
  readonly #rollback: SQLite.Statement

  /** Whoever wants to know is told how many pieces of work each transaction had. */
  constructor (path: string, observe: (size: number) => void = () => {}) {
    this.#observe = observe
    this.#path = path === ':memory:' ? path : resolve(path)
    this.connection = open(this.#path)
    this.#begin = this.connection.prepare('BEGIN')
    this.#commit = this.connection.prepare('COMMIT')
    this.#rollback = this.connection.prepare('ROLLBACK')
  }

  /**
   * Does the work inside the next transaction; resolves once that is durable. The work is
   * synchronous. Work that is not urgent waits a moment, so that it can share the transaction of
   * others.
   */
  transact<T>(work: () => T, urgent = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(new LedgerUnusableError('the ledger is closed'))
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject })
      if (this.#scheduled) return
      if (!urgent) {
        this.#patience ??= setTimeout(() => this.#flush(), patienceMs)
        return
      }
      this.#scheduled = true
      setImmediate(() => this.#gather())
    })
  }

  /** Finishes what was handed in, then closes the file. */
  close (): void {
    if (this.#closed) return
    this.#flush()
    this.#closed = true
    this.connection.close()
  }

  /**
   * Where one turn of the event loop has brought more than one piece of work, the next brings those
   * that were on their way meanwhile. Waiting for them nearly doubles what shares a commit; who
   * comes alone does not wait.
   */
  #gather (): void {
    if (this.#queue.length > 1) setImmediate(() => this.#flush())
    else this.#flush()
  }

  #flush (): void {
    const jobs = this.#queue
    this.#queue = []
    this.#scheduled = false
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (jobs.length === 0) return
    this.#observe(jobs.length)
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
      throw isFault(error) ? explain(this.#path, error) : error
    }
  }
}

function open (path: string): Connection {
  let connection: Connection | undefined
  try {
    if (path !== ':memory:') prepare(path)
    connection = new SQLite(path, { timeout: 0 })
    // Only one server may run the payments of a ledger; holding the lock also makes every read
    // cheaper.
    connection.pragma('locking_mode = EXCLUSIVE')
    // Looked at before anything is written: what is not ours stays as it is.
    const version = versionOf(connection, path)
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    connection.pragma(`cache_size = -${cacheKiB}`)
    connection.pragma(`mmap_size = ${mappedBytes}`)
    migrate(connection, version)
    return connection
  } catch (error) {
    connection?.close()
    throw error instanceof LedgerUnusableError ? error : explain(path, error as Fault)
  }
}

/**
 * Makes the folders, and refuses a file that is something else: SQLite itself would write over one
 * of a few bytes.
 */
function prepare (path: string): void {
  makeFolder(dirname(path))
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return
  const file = openSync(path, 'r')
  const start = Buffer.alloc(signature.length)
  readSync(file, start, 0, start.length, 0)
  closeSync(file)
  if (start.toString('latin1') !== signature) {
    throw new LedgerUnusableError(
      `${path} is not a ledger, nor any SQLite file; move it away, or name another file with --db`
    )
  }
}

/**
 * How many migrations the file has had; none, if it is new. Refuses what is not a ledger this
 * version can read.
 */
function versionOf (connection: Connection, path: string): number {
  const version = connection.pragma('user_version', { simple: true }) as number
  const owner = connection.pragma('application_id', { simple: true })
  const isNew =
    version === 0 && connection.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  if (isNew) return 0
  if (owner !== applicationId) {
    throw new LedgerUnusableError(
      `${path} is a database, but not a momock ledger; name another file with --db`
    )
  }
  if (version > migrations.length) {
    throw new LedgerUnusableError(
      `the ledger ${path} was written by a newer momock (schema ${version}, this one knows ` +
        `${migrations.length}); update momock, or name another file with --db`
    )
  }
  inspect(connection, path)
  return version
}

/** Refuses a small file that is damaged anywhere. */
function inspect (connection: Connection, path: string): void {
  if (statSync(path).size > inspectedBytes) return
  const finding = connection.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok') {
    throw explain(path, { code: 'SQLITE_CORRUPT', message: String(finding).replace(/^\*.*\n/, '') })
  }
}

function migrate (connection: Connection, version: number): void {
  if (version === migrations.length) return
  connection.exec('BEGIN IMMEDIATE')
  for (const migration of migrations.slice(version)) connection.exec(migration)
  connection.pragma(`user_version = ${migrations.length}`)
  connection.pragma(`application_id = ${applicationId}`)
  connection.exec('COMMIT')
}

interface Fault {
  message: string
  code?: string
}

/** Is it the file or the disk that fails, and not what we asked of it? */
function isFault (error: unknown): error is Fault {
  return /^SQLITE_(CORRUPT|NOTADB|FULL|IOERR|READONLY|CANTOPEN)/.test((error as Fault).code ?? '')
}

function explain (path: string, { code = '', message }: Fault): LedgerUnusableError {
  const elsewhere = 'or name another file with --db'
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new LedgerUnusableError(
      `the ledger ${path} is in use by another process; stop that one, ${elsewhere}`
    )
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new LedgerUnusableError(
      `the ledger ${path} is damaged (${message}); move it away or restore a copy, ${elsewhere}`
    )
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new LedgerUnusableError(
      `the ledger ${path} cannot grow (${message}); make room on the disk, ${elsewhere}`
    )
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return new LedgerUnusableError(`${path} is a folder; name a file in it with --db`)
  }
  return new LedgerUnusableError(
    `the ledger ${path} cannot be opened for writing (${message}); check the folder and its ` +
      `permissions, ${elsewhere}`
  )
}

/**
 * A folder with all that lead to it, one by one: where one cannot be made (under /proc), the
 * recursive call never ends.
 */
function makeFolder (path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) return
  if (there === undefined) makeFolder(dirname(path))
  mkdirSync(path)
}
