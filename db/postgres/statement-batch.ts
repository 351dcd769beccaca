import type { Connection, Submittable } from 'pg'

/** Value as PostgreSQL writes it: of a column, or of a parameter. */
export type Value = string | number | null

/** Statement with its parameters. It is prepared once under its name, unless that is empty. */
export interface Query {
  name: string
  text: string
  values: readonly Value[]
}

/** Column of a result. */
export interface Field {
  name: string
  /** Number of the type in PostgreSQL. */
  type: number
}

/** Result of a statement. */
export interface QueryResult {
  changes: number
  fields: Field[]
  rows: Value[][]
}

/** Message of PostgreSQL with the columns of a result. */
interface RowDescription {
  fields: Array<{ name: string; dataTypeID: number }>
}

/** Columns of the statements that a session has prepared, by their names. */
export type PreparedStatements = Map<string, Field[]>

/**
 * Statements that are sent together, with one end: PostgreSQL answers once, and does nothing more
 * after the first error. Outside a transaction they are a transaction of their own. The pipeline of
 * the driver would end each statement, and have it described each time: twice the time for a small
 * batch.
 */
export class StatementBatch implements Submittable {
  readonly #queries: readonly Query[]
  readonly #prepared: PreparedStatements
  readonly #results: QueryResult[]
  readonly #outcome = Promise.withResolvers<QueryResult[]>()
  #current = 0

  /** A statement without a name is prepared each time. */
  constructor (queries: readonly Query[], prepared: PreparedStatements) {
    this.#queries = queries
    this.#prepared = prepared
    this.#results = queries.map(({ name }) => ({
      changes: 0,
      fields: prepared.get(name) ?? [],
      rows: []
    }))
  }

  /** Results of all statements, or the first error. */
  get results (): Promise<QueryResult[]> {
    return this.#outcome.promise
  }

  submit (connection: Connection): void {
    const { stream } = connection
    stream.cork()
    let last = ''
    for (const { name, text, values } of this.#queries) {
      const isNew = !this.#prepared.has(name)
      if (isNew && (name === '' || name !== last)) {
        // It may exist after an error: then nobody knows which statements were prepared.
        if (name !== '') connection.close({ type: 'S', name }, true)
        connection.parse({ name, text, types: [] }, true)
        last = name
      }
      connection.bind({ statement: name, values: values.map(writeParameter) }, true)
      if (isNew) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    stream.uncork()
  }

  handleRowDescription ({ fields }: RowDescription): void {
    this.#results[this.#current].fields = fields.map(({ name, dataTypeID: type }) => ({
      name,
      type
    }))
  }

  handleDataRow ({ fields }: { fields: Array<string | null> }): void {
    this.#results[this.#current].rows.push(fields)
  }

  handleCommandComplete ({ text }: { text: string }): void {
    // INSERT 0 5, UPDATE 5, BEGIN
    this.#results[this.#current++].changes = Number(/\d+$/.exec(text)?.[0] ?? 0)
  }

  handleReadyForQuery (): void {
    for (const [i, { name }] of this.#queries.entries()) {
      if (name !== '' && !this.#prepared.has(name)) {
        this.#prepared.set(name, this.#results[i].fields)
      }
    }
    this.#outcome.resolve(this.#results)
  }

  handleError (error: Error): void {
    this.#outcome.reject(error)
  }
}

function writeParameter (value: Value): string | null {
  return value === null ? null : String(value)
}
