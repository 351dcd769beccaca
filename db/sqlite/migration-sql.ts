/** SQL that several migrations need. Released migrations use it: do not change what it does. */

/** Creates the tables for copies of rows in snapshots: the same columns, and the snapshot. */
export function mirrors (...tables: string[]): string {
  return tables
    .map(
      (table) => `
  CREATE TABLE snapshot_${table} AS SELECT 0 AS snapshot, * FROM ${table} WHERE 0;
  CREATE INDEX snapshot_${table}_rows ON snapshot_${table} (snapshot);`
    )
    .join('')
}

/** Adds a column to a table and to its copy for snapshots, and fills it. */
export function addColumn (table: string, column: string, value: string): string {
  return [table, `snapshot_${table}`]
    .map(
      (name) => `
  ALTER TABLE ${name} ADD COLUMN ${column} TEXT;
  UPDATE ${name} SET ${column} = ${value};`
    )
    .join('')
}

/** Adds `origin` to the plans of a table that were stored without it. */
export function addPlanOrigin (table: string): string {
  return `
  UPDATE ${table} SET plan = json_set(plan, '$.origin', CASE
    WHEN kind = 6 THEN 'checkout'
    WHEN plan ->> '$.scenario' = 'split payment' AND json_array_length(plan, '$.steps') = 0
      THEN 'waitingPart'
    WHEN plan ->> '$.scenario' = 'default' THEN 'default'
    WHEN plan ->> '$.scenario' = 'waits-for-customer' THEN 'customer'
    WHEN plan ->> '$.scenario' LIKE 'test-number:%' THEN 'testNumber'
    WHEN plan ->> '$.why' = 'the request named it' THEN 'named'
    WHEN plan ->> '$.why' = 'it was added for the account and matches' THEN 'added'
    ELSE 'file' END);
  UPDATE ${table} SET plan = json_set(plan, '$.expiredBy', 'merchant')
    WHERE kind = 6 AND plan ->> '$.why' = 'expired by the merchant';`
}

/** Renames columns of a table and of its copy for snapshots. */
export function renameColumns (table: string, names: Record<string, string>): string {
  return Object.entries(names)
    .map(
      ([from, to]) => `
  ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to};
  ALTER TABLE snapshot_${table} RENAME COLUMN ${from} TO ${to};`
    )
    .join('')
}
