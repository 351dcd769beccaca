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
import { readRanges, reserveNumbers, type FileRow } from './snapshot-numbers.ts'
import { countOthers, findRow, publishCopy } from './snapshots.ts'
import { deleteWork, insertWork, leaseOfLock, type Work, type WorkRow } from './stored-work.ts'

/** Rows that are read in one step. */
const pageSize = 200
/** Characters of lines that are stored in one go. */
const batchLength = 100_000

/**
 * Snapshots as files of lines: a header, a line per row, and the number of rows. Both directions
 * work in short steps, so that other requests go on.
 */
export class SqlSnapshotFiles implements SnapshotFiles {
  readonly #database: Database
  readonly #work: AccountWork

  constructor (parts: AccountWorkParts) {
    this.#database = parts.database
    this.#work = new AccountWork(parts)
  }

  async * readLines (account: number, name: string): AsyncIterable<string> {
    const { connection } = this.#database
    const row = await this.#database.transactFor(account, () => findRow(connection, account, name))
    if (row === undefined) throw new SnapshotGoneError()
    const { id, taken, state } = row
    const ranges = await readRanges(connection, id, (work) => this.#database.transact(work))
    yield writeHeader({ taken, state: JSON.parse(state), ranges })
    let rows = 0
    for (const table of accountTableNames) {
      const fields = connection.dialect.listColumns(connection, table).join(', ')
      const page = connection.prepare<[number, number], FileRow & { rowid: number }>(
        `SELECT rowid, ${fields} FROM snapshot_${table} WHERE snapshot = ? AND rowid > ? ` +
          `ORDER BY rowid LIMIT ${pageSize}`
      )
      for (let last = -1, isFull = true; isFull;) {
        const found = await this.#database.transact(() => page.all(id, last))
        if (found.length > 0) yield found.map((row) => writeRow(table, row)).join('')
        rows += found.length
        last = found.at(-1)?.rowid ?? last
        isFull = found.length === pageSize
      }
    }
    const isThere = await this.#database.transactFor(
      account,
      () => findRow(connection, account, name)?.id === id
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
    const header = readHeader((await source.next()).value)
    const begin = () => {
      if (countOthers(connection, account, name) >= limit) return undefined
      const { lastInsertRowid } = connection
        .prepare('INSERT INTO snapshots (account, name, taken, state) VALUES (?, ?, ?, ?)')
        .run(
          -account,
          `${name} of a file ${header.taken}`,
          header.taken,
          JSON.stringify(prepareState(header.state))
        )
      const snapshot = Number(lastInsertRowid)
      const deletion: Work = { kind: 'deleteCopy', account, snapshot, lock: -account }
      return {
        snapshot,
        renumber: reserveNumbers(connection, account, header.ranges),
        deletion,
        number: insertWork(connection, deletion)
      }
    }
    const begun = await this.#database.transact(begin, { lease: leaseOfLock(-account) })
    if (begun === undefined) return false
    const { snapshot, renumber, deletion, number } = begun
    try {
      const insert = prepareInserts(connection, snapshot, renumber)
      await this.#storeRows(account, source, insert)
      await this.#publish(account, name, snapshot, number)
      return true
    } catch (error) {
      await this.#work.finishUntilDone(number, deletion)
      throw error
    }
  }

  async #storeRows (
    account: number,
    source: AsyncIterator<string>,
    insert: (table: string, row: FileRow) => void
  ): Promise<void> {
    let stored = 0
    let announced: number | undefined
    for (let isEnd = false; !isEnd;) {
      const batch: string[] = []
      for (let length = 0; length < batchLength;) {
        const { value, done } = await source.next()
        if (done === true) isEnd = true
        if (done === true) break
        batch.push(value)
        length += value.length
      }
      await this.#work.runSteps(
        -account,
        storeBatch(batch, (line) => {
          const row = readRow(line, stored + 2)
          if (announced !== undefined) throw new SnapshotFileError('there are lines after its end')
          if ('rows' in row) announced = row.rows
          else {
            insert(row.table, row.values)
            stored++
          }
        })
      )
    }
    if (announced === stored) return
    throw new SnapshotFileError(
      announced === undefined
        ? `it is not complete: it ends after ${stored} rows`
        : `it says that it has ${announced} rows, but it has ${stored}`
    )
  }

  /** Shows the copy under its name, in the place of one with the same name. */
  #publish (account: number, name: string, snapshot: number, number: number): Promise<void> {
    const { connection } = this.#database
    return this.#work.runLocked(account, async () => {
      const publish = (): WorkRow | undefined => {
        const replaced = publishCopy(connection, account, name, snapshot)
        deleteWork(connection, number)
        return replaced
      }
      // Another server that has taken over the import has deleted the copy.
      const replaced = await this.#database.transact(publish, { lease: leaseOfLock(-account) })
      await this.#work.finishOrPostpone(replaced)
    })
  }
}

/** Prepares the statement of each table. Returns the function that stores a row. */
function prepareInserts (
  connection: Connection,
  snapshot: number,
  renumber: (table: string, row: FileRow) => FileRow
): (table: string, row: FileRow) => void {
  const inserts = new Map(
    accountTableNames.map((table) => {
      const columns = connection.dialect.listColumns(connection, table)
      const filled = connection.dialect.listFilledColumns(connection, table)
      const marks = columns.map(() => '?').join(', ')
      const insert = connection.prepare(
        `INSERT INTO snapshot_${table} (snapshot, ${columns.join(', ')}) VALUES (?, ${marks})`
      )
      return [table, { columns, filled, insert }]
    })
  )
  return (table, row) => {
    const target = inserts.get(table)
    const isFit =
      target?.columns.every((column) => column in row) === true &&
      target.columns.length === Object.keys(row).length
    if (target === undefined || !isFit) {
      throw new SnapshotFileError(`it has a row of '${table.slice(0, 40)}' with other columns`)
    }
    const empty = target.filled.find((column) => row[column] === null)
    if (empty !== undefined) {
      throw new SnapshotFileError(`it has a row of '${table}' without '${empty}'`)
    }
    const values = renumber(table, row)
    target.insert.run(snapshot, ...target.columns.map((column) => readValue(values[column])))
  }
}

function * storeBatch (lines: readonly string[], store: (line: string) => void): Steps {
  for (const line of lines) {
    store(line)
    yield
  }
}
