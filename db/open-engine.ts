import { isPostgresUrl } from '../src/lib/url.ts'
import type { Engine } from './connection.ts'
import { LedgerUnusableError } from '../src/ports/ledger-error.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { checkLedgerFile } from './sqlite/ledger-file.ts'

/** Opens the ledger that a setting names. Throws a LedgerUnusableError if it cannot be used. */
export async function openEngine (db: string): Promise<Engine> {
  if (!isPostgresUrl(db)) return new SqliteEngine(db)
  const { PostgresEngine } = await import('./postgres/engine.ts')
  return await PostgresEngine.open(db)
}

/** Deletes a ledger. Refuses what is not a ledger, and a ledger that is in use. */
export async function deleteLedger (db: string): Promise<void> {
  if (!isPostgresUrl(db)) {
    const { deleteLedgerFile } = await import('./sqlite/delete-ledger.ts')
    return deleteLedgerFile(db)
  }
  const { emptyLedger } = await import('./postgres/engine.ts')
  await emptyLedger(db)
}

/** Returns the error of a file or a database that is not a ledger. It changes nothing. */
export async function findLedgerProblem (db: string): Promise<LedgerUnusableError | undefined> {
  try {
    if (!isPostgresUrl(db)) checkLedgerFile(db)
    else await (await import('./postgres/engine.ts')).checkDatabase(db)
  } catch (error) {
    if (error instanceof LedgerUnusableError) return error
    throw error
  }
}
