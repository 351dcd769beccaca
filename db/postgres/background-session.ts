import { PostgresError, type Channel } from './channel.ts'
import type { Outcome, Query, QueryResult, SessionName } from './messages.ts'
import { Session } from './session.ts'
import { readReplyMs } from './timeouts.ts'

/** Longest time between two attempts to connect. The server works without this connection, too. */
const longestRetryMs = 10_000

const rollbackQuery: Query = { kind: 'rollback', name: 'rollback', text: 'ROLLBACK', values: [] }

/**
 * Second connection of a server, for transactions during which it does other work. It belongs to
 * the thread of the server, so no message to another thread is needed. If one of the two is lost,
 * both sessions are ended: a transaction of a lost one could be committed later, when its rows are
 * not looked for any more, or another server has the lock of the ledger.
 */
export class BackgroundSession {
  readonly #session: Session
  readonly #replyMs: number
  readonly #channel: Channel

  /** The channel has the first connection. */
  constructor (url: string, channel: Channel) {
    this.#session = new Session(url, {
      onChange: () => this.#pair(),
      longestRetryMs,
      // The first one may need the last free connection.
      mayConnect: () => channel.isReady
    })
    this.#replyMs = readReplyMs(url)
    this.#channel = channel
    channel.onLoss = () => this.#session.drop()
  }

  /** True if transactions can use it. The lock of the only server belongs to the channel. */
  get isUsable (): boolean {
    const { name, isPooled } = this.#session
    const isPaired = name !== undefined && this.#channel.isPairedWith(name)
    return isPaired && !isPooled && this.#channel.isReady
  }

  /**
   * Connects. If it is not possible now, the first connection does everything until it is. Through
   * a pooler it always does: both may get the same session, and the server would wait for itself.
   */
  async connect (): Promise<void> {
    await this.#session.connectIfPossible()
    if (this.#session.isPooled) await this.#session.close()
  }

  /** Sends statements and returns their results. Throws a PostgresError. */
  async run (queries: readonly Query[], continues: boolean): Promise<QueryResult[]> {
    const { name } = this.#session
    const outcome = this.#channel.isReady
      ? await this.#runInTime(queries, continues)
      : createLoss('the other connection of the server is lost')
    if (!('error' in outcome)) return outcome.results
    if (outcome.error.isLost) this.#drop(name)
    throw new PostgresError(outcome.error)
  }

  /** Takes a transaction back. With the connection, the transaction has gone, too. */
  async rollBack (): Promise<void> {
    await this.run([rollbackQuery], true).catch(() => {})
  }

  close (): Promise<void> {
    return this.#session.close()
  }

  async #runInTime (queries: readonly Query[], continues: boolean): Promise<Outcome> {
    const { promise: late, resolve } = Promise.withResolvers<Outcome>()
    const giveUp = (): void => resolve(createLoss(`no answer after ${this.#replyMs / 1000} s`))
    // An answer may be there, if the process itself was stalled. The timer keeps it alive.
    const timer = setTimeout(() => setImmediate(giveUp), this.#replyMs)
    const outcome = await Promise.race([this.#session.run(queries, continues), late])
    clearTimeout(timer)
    return outcome
  }

  /** Names a new session to the first connection, and lets the process end. */
  #pair (): void {
    const { name } = this.#session
    if (name === undefined) return
    this.#session.unref()
    this.#channel.sendOnly({ kind: 'pair', session: name })
  }

  /** Gives up both connections, if this session is still the one that was lost. */
  #drop (lost: SessionName | undefined): void {
    if (this.#session.name === lost) this.#session.drop()
    this.#channel.drop(lost)
  }
}

function createLoss (message: string): Outcome {
  return { error: { message, isLost: true } }
}
