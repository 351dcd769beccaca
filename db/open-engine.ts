import { isPostgresUrl } from '../src/lib/url.ts'
import type { Engine, ReportWait } from './connection.ts'
import { LedgerUnusableError } from '../src/domain/ledger-error.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { checkLedgerFile } from './sqlite/ledger-file.ts'

/**
 * Opens the ledger that a setting names, for one server or for one of several. Throws a
 * LedgerUnusableError if it cannot be used.
 */
export async function openEngine (
  db: string,
  isShared = false,
  reportWait?: ReportWait
): Promise<Engine> {
  if (!isPostgresUrl(db)) return new SqliteEngine(db)
  const { openDatabase } = await import('./postgres/engine.ts')
  return await openDatabase(db, { isShared }, reportWait)
}

/** Deletes a ledger. Refuses what is not a ledger, and a ledger that is in use. */
export async function deleteLedger (db: string, reportWait?: ReportWait): Promise<void> {
  if (!isPostgresUrl(db)) {
    const { deleteLedgerFile } = await import('./sqlite/delete-ledger.ts')
    return deleteLedgerFile(db)
  }
  const { emptyLedger } = await import('./postgres/engine.ts')
  await emptyLedger(db, reportWait)
}

/** Returns the error of a file or a database that is not a ledger. It changes nothing. */
export async function findLedgerProblem (
  db: string,
  isShared = false
): Promise<LedgerUnusableError | undefined> {
  try {
    if (!isPostgresUrl(db)) checkLedgerFile(db)
    else await (await import('./postgres/engine.ts')).checkDatabase(db, isShared)
  } catch (error) {
    if (error instanceof LedgerUnusableError) return error
    throw error
  }
}
