/** Numbers of types in PostgreSQL (`pg_type.oid`). */
export const byteaType = 17
export const bigintType = 20
export const textType = 25
/** BIGINT, SMALLINT and INTEGER. */
export const integerTypes = [bigintType, 21, 23]
