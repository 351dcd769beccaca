import { PostgresError } from './channel.ts'
import type { Field, Query, QueryResult } from './messages.ts'

/** Type of the rows of a table: PostgreSQL makes one with each table. */
export interface RowType {
  /** Number of the type in PostgreSQL (`pg_type.oid`). */
  oid: number
  columns: Field[]
}

/** Reads the columns of all tables that a statement can name without their schema. */
const readColumns: Query = {
  kind: 'read',
  name: 'momock_row_types',
  text: `SELECT relname, reltype, attname, atttypid
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind IN ('r', 'p') AND relnamespace <> 'pg_catalog'::regnamespace
      AND pg_table_is_visible(pg_class.oid) AND attnum > 0 AND NOT attisdropped
    ORDER BY attrelid, attnum`,
  values: []
}

/** SQLSTATE of a table that does not exist. */
const undefinedTable = '42P01'

/**
 * Types of the rows of all tables. They are read when one is needed that is not known: before the
 * transaction, or in it if PostgreSQL has begun it.
 */
export class RowTypes {
  readonly #read: (query: Query) => QueryResult
  #types: Map<string, RowType> | undefined

  constructor (read: (query: Query) => QueryResult) {
    this.#read = read
  }

  get (table: string): RowType {
    const known = this.#types?.get(table)
    if (known !== undefined) return known
    this.#types = groupColumns(this.#read(readColumns))
    const type = this.#types.get(table)
    if (type !== undefined) return type
    const message = `relation "${table}" does not exist`
    throw new PostgresError({ message, code: undefinedTable, isLost: false })
  }

  /** Forgets all types: somebody may have created the tables again. */
  forget (): void {
    this.#types = undefined
  }
}

function groupColumns ({ rows }: QueryResult): Map<string, RowType> {
  const types = new Map<string, RowType>()
  for (const [table, oid, name, type] of rows) {
    const rowType = types.get(String(table)) ?? { oid: Number(oid), columns: [] }
    rowType.columns.push({ name: String(name), type: Number(type) })
    types.set(String(table), rowType)
  }
  return types
}
