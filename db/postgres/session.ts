import pg from 'pg'
import { endClient, endMs, limitTime } from './client-end.ts'
import { writeDriverUrl } from './connection-url.ts'
import { applicationName, LostSessions, readSessionName } from './lost-sessions.ts'
import { limitLockTime, longTransaction, readStatementMs } from './timeouts.ts'
import type { Outcome, Query, QueryError, SessionName } from './messages.ts'
import { describeError, isConnectionError } from './session-errors.ts'
import { isolation, neededSettings, StatementRunner } from './statement-runner.ts'

declare module 'pg' {
  interface ClientBase {
    /** Number of the session in PostgreSQL. */
    processID: number
    /** Lets the process end while there is a connection. */
    unref: () => void
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

/** Options of a session. */
export interface SessionOptions {
  /** Called with true if statements can be sent, and with false after a loss. */
  onChange?: (isReady: boolean) => void
  /** Longest time between two attempts to connect again, which grows up to it. */
  longestRetryMs?: number
  /** Returns whether a connection may be opened now. */
  mayConnect?: () => boolean
}

/**
 * Connection for the statements of a server. After a loss it connects again by itself. It never
 * continues a transaction that was lost.
 */
export class Session {
  readonly #url: string
  readonly #options: SessionOptions
  #client: pg.Client | undefined
  #runner: StatementRunner | undefined
  /** Connection whose transaction holds the lock of the server. It runs nothing else. */
  #lockClient: pg.Client | undefined
  #lockedTable: string | undefined
  /** True if the connection leads to a pooler, which changes the session with each transaction. */
  #isPooled = false
  #isClosed = false
  /** True if the connection was lost during the transaction of the server. */
  #isInterrupted = false
  #loss: QueryError = { message: 'not connected', isLost: true }
  #retry: NodeJS.Timeout | undefined
  #retryMs = retryMs
  #reconnecting: Promise<void> | undefined
  /** Session that this one is paired with. */
  #other: SessionName | undefined
  /** Connections that have ended. */
  readonly #gone = new WeakSet<pg.Client>()
  readonly #names = new WeakMap<pg.Client, SessionName>()
  readonly #lost = new LostSessions()

  constructor (url: string, options: SessionOptions = {}) {
    this.#url = url
    this.#options = options
  }

  get isConnected (): boolean {
    return this.#client !== undefined
  }

  /** Session in PostgreSQL, or undefined while there is none. */
  get name (): SessionName | undefined {
    return this.#client && this.#names.get(this.#client)
  }

  /** Lets the process end while there is a connection. */
  unref (): void {
    this.#client?.unref()
  }

  get isPooled (): boolean {
    return this.#isPooled
  }

  async connect (): Promise<void> {
    this.#use(await this.#open())
  }

  /** Connects, if it is possible now. Otherwise it is tried again, as after a loss. */
  async connectIfPossible (): Promise<void> {
    await this.#startReconnect()
  }

  /** Pairs this session with another one, which is ended if this one is lost. */
  pair (other: SessionName): void {
    this.#other = other
  }

  #use (client: pg.Client): void {
    this.#retryMs = retryMs
    this.#client = client
    this.#runner = new StatementRunner(client, this.#isPooled ? this.#limits : undefined)
    this.#options.onChange?.(true)
  }

  /**
   * Locks a table until the session ends. The transaction reads and writes nothing, so it does not
   * keep PostgreSQL from cleaning up.
   */
  async lock (table: string): Promise<void> {
    this.#lockClient = await this.#openLock(table)
    this.#lockedTable = table
  }

