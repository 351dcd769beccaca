import { writeSchema } from '../schema.ts'

/** Tables of a ledger in a file. */
export const schema = writeSchema(
  {
    INTEGER: 'INTEGER',
    TEXT: 'TEXT',
    BYTES: 'BLOB',
    NUMBERED: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    COUNTED: 'INTEGER PRIMARY KEY',
    ROWS: 'STRICT',
    KEYED: 'STRICT, WITHOUT ROWID',
    CHANGING_ROWS: 'STRICT',
    CHANGING_KEYED: 'STRICT, WITHOUT ROWID',
    SHORT_LIVED: 'STRICT, WITHOUT ROWID'
  },
  // Each index has the number of the row at its end.
  () => ''
)
