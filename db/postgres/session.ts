import pg from 'pg'
import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import { endClient, endMs, limitTime } from './client-end.ts'
import { writeDriverUrl } from './connection-url.ts'
import { orElsewhere } from './faults.ts'
import {
  applicationName,
  LostSessions,
  readSessionName,
  type SessionName
} from './lost-sessions.ts'
import { isConnectionError, PostgresError, toPostgresError } from './postgres-error.ts'
import {
  StatementBatch,
  type PreparedStatements,
  type Query,
  type QueryResult
} from './statement-batch.ts'
import { limitLockTime, longTransaction, readReplyMs, readStatementMs } from './timeouts.ts'

declare module 'pg' {
  interface ClientBase {
    /** Number of the session in PostgreSQL. */
    processID: number
  }
}

/** Longest time for a new connection. */
const connectMs = 5000
/** Longest time that a transaction waits for the server, which may be stalled: it holds locks. */
const idleMs = 10_000
/** Longest wait for the lock of another server, which may be about to end. */
const lockMs = 2000
/** Time between two attempts to connect again. */
const retryMs = 250
/** Settings that momock needs. Those of the user or of the database may be different. */
const neededSettings = {
  default_transaction_isolation: 'READ COMMITTED',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // The limit of a statement counts for its locks, too.
  lock_timeout: '0'
}

/**
 * Connection for the statements of a server. After a loss it connects again by itself. It never
 * continues a transaction that was lost.
 */
export class Session {
  readonly #url: string
  readonly #place: string
  #client: pg.Client | undefined
  #prepared: PreparedStatements = new Map()
  /** Connection whose transaction holds the lock of the server. It runs nothing else. */
  #lockClient: pg.Client | undefined
  #lockedTable: string | undefined
  #isClosed = false
  /** True if the connection was lost during the transaction of the server. */
  #isInterrupted = false
  #loss = new PostgresError('not connected', '', true)
  #retry: NodeJS.Timeout | undefined
  #reconnecting: Promise<void> | undefined
  /** Connections that have ended. */
  readonly #gone = new WeakSet<pg.Client>()
  readonly #names = new WeakMap<pg.Client, SessionName>()
  readonly #lost = new LostSessions()

  /** `place` names the database in messages. */
  constructor (url: string, place: string) {
    this.#url = url
    this.#place = place
  }

  async connect (): Promise<void> {
    this.#use(await this.#open())
  }

