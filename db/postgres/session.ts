import pg from 'pg'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { stopwatch } from '../../src/lib/clock.ts'
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
import { readReplyMs, readStatementMs } from './timeouts.ts'

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
/** Time between two attempts to connect again. */
const retryMs = 250
/** Time after an answer in which no other server can have the accounts. */
const aliveMs = 2000
/** Settings that momock needs. Those of the user or of the database may be different. */
const neededSettings = {
  default_transaction_isolation: 'READ COMMITTED',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // The limit of a statement counts for its locks, too.
  lock_timeout: '0'
}

/** First work of a session, on its connection. */
export type BeginSession = (client: pg.Client, name: SessionName) => Promise<void>

/**
 * Connection for the statements of a server. After a loss it connects again by itself. It never
 * continues a transaction that was lost.
 */
export class Session {
  readonly #url: string
  readonly #place: string
  #client: pg.Client | undefined
  #prepared: PreparedStatements = new Map()
  #begin: BeginSession = async () => {}
  #isClosed = false
  /** When the database has answered last. */
  #answered = -Infinity
  /** True if the connection was lost during the transaction of the server. */
  #isInterrupted = false
  #loss = new PostgresError('not connected', '', true)
  #retry: NodeJS.Timeout | undefined
  #reconnecting: Promise<void> | undefined
  /** Called when the connection is lost. */
  onLoss: () => void = () => {}
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

  /** Begins the session with some work, and each session after it. */
  async beginWith (work: BeginSession): Promise<void> {
    const client = this.#client
    if (client === undefined) throw this.#loss
    await work(client, this.#names.get(client) as SessionName)
    this.#begin = work
  }

  /**
   * Runs statements in order. `continues` is true in a transaction that was begun before, and
   * `began` the session on which its work began. Throws a PostgresError.
   */
  run (
    queries: readonly Query[],
    continues: boolean,
    began = this.current
  ): Promise<QueryResult[]> {
    // Work that began on another session may be of an account that is elsewhere by now.
    if (began !== this.current) return Promise.reject(this.#loss)
    return this.#runOn(continues, (client) =>
      client.query(new StatementBatch(queries, this.#prepared)).results
    )
  }

  /** True if the database has answered a moment ago. */
  get isAlive (): boolean {
    return stopwatch() - this.#answered < aliveMs
  }

  /** The session that does all work, until it is lost. */
  get current (): object | undefined {
    return this.#client
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
      const value = await work(client)
      this.#answered = stopwatch()
      return value
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
    await endClient(this.#client)
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
    if (this.#isClosed || client !== this.#client) return
    this.#loss = toPostgresError(error, true)
    this.#isInterrupted = true
    this.#giveUp(client)
    this.#client = undefined
    this.onLoss()
    this.#retryLater()
  }

  #retryLater (): void {
    this.#retry = setTimeout(() => {
      this.#reconnecting = this.#reconnect()
    }, retryMs).unref()
  }

  /** Connects again, until it works. */
  async #reconnect (): Promise<void> {
    let client: pg.Client | undefined
    try {
      client = await this.#open()
      await limitTime(this.#lost.end(client), connectMs)
      await limitTime(this.#begin(client, this.#names.get(client) as SessionName), connectMs)
      if (this.#isClosed) throw new Error('the session was closed meanwhile')
      if (this.#gone.has(client)) throw new Error('the connection was closed')
      this.#use(client)
    } catch (error) {
      this.#loss = toPostgresError(error, true)
      this.#giveUp(client)
      if (!this.#isClosed) this.#retryLater()
    }
  }

  /** Ends a connection. If PostgreSQL does not hear of it, its session is ended later. */
  #giveUp (client: pg.Client | undefined): void {
    this.#lost.add(client && this.#names.get(client))
    endClient(client)
  }
}
