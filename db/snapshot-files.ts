import {
  SnapshotFileError,
  SnapshotGoneError,
  type SnapshotFiles
} from '../src/ports/account-tables.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { prepareCopies, type InsertCopy } from './ledger-copy.ts'
import { LedgerNumbers } from './ledger-numbers.ts'
import { readRows, tablesInOrder, type Steps } from './ledger-rows.ts'
import {
  prepareState,
  readHeader,
  readRow,
  readValue,
  writeHeader,
  writeRow
} from './snapshot-lines.ts'
import { SnapshotCheck, type SettingsCheck } from './snapshot-check.ts'
import type { CopiedRow } from './copied-numbers.ts'
import type { SqlSnapshots } from './snapshots.ts'

/** Characters of lines that are checked and stored in one go. */
const batchLength = 100_000

/** A row that is checked. */
interface CheckedRow {
  table: string
  values: CopiedRow
}

/**
 * Snapshots as files of lines: a header, a line per row, and the number of rows. Both directions
 * work in short steps, so that other requests go on.
 */
export class SqlSnapshotFiles implements SnapshotFiles {
  readonly #database: Database
  readonly #snapshots: SqlSnapshots
  readonly #numbers: LedgerNumbers
  readonly #checkSettings: SettingsCheck

  constructor (database: Database, snapshots: SqlSnapshots, checkSettings: SettingsCheck) {
    this.#database = database
    this.#snapshots = snapshots
    this.#numbers = new LedgerNumbers(database)
    this.#checkSettings = checkSettings
  }

  async * readLines (account: number, name: string): AsyncIterable<string> {
    const { connection } = this.#database
    const found = await this.#snapshots.findRow(account, name)
    if (found === undefined) throw new SnapshotGoneError()
    const { ledger, taken, state } = found
    yield writeHeader({ taken, state: JSON.parse(state) })
    let count = 0
    const read = <T>(work: () => Promise<T>): Promise<T> => this.#database.read(undefined, work)
    for (const table of tablesInOrder) {
      for await (const rows of readRows(connection, ledger, table, read)) {
        if (rows.length > 0) yield rows.map((row) => writeRow(table, row)).join('')
        count += rows.length
      }
    }
    // Its rows are deleted after its name.
    const after = await this.#snapshots.findRow(account, name)
    if (after?.ledger !== ledger) throw new SnapshotGoneError()
    yield `${JSON.stringify({ rows: count })}\n`
  }

  storeLines (
    account: number,
    name: string,
    lines: AsyncIterable<string>,
    limit: number
  ): Promise<boolean> {
    // The account itself goes on: nobody sees the copy before it is complete.
    return this.#database.duringLongWork(() => this.#store(account, name, lines, limit))
  }

  async #store (
    account: number,
    name: string,
    lines: AsyncIterable<string>,
    limit: number
  ): Promise<boolean> {
    const { connection } = this.#database
    const source = lines[Symbol.asyncIterator]()
    const check = new SnapshotCheck(this.#checkSettings)
    const { taken, state } = await readCheckedHeader(source, check)
    if (await this.#snapshots.isFull(account, name, limit)) return false
    let insert: InsertCopy | undefined
    const begin = async function * (ledger: number): Steps {
      insert = await prepareCopies(connection, ledger)
    }
    const ledger = await this.#numbers.copy(account, begin)
    try {
      for await (const batch of readBatches(source, check)) {
        const steps = storeBatch(connection, batch, check, insert as InsertCopy)
        await this.#numbers.runSteps(account, ledger, steps)
      }
    } catch (error) {
      await this.#numbers.giveUp(account, ledger)
      if (this.#database.faults.isWrongRow(error)) {
        throw new SnapshotFileError('it has a row twice, or two rows that cannot both be there')
      }
      throw error
    }
    const head = { name, taken, state: JSON.stringify(prepareState(state)) }
    return await this.#snapshots.publish(account, head, ledger, limit)
  }
}

/** Reads the first line. */
async function readCheckedHeader (
  source: AsyncIterator<string>,
  check: SnapshotCheck
): Promise<{ taken: number; state: Record<string, unknown> }> {
  const header = readHeader((await source.next()).value)
  const problem = check.findHeaderProblem(header)
  if (problem !== undefined) throw new SnapshotFileError(`line 1: ${problem}`)
  return header as { taken: number; state: Record<string, unknown> }
}

/** Reads the rows of a file, some at a time, and checks them. The last line has their number. */
async function * readBatches (
  source: AsyncIterator<string>,
  check: SnapshotCheck
): AsyncGenerator<CheckedRow[]> {
  let [stored, length] = [0, 0]
  let batch: CheckedRow[] = []
  let announced: number | undefined
  for (;;) {
    const { value: line, done } = await source.next()
    if (done === true) break
    if (announced !== undefined) throw new SnapshotFileError('there are lines after its end')
    const row = readRow(line, stored + 2)
    if ('rows' in row) announced = row.rows
    else {
      const problem = check.findRowProblem(row.table, row.values)
      if (problem !== undefined) {
        throw new SnapshotFileError(
          `line ${stored + 2}, a row of ${row.table.slice(0, 40)}: ${problem}`
        )
      }
      stored++
      batch.push(row)
      length += line.length
    }
    if (length < batchLength) continue
    yield batch
    batch = []
    length = 0
  }
  if (announced !== stored) {
    throw new SnapshotFileError(
      announced === undefined
        ? `it is not complete: it ends after ${stored} rows`
        : `it says that it has ${announced} rows, but it has ${stored}`
    )
  }
  yield batch
}

async function * storeBatch (
  connection: Connection,
  batch: readonly CheckedRow[],
  { numbers }: SnapshotCheck,
  insert: InsertCopy
): Steps {
  await numbers.reserve(connection)
  for (const { table, values } of batch) {
    insert(table, readValues(numbers.renumber(table, values)))
    yield
  }
}

function readValues (row: CopiedRow): CopiedRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readValue(value)]))
}
