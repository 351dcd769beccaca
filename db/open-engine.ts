import type { Engine } from './connection.ts'
import { SqliteEngine } from './sqlite/engine.ts'

/** Opens the ledger that a setting names. Throws a LedgerUnusableError if it cannot be used. */
export async function openEngine (db: string): Promise<Engine> {
  return new SqliteEngine(db)
}
