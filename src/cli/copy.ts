import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { CopiedTable } from '../build/ledger-copy.ts'
import { ConfigError } from '../config/config.ts'
import { LedgerCopyError, LedgerUnusableError } from '../domain/ledger-error.ts'
import { stopwatch } from '../lib/clock.ts'
import { describeDatabase, isOtherAddress, isPostgresUrl } from '../lib/url.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { CopyView, formatCount } from './copy-view.ts'

const usage = 'momock copy FROM TO'

/** `momock copy`: copies a ledger to another file or database. */
export const run: RunCommand = async ({ words, out, err, folder }) => {
  const [from, to] = readPlaces(words, folder)
  const { copyLedger } = await import('../build/ledger-copy.ts')
  const view = new CopyView(out)
  const start = stopwatch()
  const { signal, ignoreSignals } = listenToSignals()
  try {
    const report = view.show.bind(view)
    const reportWait = (message: string): void => {
      err.write(`${message}\n`)
    }
    const tables = await copyLedger(from, to, { report, reportWait, signal })
    view.end()
    writeSummary(out, tables, (stopwatch() - start) / 1000)
    out.write(`${from.name} and ${to.name} have the same rows; ${from.name} is unchanged\n`)
    return exitCodes.fine
  } catch (error) {
    view.end()
    if (error instanceof LedgerUnusableError) throw adaptAdvice(error, to)
    if (!(error instanceof LedgerCopyError)) throw error
    err.write(`momock copy failed: ${error.message}\n`)
    return exitCodes.failed
  } finally {
    ignoreSignals()
  }
}

interface Place {
  db: string
  name: string
}

/** Reads the two ledgers of the command line. Throws a ConfigError with all problems. */
function readPlaces (words: readonly string[], folder: string): [Place, Place] {
  if (words.length !== 2) throw new ConfigError([`name two ledgers: ${usage}`])
  const problems = words
    .filter((word) => word === ':memory:')
    .map(() => 'a ledger in memory cannot be copied; name a file or postgres://USER@HOST/DATABASE')
  if (words.some(isOtherAddress)) {
    problems.push('a ledger is a file, or postgres://USER@HOST/DATABASE')
  }
  const [from, to] = words.map((word) => ({
    db: isPostgresUrl(word) ? word : resolve(folder, word),
    name: isPostgresUrl(word) ? describeDatabase(word) : word
  }))
  if (findReal(from.db) === findReal(to.db)) {
    problems.push(`FROM and TO are the same ledger; name another one for TO: ${usage}`)
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return [from, to]
}

/** Returns the path of a file without links. */
function findReal (db: string): string {
  return !isPostgresUrl(db) && existsSync(db) ? realpathSync(db) : db
}

/** Aborts at the first signal, so that the end is reported. */
function listenToSignals (): { signal: AbortSignal; ignoreSignals: () => void } {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const name of signals) process.on(name, abort)
  return {
    signal: controller.signal,
    ignoreSignals: () => {
      for (const name of signals) process.off(name, abort)
    }
  }
}

/**
 * Adapts the advice to this command: it has no flag for the ledger, and a database can have several
 * URLs.
 */
function adaptAdvice (
  { problem, fix, inUse }: LedgerUnusableError,
  to: Place
): LedgerUnusableError {
  const advice = fix?.replace(' with --db', '')
  const isDatabase = inUse && isPostgresUrl(to.db)
  const added = isDatabase ? '; FROM and TO must not be the same ledger with two URLs' : ''
  return new LedgerUnusableError(problem, advice && advice + added, { inUse })
}

function writeSummary (out: Writable, tables: readonly CopiedTable[], seconds: number): void {
  const used = tables.filter(({ rows }) => rows > 0)
  const rows = used.reduce((sum, table) => sum + table.rows, 0)
  const parts = ['accounts', 'payments', 'callbacks', 'snapshots'].map((name) => {
    const count = tables.find(({ table }) => table === name)?.rows ?? 0
    return `${name} ${formatCount(count)}`
  })
  out.write(
    `copied ${formatCount(rows)} rows of ${used.length} tables in ${seconds.toFixed(1)} s ` +
      `(${parts.join(', ')})\n`
  )
}