  #use (client: pg.Client): void {
    this.#client = client
    this.#prepared = new Map()
  }

  /**
   * Locks a table until the session ends. The transaction reads and writes nothing, so it does not
   * keep PostgreSQL from cleaning up.
   */
  async lock (table: string): Promise<void> {
    this.#lockClient = await this.#openLock(table)
    this.#lockedTable = table
  }

  /**
   * Runs statements in order. `continues` is true in a transaction that was begun before. Throws a
   * PostgresError.
   */
  run (queries: readonly Query[], continues: boolean): Promise<QueryResult[]> {
    return this.#runOn(continues, (client) =>
      client.query(new StatementBatch(queries, this.#prepared)).results
    )
  }

  /** Runs SQL without parameters and results. */
  async runScript (sql: string, continues: boolean): Promise<void> {
    await this.#runOn(continues, (client) => client.query(sql))
  }

  async #runOn<T>(continues: boolean, work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (!continues) this.#isInterrupted = false
    const client = this.#client
    if (client === undefined || this.#isInterrupted) throw this.#loss
    const replyMs = readReplyMs(this.#url)
    // The network may be interrupted, and nobody says so.
    const timer = setTimeout(() => {
      this.#lose(client, new Error(`no answer after ${replyMs / 1000} s`))
    }, replyMs)
    try {
      return await work(client)
    } catch (error) {
      if (isConnectionError(error)) this.#lose(client, error as Error)
      // The reason is what ended the connection, not the error of the statement.
      throw client === this.#client ? toPostgresError(error) : this.#loss
    } finally {
      clearTimeout(timer)
    }
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await limitTime(this.#reconnecting ?? Promise.resolve(), endMs).catch(() => {})
    await Promise.all([this.#client, this.#lockClient].map(endClient))
  }

  #openLock (table: string): Promise<pg.Client> {
    return this.#openFor((client) =>
      client.query(`
        BEGIN; ${longTransaction};
        ${limitLockTime(lockMs)}; LOCK TABLE ${table} IN EXCLUSIVE MODE`)
    )
  }

  /** Opens a connection and does its first work. If that fails, the connection is ended. */
  async #openFor (work: (client: pg.Client) => Promise<unknown>): Promise<pg.Client> {
    const client = await this.#open()
    try {
      await limitTime(work(client), connectMs)
      this.#refuseGone(client)
      return client
    } catch (error) {
      this.#giveUp(client)
      throw error
    }
  }

  async #open (): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: writeDriverUrl(this.#url),
      connectionTimeoutMillis: connectMs,
      statement_timeout: readStatementMs(this.#url),
      idle_in_transaction_session_timeout: idleMs,
      application_name: applicationName,
      keepAlive: true
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection was closed')))
    try {
      await client.connect()
      await limitTime(this.#prepare(client), connectMs)
      return client
    } catch (error) {
      this.#giveUp(client)
      throw /unsupported startup parameter/.test(String(error)) ? this.#poolerError() : error
    }
  }

  async #prepare (client: pg.Client): Promise<void> {
    const name = await readSessionName(client)
    // A pooler gives the connection a number of its own.
    if (name === undefined || name.number !== client.processID) throw this.#poolerError()
    this.#names.set(client, name)
    await client.query('SELECT set_config(key, value, false) FROM json_each_text($1)', [
      JSON.stringify(neededSettings)
    ])
  }

  /** The session keeps prepared statements and locks, and a pooler changes it at any time. */
  #poolerError (): LedgerUnusableError {
    return new LedgerUnusableError(
      `there is a pooler, such as PgBouncer, in front of ${this.#place}`,
      'name host and port of PostgreSQL itself, because a server needs one or two connections, ' +
        orElsewhere
    )
  }

  #lose (client: pg.Client, error: Error): void {
    this.#gone.add(client)
    if (this.#isClosed || (client !== this.#client && client !== this.#lockClient)) return
    this.#loss = toPostgresError(error, true)
    this.#isInterrupted = true
    for (const one of [this.#client, this.#lockClient]) this.#giveUp(one)
    this.#client = undefined
    this.#lockClient = undefined
    this.#retryLater()
  }

  #retryLater (): void {
    this.#retry = setTimeout(() => {
      this.#reconnecting = this.#reconnect()
    }, retryMs).unref()
  }

  /** Connects again, until it works. Both connections are used, or none. */
  async #reconnect (): Promise<void> {
    const opened: pg.Client[] = []
    try {
      opened.push(await this.#openFor((client) => this.#lost.end(client)))
      if (this.#lockedTable !== undefined) opened.push(await this.#openLock(this.#lockedTable))
      if (this.#isClosed) throw new Error('the session was closed meanwhile')
      this.#refuseGone(...opened)
      const [client, lockClient] = opened
      this.#lockClient = lockClient
      this.#use(client)
    } catch (error) {
      this.#loss = toPostgresError(error, true)
      for (const one of opened) this.#giveUp(one)
      if (!this.#isClosed) this.#retryLater()
    }
  }

  #refuseGone (...clients: pg.Client[]): void {
    if (clients.some((one) => this.#gone.has(one))) throw new Error('the connection was closed')
  }

  /** Ends a connection. If PostgreSQL does not hear of it, its session is ended later. */
  #giveUp (client: pg.Client | undefined): void {
    this.#lost.add(client && this.#names.get(client))
    endClient(client)
  }
}
