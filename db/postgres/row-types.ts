import type { Query, QueryResult } from './messages.ts'

/** Column of a row. */
export interface Column {
  name: string
  /** Number of its type in PostgreSQL. */
  type: number
}

/** Type of the rows of a table: PostgreSQL makes one with each table. */
export interface RowType {
  /** Number of the type in PostgreSQL. */
  number: number
  columns: Column[]
}

/** Reads the columns of all tables that a statement can name without their schema. */
const readColumns: Query = {
  name: 'momock_row_types',
  text: `SELECT relname, reltype, attname, atttypid
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind IN ('r', 'p') AND relnamespace <> 'pg_catalog'::regnamespace
      AND pg_table_is_visible(pg_class.oid) AND attnum > 0 AND NOT attisdropped
    ORDER BY attrelid, attnum`,
  values: []
}

/** Types of the rows of all tables. They are read when the first one is needed. */
export class RowTypes {
  readonly #read: (query: Query) => QueryResult
  #types: Map<string, RowType> | undefined

  constructor (read: (query: Query) => QueryResult) {
    this.#read = read
  }

  get (table: string): RowType {
    this.#types ??= groupColumns(this.#read(readColumns))
    const type = this.#types.get(table)
    if (type === undefined) throw new Error(`the table ${table} does not exist`)
    return type
  }

  /** Forgets all types: somebody may have created the tables again. */
  forget (): void {
    this.#types = undefined
  }
}

function groupColumns ({ rows }: QueryResult): Map<string, RowType> {
  const types = new Map<string, RowType>()
  for (const [table, number, name, type] of rows) {
    const rowType = types.get(String(table)) ?? { number: Number(number), columns: [] }
    rowType.columns.push({ name: String(name), type: Number(type) })
    types.set(String(table), rowType)
  }
  return types
}
