/**
 * Version of the tables and columns of a ledger. It is the number of migrations of SQLite, and the
 * same in all engines: files of snapshots have it.
 */
export const ledgerVersion = 7
