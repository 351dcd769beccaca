import { version } from '../../src/lib/package.ts'
import { describeDatabase } from '../../src/lib/url.ts'
import type { Connection, Engine, ReportWait } from '../connection.ts'
import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import { BackgroundTransactions } from './background.ts'
import { BackgroundSession } from './background-session.ts'
import { Channel, PostgresError } from './channel.ts'
import { PostgresConnection, uniqueViolation } from './connection.ts'
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
import { ledgerTable } from './schema.ts'
import { refuseUnwritable } from './rights.ts'
import { refuseOtherVersions } from './servers.ts'

/** SQLSTATE of a lock that another server has. */
const lockNotAvailable = '55P03'

/** Prepares the ledger of a database. Returns whether there is one. */
type PrepareLedger = (connection: Connection, place: string) => boolean

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
  readonly #channel: Channel
  readonly #url: string
  readonly #place: string
  #session: BackgroundSession | undefined
  readonly #isShared: boolean

  /**
   * Connects, prepares the ledger and locks it: by default a new one gets its tables. Throws a
   * LedgerUnusableError.
   */
  constructor (url: string, { prepare = prepareLedger, isShared = false }: EngineOptions = {}) {
    this.#isShared = isShared
    this.#url = url
    this.#place = describeDatabase(url)
    refuseWrongUrl(url, this.#place)
    this.#channel = new Channel(url)
    this.connection = new PostgresConnection(this.#channel, isShared)
    try {
      this.#channel.send({ kind: 'connect' })
      const isReady = prepare(this.connection, this.#place)
      if (isReady && isShared) {
        refuseOnlyServer(this.connection)
        refuseOtherVersions(this.connection, version)
      } else if (isReady) this.#lock()
    } catch (error) {
      this.close()
      throw explainStart(this.#place, error)
    }
  }

  /** Locks the ledger for this server alone. */
  #lock (): void {
    this.#channel.send({ kind: 'lock', table: ledgerTable })
    refuseLiveServers(this.connection, this.#place)
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

  async openBackground (): Promise<void> {
    this.#session = new BackgroundSession(this.#url, this.#channel)
    await this.#session.connect()
    this.connection.background = new BackgroundTransactions(this.connection, this.#session)
  }

  async closeBackground (): Promise<void> {
    this.connection.background = undefined
    await this.#session?.close()
  }

  close (): void {
    this.#channel.close()
  }
}

/** Opens a ledger as soon as no killed server counts as alive. Throws a LedgerUnusableError. */
export function openDatabase (
  url: string,
  options: EngineOptions,
  reportWait?: ReportWait
): Promise<PostgresEngine> {
  return openWhenUnused(() => new PostgresEngine(url, options), reportWait)
}

/** Throws a LedgerUnusableError if a database cannot be a ledger. It changes nothing. */
export function checkDatabase (url: string, isShared: boolean): void {
  const prepare: PrepareLedger = (connection, place) => {
    const version = inspectLedger(connection, place)
    if (version !== 0) refuseOtherVersion(`in ${place}`, version, orElsewhere)
    refuseUnwritable(connection, place, version === 0)
    return version > 0
  }
  new PostgresEngine(url, { prepare, isShared }).close()
}

/** Empties a ledger. Throws a LedgerUnusableError if it is in use. */
export async function emptyLedger (url: string, reportWait?: ReportWait): Promise<void> {
  const engine = await openDatabase(url, { prepare: renewLedger }, reportWait)
  engine.close()
}

function explainStart (place: string, error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  if (error.code === lockNotAvailable) return createInUseError(place)
  const { problem, fix } =
    explainFault(place, error) ??
    new LedgerUnusableError(`${place} cannot be used (${error.message})`, 'check the URL')
  return new LedgerUnusableError(problem, fix)
}
