import {
  SnapshotFileError,
  SnapshotGoneError,
  type SnapshotFiles
} from '../src/domain/account-tables.ts'
import { accountTableNames, type Steps } from './account-rows.ts'
import { AccountWork, type AccountWorkParts } from './account-work.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import {
  prepareState,
  readHeader,
  readRow,
  readValue,
  writeHeader,
  writeRow
} from './snapshot-lines.ts'
import { SnapshotCheck, type SettingsCheck } from './snapshot-check.ts'
import { numberedTables, type FileRow } from './snapshot-numbers.ts'
import { tableForms } from './snapshot-schemas.ts'
import { countOthers, findRow, insertSnapshot, publishCopy } from './snapshots.ts'
import { deleteWork, insertWork, leaseOfLock, type Work, type WorkRow } from './stored-work.ts'

/** Rows that are read in one step. */
const pageSize = 200
/** Characters of lines that are checked and stored in one go. */
const batchLength = 100_000

/** Tables in the order of a file: first those whose rows other rows refer to. */
const tablesInOrder = [...new Set([...numberedTables, ...accountTableNames])]

/** A row that is checked. */
interface CheckedRow {
  table: string
  values: FileRow
}

/**
 * Snapshots as files of lines: a header, a line per row, and the number of rows. Both directions
 * work in short steps, so that other requests go on.
 */
export class SqlSnapshotFiles implements SnapshotFiles {
  readonly #database: Database
  readonly #work: AccountWork
  readonly #checkSettings: SettingsCheck

  constructor (parts: AccountWorkParts, checkSettings: SettingsCheck) {
    this.#database = parts.database
    this.#work = new AccountWork(parts)
    this.#checkSettings = checkSettings
  }

  async * readLines (account: number, name: string): AsyncIterable<string> {
    const { connection } = this.#database
    const row = await this.#database.read(account, () => findRow(connection, account, name))
    if (row === undefined) throw new SnapshotGoneError()
    const { id, taken, state } = row
    yield writeHeader({ taken, state: JSON.parse(state) })
    let rows = 0
    for (const table of tablesInOrder) {
      const fields = (await connection.dialect.listColumns(connection, table)).join(', ')
      const page = connection.prepare<[number, number], FileRow & { rowid: number }>(
        `SELECT rowid, ${fields} FROM snapshot_${table} WHERE snapshot = ? AND rowid > ? ` +
          `ORDER BY rowid LIMIT ${pageSize}`
      )
      for (let last = -1, isFull = true; isFull;) {
        const found = await this.#database.read(undefined, () => page.all(id, last))
        if (found.length > 0) yield found.map((row) => writeRow(table, row)).join('')
        rows += found.length
        last = found.at(-1)?.rowid ?? last
        isFull = found.length === pageSize
      }
    }
    const isThere = await this.#database.read(
      account,
      async () => (await findRow(connection, account, name))?.id === id
    )
    // Its rows are deleted after its name.
    if (!isThere) throw new SnapshotGoneError()
    yield `${JSON.stringify({ rows })}\n`
  }

  storeLines (
    account: number,
    name: string,
    lines: AsyncIterable<string>,
    limit: number
  ): Promise<boolean> {
    const source = lines[Symbol.asyncIterator]()
    // The account itself is not locked: nobody sees the copy before it is complete. But the
    // write-ahead log is written back in small parts while there is a lock.
    return this.#work.runLocked(-account, () => this.#store(account, name, source, limit))
  }

  async #store (
    account: number,
    name: string,
    source: AsyncIterator<string>,
    limit: number
  ): Promise<boolean> {
    const { connection } = this.#database
    const check = new SnapshotCheck(this.#checkSettings)
    const { taken, state } = await readCheckedHeader(source, check)
    const begin = async () => {
      if ((await countOthers(connection, account, name)) >= limit) return undefined
      const text = JSON.stringify(prepareState(state))
      const row = [-account, `${name} of a file ${taken}`, taken, text]
      const snapshot = await insertSnapshot(connection, row)
      const deletion: Work = { kind: 'deleteCopy', account, snapshot, lock: -account }
      return { snapshot, deletion, number: await insertWork(connection, deletion) }
    }
    const begun = await this.#database.write(undefined, begin, { lease: leaseOfLock(-account) })
    if (begun === undefined) return false
    const { snapshot, deletion, number } = begun
    try {
      const insert = prepareInserts(connection, snapshot)
      for await (const batch of readBatches(source, check)) {
        await this.#work.runSteps(-account, storeBatch(connection, account, batch, check, insert))
      }
      await this.#publish(account, name, snapshot, number)
      return true
    } catch (error) {
      await this.#work.finishUntilDone(number, deletion)
      if (this.#database.faults.isWrongRow(error)) throw new SnapshotFileError(textOf(error))
      throw error
    }
  }

  /** Shows the copy under its name, in the place of one with the same name. */
  #publish (account: number, name: string, snapshot: number, number: number): Promise<void> {
    const { connection } = this.#database
    return this.#work.runLocked(account, async () => {
      const publish = async (): Promise<WorkRow | undefined> => {
        const replaced = await publishCopy(connection, account, name, snapshot)
        deleteWork(connection, number)
        return replaced
      }
      // Another server that has taken over the import has deleted the copy.
      const lease = leaseOfLock(-account)
      const replaced = await this.#database.write(undefined, publish, { lease })
      await this.#work.finishOrPostpone(replaced)
    })
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

/** Prepares the statement of each table. Returns the function that stores a row. */
function prepareInserts (
  connection: Connection,
  snapshot: number
): (table: string, row: FileRow) => void {
  const inserts = new Map(
    Object.entries(tableForms).map(([table, form]) => {
      const columns = Object.keys(form.columns)
      const insert = connection.prepareInsert(`snapshot_${table}`, ['snapshot', ...columns])
      return [table, { columns, insert }]
    })
  )
  return (table, row) => {
    const target = inserts.get(table)
    target?.insert.run(snapshot, ...target.columns.map((column) => readValue(row[column])))
  }
}

async function * storeBatch (
  connection: Connection,
  account: number,
  batch: readonly CheckedRow[],
  { numbers }: SnapshotCheck,
  insert: (table: string, row: FileRow) => void
): Steps {
  await numbers.reserve(connection)
  for (const { table, values } of batch) {
    insert(table, numbers.renumber(account, table, values))
    yield
  }
}

function textOf (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
