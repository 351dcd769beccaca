import { setImmediate } from 'node:timers/promises'
import { LedgerCopyError, LedgerUnusableError } from '../src/domain/ledger-error.ts'
import { ledgerTableNames } from './account-rows.ts'
import type { Connection, Engine, ReportWait } from './connection.ts'
import { openEngine, openForReading } from './open-engine.ts'
import {
  continueNumbers,
  countRows,
  listCopiedColumns,
  prepareInsert,
  readTable,
  type TableContent
} from './table-copy.ts'

/** Copy of a ledger to another place, with any engine on both sides. */

/** Ledger of a copy: its setting, and its name in messages. */
export interface LedgerPlace {
  db: string
  name: string
}

/** Progress in a table. */
export interface CopyProgress {
  step: 'copied' | 'compared'
  table: string
  rows: number
  total: number
}

/** Options of a copy. */
export interface CopyOptions {
  report: (progress: CopyProgress) => void
  reportWait: ReportWait
  /** Ends the copy before it is complete. */
  signal: AbortSignal
}

/** Table that was copied. */
export interface CopiedTable extends TableContent {
  table: string
}

/**
 * Copies all rows of a ledger to an empty one. It is one transaction: the other ledger gets all
 * rows or none. At its end all rows are read again and compared. Throws a LedgerUnusableError or a
 * LedgerCopyError.
 */
export async function copyLedger (
  from: LedgerPlace,
  to: LedgerPlace,
  options: CopyOptions
): Promise<CopiedTable[]> {
  const source = await openForReading(from.db, options.reportWait)
  try {
    const target = await openEngine(to.db, false, options.reportWait)
    try {
      return await new LedgerCopy(source, target, to, options).run()
    } finally {
      target.close()
    }
  } finally {
    source.close()
  }
}

function refuseUsedLedger (connection: Connection, { name }: LedgerPlace): void {
  const isUsed = ledgerTableNames.some(
    (table) => connection.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined
  )
  if (!isUsed) return
  const [payments, accounts] = ['payments', 'accounts'].map((table) => countRows(connection, table))
  throw new LedgerUnusableError(
    `${name} is a ledger that was used already (accounts: ${accounts}, payments: ${payments}), ` +
      'and a copy overwrites nothing',
    'name a new file, or a database or a schema without tables'
  )
}

/** One copy, between two ledgers that nobody else uses. */
class LedgerCopy {
  readonly #source: Engine
  readonly #target: Engine
  readonly #to: LedgerPlace
  readonly #options: CopyOptions

  constructor (source: Engine, target: Engine, to: LedgerPlace, options: CopyOptions) {
    this.#source = source
    this.#target = target
    this.#to = to
    this.#options = options
  }

  async run (): Promise<CopiedTable[]> {
    const { connection } = this.#target
    this.#try(this.#target, () => refuseUsedLedger(connection, this.#to))
    try {
      connection.prepare('BEGIN').run()
      const { longTransaction } = connection.dialect
      if (longTransaction !== undefined) connection.exec(longTransaction)
      const tables: CopiedTable[] = []
      for (const table of ledgerTableNames) tables.push(await this.#copyTable(table))
      for (const copied of tables) await this.#compareTable(copied)
      for (const { table } of tables) this.#continueNumbers(table)
      this.#commit()
      return tables
    } catch (error) {
      if (connection.inTransaction) connection.prepare('ROLLBACK').run()
      throw error
    }
  }

  async #copyTable (table: string): Promise<CopiedTable> {
    const [from, to] = [this.#source.connection, this.#target.connection]
    const columns = this.#listColumns(table)
    const insert = prepareInsert(to, table, columns)
    const total = this.#try(this.#source, () => countRows(from, table))
    return { table, ...(await this.#read('copied', this.#source, table, total, insert)) }
  }

  async #compareTable ({ table, rows, digest }: CopiedTable): Promise<void> {
    const content = await this.#read('compared', this.#target, table, rows, () => {})
    if (content.rows === rows && content.digest === digest) return
    throw this.#createError(`the rows of table ${table} differ after the copy`)
  }

  /** Reads a table, uses its pages and reports the progress. */
  async #read (
    step: CopyProgress['step'],
    engine: Engine,
    table: string,
    total: number,
    usePage: (page: readonly unknown[][]) => void
  ): Promise<TableContent> {
    const columns = this.#listColumns(table)
    let rows = 0
    try {
      return await readTable(engine.connection, table, columns, async (page) => {
        this.#try(this.#target, () => usePage(page))
        rows += page.length
        this.#options.report({ step, table, rows, total })
        await this.#allowInterruption()
      })
    } catch (error) {
      throw this.#explain(engine, error)
    }
  }

  #listColumns (table: string): string[] {
    return this.#try(this.#source, () => listCopiedColumns(this.#source.connection, table))
  }

  #continueNumbers (table: string): void {
    this.#try(this.#target, () =>
      continueNumbers(this.#source.connection, this.#target.connection, table)
    )
  }

  /** Does work with a ledger. An error that is its fault is explained. */
  #try<T>(engine: Engine, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#explain(engine, error)
    }
  }

  async #allowInterruption (): Promise<void> {
    await setImmediate()
    if (this.#options.signal.aborted) throw this.#createError('it was interrupted')
  }

  #commit (): void {
    try {
      this.#target.connection.prepare('COMMIT').run()
    } catch (error) {
      const fault = this.#target.explainFault(error)
      if (fault === undefined || !fault.isTemporary) throw this.#explain(this.#target, error)
      throw new LedgerUnusableError(
        `${fault.problem} at the end of the copy, so ${this.#to.name} has all rows or none`,
        'run the command again: it refuses a complete copy'
      )
    }
  }

  /** Returns the problem of a ledger behind an error, and says that nothing was copied. */
  #explain (engine: Engine, error: unknown): unknown {
    const fault = engine.explainFault(error)
    if (fault === undefined) return error
    return new LedgerUnusableError(`${fault.problem}; ${this.#nothing()}`, fault.fix)
  }

  #createError (problem: string): LedgerCopyError {
    return new LedgerCopyError(`${problem}; ${this.#nothing()}`)
  }

  #nothing (): string {
    return `nothing was copied, and ${this.#to.name} is still empty`
  }
}
