import { version } from '../../src/lib/package.ts'
import { describeDatabase } from '../../src/lib/url.ts'
import type { Connection, Engine, ReportWait } from '../connection.ts'
import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import { PostgresConnection } from './connection.ts'
import { refuseWrongUrl } from './connection-url.ts'
import { createInUseError, explainFault, isConflict, orElsewhere } from './faults.ts'
import { refuseOtherVersion } from '../schema.ts'
import {
  inspectLedger,
  prepareLedger,
  refuseOnlyServer,
  renewLedger
} from './ledger.ts'
import { openWhenUnused, refuseLiveServers } from './live-servers.ts'
import { PostgresError, toPostgresError, uniqueViolation } from './postgres-error.ts'
import { ledgerTable } from './schema.ts'
import { refuseUnwritable } from './rights.ts'
import { refuseOtherVersions } from './servers.ts'
import { Session } from './session.ts'

/** SQLSTATE of a lock that another server has. */
const lockNotAvailable = '55P03'

/** Prepares the ledger of a database. Returns whether there is one. */
type PrepareLedger = (connection: Connection, place: string) => Promise<boolean>

/** Options of an engine. */
export interface EngineOptions {
  prepare?: PrepareLedger
  /** True if several servers use the ledger at the same time. */
  isShared?: boolean
}

/** Codes of errors of the values of a row, and of rules of its table. */
const wrongRow = /^2[23]/

/** Ledger in a schema of a PostgreSQL database. */
export class PostgresEngine implements Engine {
  readonly connection: PostgresConnection
  readonly #session: Session
  readonly #place: string
  readonly #isShared: boolean

  private constructor (session: Session, place: string, isShared: boolean) {
    this.#session = session
    this.#place = place
    this.#isShared = isShared
    this.connection = new PostgresConnection(session, isShared)
  }

  /**
   * Connects, prepares the ledger and locks it: by default a new one gets its tables. Throws a
   * LedgerUnusableError.
   */
  static async open (
    url: string,
    { prepare = prepareLedger, isShared = false }: EngineOptions = {}
  ): Promise<PostgresEngine> {
    const place = describeDatabase(url)
    refuseWrongUrl(url, place)
    const session = new Session(url, place)
    const engine = new PostgresEngine(session, place, isShared)
    try {
      await session.connect()
      const isReady = await prepare(engine.connection, place)
      if (isReady && isShared) {
        await refuseOnlyServer(engine.connection)
        await refuseOtherVersions(engine.connection, version)
      } else if (isReady) {
        await session.lock(ledgerTable)
        await refuseLiveServers(engine.connection, place)
      }
      return engine
    } catch (error) {
      await engine.close()
      throw explainStart(place, error)
    }
  }

  explainFault (error: unknown): LedgerUnusableError | undefined {
    return explainFault(this.#place, error)
  }

  isConflict (error: unknown): boolean {
    if (!(error instanceof PostgresError)) return false
    // Another server may have stored the row after this one has looked for it.
    if (this.#isShared && error.code === uniqueViolation) return true
    return error.isRepeatable || isConflict(error)
  }

  isWrongRow (error: unknown): boolean {
    return error instanceof PostgresError && wrongRow.test(error.code)
  }

  /** PostgreSQL needs no preparation. */
  expectLongWork (): void {}

  async close (): Promise<void> {
    await this.#session.close()
  }
}

/** Opens a ledger as soon as no killed server counts as alive. Throws a LedgerUnusableError. */
export function openDatabase (
  url: string,
  options: EngineOptions,
  reportWait?: ReportWait
): Promise<PostgresEngine> {
  return openWhenUnused(() => PostgresEngine.open(url, options), reportWait)
}

/** Throws a LedgerUnusableError if a database cannot be a ledger. It changes nothing. */
export async function checkDatabase (url: string, isShared: boolean): Promise<void> {
  const prepare: PrepareLedger = async (connection, place) => {
    const version = await inspectLedger(connection, place)
    if (version !== 0) refuseOtherVersion(`in ${place}`, version, orElsewhere)
    await refuseUnwritable(connection, place, version === 0)
    return version > 0
  }
  const engine = await PostgresEngine.open(url, { prepare, isShared })
  await engine.close()
}

/** Empties a ledger. Throws a LedgerUnusableError if it is in use. */
export async function emptyLedger (url: string, reportWait?: ReportWait): Promise<void> {
  const engine = await openDatabase(url, { prepare: renewLedger }, reportWait)
  await engine.close()
}

function explainStart (place: string, thrown: unknown): unknown {
  if (thrown instanceof LedgerUnusableError) return thrown
  const error = toPostgresError(thrown)
  if (error.code === lockNotAvailable) return createInUseError(place)
  const { problem, fix } =
    explainFault(place, error) ??
    new LedgerUnusableError(`${place} cannot be used (${error.message})`, 'check the URL')
  return new LedgerUnusableError(problem, fix)
}
