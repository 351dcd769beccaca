import { describeDatabase } from '../../src/lib/url.ts'
import type { Connection, Engine } from '../connection.ts'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { PostgresConnection } from './connection.ts'
import { refuseWrongUrl } from './connection-url.ts'
import { explainFault, isConflict, orElsewhere } from './faults.ts'
import { refuseOtherVersion } from '../schema.ts'
import { inspectLedger, prepareLedger, renewLedger } from './ledger.ts'
import { PostgresError, toPostgresError } from './postgres-error.ts'
import { refuseUnwritable } from './rights.ts'
import { Session, type BeginSession } from './session.ts'

/** Prepares the ledger of a database. */
type PrepareLedger = (connection: Connection, place: string) => Promise<void>

/** Codes of errors of the values of a row, and of rules of its table. */
const wrongRow = /^2[23]/

/** Ledger in a schema of a PostgreSQL database. */
export class PostgresEngine implements Engine {
  readonly connection: PostgresConnection
  readonly #session: Session
  readonly #place: string

  private constructor (session: Session, place: string) {
    this.#session = session
    this.#place = place
    this.connection = new PostgresConnection(session)
  }

  /**
   * Connects and prepares the ledger: by default a new one gets its tables. Throws a
   * LedgerUnusableError.
   */
  static async open (
    url: string,
    prepare: PrepareLedger = prepareLedger
  ): Promise<PostgresEngine> {
    const place = describeDatabase(url)
    refuseWrongUrl(url, place)
    const session = new Session(url, place)
    const engine = new PostgresEngine(session, place)
    try {
      await session.connect()
      await prepare(engine.connection, place)
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
    return error instanceof PostgresError && (error.isRepeatable || isConflict(error))
  }

  isWrongRow (error: unknown): boolean {
    return error instanceof PostgresError && wrongRow.test(error.code)
  }

  /** Begins the session with some work, and each later one after the loss of the one before. */
  async beginSession (work: BeginSession): Promise<void> {
    try {
      await this.#session.beginWith(work)
    } catch (error) {
      throw explainStart(this.#place, error)
    }
  }

  /** Calls a function when the connection is lost. */
  listenForLoss (listener: () => void): void {
    this.#session.onLoss = listener
  }

  /** PostgreSQL needs no preparation. */
  expectLongWork (): void {}

  async close (): Promise<void> {
    await this.#session.close()
  }
}

/** Throws a LedgerUnusableError if a database cannot be a ledger. It changes nothing. */
export async function checkDatabase (url: string): Promise<void> {
  const prepare: PrepareLedger = async (connection, place) => {
    const version = await inspectLedger(connection, place)
    if (version !== 0) refuseOtherVersion(`in ${place}`, version, orElsewhere)
    await refuseUnwritable(connection, place, version === 0)
  }
  const engine = await PostgresEngine.open(url, prepare)
  await engine.close()
}

/** Empties a ledger. Throws a LedgerUnusableError if it is in use. */
export async function emptyLedger (url: string): Promise<void> {
  const engine = await PostgresEngine.open(url, renewLedger)
  await engine.close()
}

function explainStart (place: string, thrown: unknown): unknown {
  if (thrown instanceof LedgerUnusableError) return thrown
  const error = toPostgresError(thrown)
  const { problem, fix } =
    explainFault(place, error) ??
    new LedgerUnusableError(`${place} cannot be used (${error.message})`, 'check the URL')
  return new LedgerUnusableError(problem, fix)
}
