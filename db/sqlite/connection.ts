import type SQLite from 'better-sqlite3'
import type { Connection, Insert, InsertOptions, Statement } from '../connection.ts'
import { sqliteDialect } from './dialect.ts'

/** Connection to a file. Each call is done when it returns, also if it returns a promise. */
export class SqliteConnection implements Connection {
  readonly dialect = sqliteDialect
  readonly #database: SQLite.Database
  readonly #begin
  readonly #commit
  readonly #rollback

  constructor (database: SQLite.Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
  }

  get inTransaction (): boolean {
    return this.#database.inTransaction
  }

  async begin (): Promise<void> {
    this.#begin.run()
  }

  async commit (): Promise<void> {
    this.#commit.run()
  }

  async rollback (): Promise<void> {
    this.#rollback.run()
  }

  async withSavepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#database.exec('SAVEPOINT work')
    try {
      const value = await work()
      this.#database.exec('RELEASE work')
      return value
    } catch (error) {
      // A full disk ends the whole transaction.
      if (this.inTransaction) this.#database.exec('ROLLBACK TO work; RELEASE work')
      throw error
    }
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ): Statement<Parameters, Row> {
    return new SqliteStatement<Parameters, Row>(this.#database.prepare(sql))
  }

  prepareInsert (
    table: string,
    columns: readonly string[],
    { ifNew = false, rows = 1 }: InsertOptions = {}
  ): Insert {
    const marks = `(${columns.map(() => '?').join(', ')})`
    const insert = this.#database.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(marks).join(', ')}` +
        (ifNew ? ' ON CONFLICT DO NOTHING' : '')
    )
    return {
      run: (...values) => {
        insert.run(values)
      },
      add: async (...values) => {
        const { changes, lastInsertRowid } = insert.run(values)
        return changes === 0 ? undefined : Number(lastInsertRowid)
      }
    }
  }

  async reserveNumbers (table: string, count: number): Promise<number[]> {
    const find = this.#database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck()
    const used = find.get(table) as number | undefined
    const last = used ?? 0
    const sql =
      used === undefined
        ? 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)'
        : 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?'
    this.#database.prepare(sql).run(last + count, table)
    return Array.from({ length: count }, (_, n) => last + n + 1)
  }

  async exec (sql: string): Promise<void> {
    this.#database.exec(sql)
  }
}

class SqliteStatement<Parameters extends unknown[], Row> implements Statement<Parameters, Row> {
  readonly #statement: SQLite.Statement

  constructor (statement: SQLite.Statement) {
    this.#statement = statement
  }

  async get (...parameters: Parameters): Promise<Row | undefined> {
    return this.#statement.get(parameters) as Row | undefined
  }

  async all (...parameters: Parameters): Promise<Row[]> {
    return this.#statement.all(parameters) as Row[]
  }

  run (...parameters: Parameters): void {
    this.#statement.run(parameters)
  }

  async change (...parameters: Parameters): Promise<number> {
    return this.#statement.run(parameters).changes
  }

  pluck (): this {
    this.#statement.pluck()
    return this
  }

  raw (): this {
    this.#statement.raw()
    return this
  }
}