  async run (queries: readonly Query[], continues: boolean): Promise<Outcome> {
    if (!continues) this.#isInterrupted = false
    const [client, runner] = [this.#client, this.#runner]
    if (client === undefined || runner === undefined || this.#isInterrupted) {
      return { error: this.#loss }
    }
    try {
      return { results: await runner.run(queries, continues) }
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      if (isConnectionError(error)) this.#lose(client, error)
      // The reason is what ended the connection, not the error of the statement.
      return { error: client === this.#client ? describeError(error, false) : this.#loss }
    }
  }

  get #limits (): Record<'statement_timeout' | 'idle_in_transaction_session_timeout', number> {
    return {
      statement_timeout: readStatementMs(this.#url),
      idle_in_transaction_session_timeout: idleMs
    }
  }

  /** Gives up the connection, unless it was made after the other session was lost. */
  drop (other?: SessionName): void {
    if (other !== undefined && this.#lost.hasEnded(other)) return
    if (this.#client !== undefined) this.#lose(this.#client, new Error('no answer'))
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
    try {
      return await this.#openSession()
    } catch (error) {
      // A pooler does not know most settings of sessions, and refuses them.
      if (this.#isPooled || !/unsupported startup parameter/.test(String(error))) throw error
      this.#isPooled = true
      return await this.#openSession()
    }
  }

  async #openSession (): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: writeDriverUrl(this.#url),
      connectionTimeoutMillis: connectMs,
      ...(!this.#isPooled && this.#limits),
      application_name: applicationName,
      keepAlive: true
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection was closed')))
    await client.connect()
    try {
      await limitTime(this.#prepare(client), connectMs)
      return client
    } catch (error) {
      this.#giveUp(client)
      throw error
    }
  }

  async #prepare (client: pg.Client): Promise<void> {
    const name = await readSessionName(client)
    // A pooler gives the connection a number of its own.
    if (name === undefined || name.number !== client.processID) this.#isPooled = true
    else this.#names.set(client, name)
    // The sessions of a pooler also serve others.
    if (!this.#isPooled) await applySettings(client)
  }

  #lose (client: pg.Client, error: Error): void {
    this.#gone.add(client)
    if (this.#isClosed || (client !== this.#client && client !== this.#lockClient)) return
    this.#loss = describeError(error, true)
    this.#isInterrupted = true
    for (const one of [this.#client, this.#lockClient]) this.#giveUp(one)
    this.#client = undefined
    this.#lockClient = undefined
    this.#lost.add(this.#other)
    this.#options.onChange?.(false)
    this.#retryLater()
  }

  #retryLater (): void {
    this.#retry = setTimeout(() => this.#startReconnect(), this.#retryMs).unref()
    this.#retryMs = Math.min(2 * this.#retryMs, this.#options.longestRetryMs ?? retryMs)
  }

  #startReconnect (): Promise<void> {
    this.#reconnecting = this.#reconnect()
    return this.#reconnecting
  }

  /** Connects again, until it works. Both connections are used, or none. */
  async #reconnect (): Promise<void> {
    const opened: pg.Client[] = []
    try {
      this.#refuseEarly()
      opened.push(await this.#openFor((client) => this.#endLostSessions(client)))
      if (this.#lockedTable !== undefined) opened.push(await this.#openLock(this.#lockedTable))
      if (this.#isClosed) throw new Error('the session was closed meanwhile')
      this.#refuseGone(...opened)
      this.#refuseEarly()
      const [client, lockClient] = opened
      this.#lockClient = lockClient
      this.#use(client)
    } catch (error) {
      this.#loss = describeError(error, true)
      for (const one of opened) this.#giveUp(one)
      if (!this.#isClosed) this.#retryLater()
    }
  }

  #refuseEarly (): void {
    if (this.#options.mayConnect?.() === false) throw new Error('the other connection comes first')
  }

  #refuseGone (...clients: pg.Client[]): void {
    if (clients.some((one) => this.#gone.has(one))) throw new Error('the connection was closed')
  }

  /** Ends a connection. If PostgreSQL does not hear of it, its session is ended later. */
  #giveUp (client: pg.Client | undefined): void {
    this.#lost.add(client && this.#names.get(client))
    endClient(client)
  }

  async #endLostSessions (client: pg.Client): Promise<void> {
    // The sessions of a pooler are its own.
    if (!this.#isPooled) await this.#lost.end(client)
  }
}

async function applySettings (client: pg.Client): Promise<void> {
  const settings = { default_transaction_isolation: isolation, ...neededSettings }
  await client.query(
    'SELECT set_config(key, value, false) FROM json_each_text($1)',
    [JSON.stringify(settings)]
  )
}
