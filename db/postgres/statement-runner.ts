import type pg from 'pg'
import { tablesChanged, type Query, type QueryResult } from './messages.ts'
import { isConnectionError, isOutdated } from './session-errors.ts'
import { StatementBatch, type PreparedStatements } from './statement-batch.ts'

/** Isolation of transactions that do not choose another: each statement sees all commits. */
export const isolation = 'READ COMMITTED'
/** Settings that momock needs. Those of the user or of the database may be different. */
export const neededSettings = {
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // The limit of a statement counts for its locks, too.
  lock_timeout: '0'
} as const

const beginQuery: Query = { kind: 'begin', name: 'begin', text: 'BEGIN', values: [] }
const commitQuery: Query = { kind: 'commit', name: 'commit', text: 'COMMIT', values: [] }
/** Result of a statement that has none. */
const noResult: QueryResult = { changes: 0, fields: [], rows: [] }

/** Settings of a transaction by their names. */
type Settings = Readonly<Record<string, string | number>>

/** Runs statements on a connection, and knows which of them are prepared there. */
export class StatementRunner {
  readonly #client: pg.Client
  /** Limits of a transaction through a pooler, which changes the session with each. */
  readonly #pooledLimits: Settings | undefined
  #prepared: PreparedStatements = new Map()

  /** `pooledLimits` is undefined for a connection that does not lead to a pooler. */
  constructor (client: pg.Client, pooledLimits: Settings | undefined) {
    this.#client = client
    this.#pooledLimits = pooledLimits
  }

  /** Runs statements in order. `continues` is true in a transaction that was begun before. */
  async run (queries: readonly Query[], continues: boolean): Promise<QueryResult[]> {
    // Through a pooler, settings are those of a transaction: each may get another session.
    const isPooled = this.#pooledLimits !== undefined
    const needsBounds = isPooled && !continues && !beginsTransaction(queries)
    const sent = needsBounds ? [beginQuery, ...queries, commitQuery] : queries
    try {
      const results = await this.#runAll(sent)
      return needsBounds ? results.slice(1, -1) : results
    } catch (error) {
      if (!(error instanceof Error) || isConnectionError(error)) throw error
      if (isOutdated(error, queries)) {
        // All statements are prepared again.
        this.#prepared = new Map()
        Object.assign(error, { code: tablesChanged })
      }
      // The error has kept the end of the transaction from being reached.
      if (sent.at(-1)?.kind === 'commit') await this.#client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async #runAll (queries: readonly Query[]): Promise<QueryResult[]> {
    if (queries.some(isScript)) return await this.#runEach(queries)
    if (this.#pooledLimits !== undefined) return await this.#runPooled(queries, this.#pooledLimits)
    if (!isPlainTransaction(queries)) return await this.#runBatch(queries)
    // A batch is a transaction without being told so.
    const results = await this.#runBatch(queries.slice(1, -1))
    return [noResult, ...results, noResult]
  }

  async #runBatch (queries: readonly Query[]): Promise<QueryResult[]> {
    return await this.#client.query(new StatementBatch(queries, this.#prepared)).results
  }

  async #runEach (queries: readonly Query[]): Promise<QueryResult[]> {
    const results: QueryResult[] = []
    for (const query of queries) {
      if (isScript(query)) {
        await this.#client.query(query.text)
        results.push(noResult)
      } else results.push(...(await this.#runAll([query])))
    }
    return results
  }

  /** Runs statements through a pooler. A prepared statement belongs to a session. */
  async #runPooled (queries: readonly Query[], limits: Settings): Promise<QueryResult[]> {
    const unnamed = queries.map((query) => ({ ...query, name: '' }))
    if (!beginsTransaction(queries)) return await this.#runBatch(unnamed)
    const [begin, ...rest] = unnamed
    if (begin.kind === 'begin') begin.text = `BEGIN ISOLATION LEVEL ${isolation}`
    const settings = writeSettings({ ...limits, ...neededSettings })
    const [begun, , ...results] = await this.#runBatch([begin, settings, ...rest])
    return [begun, ...results]
  }
}

/** Writes the settings of a transaction, where those of the session are not known. */
function writeSettings (settings: Settings): Query {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`
  )
  return { kind: 'read', name: '', text: `SELECT ${calls.join(', ')}`, values: [] }
}

function beginsTransaction ([{ kind }]: readonly Query[]): boolean {
  return kind === 'begin' || kind === 'beginRead'
}

function isScript ({ kind }: Query): boolean {
  return kind === 'script'
}

/** Tells whether queries are a whole transaction whose begin and end need not be sent. */
function isPlainTransaction (queries: readonly Query[]): boolean {
  const last = queries.length - 1
  if (queries[0].kind !== 'begin' || queries[last].kind !== 'commit') return false
  return queries.slice(1, -1).every(({ kind }) => kind === 'read' || kind === 'change')
}
