import type { Statement, StatementEnding, StatementDraft } from '../src/domain/statement.ts'
import type { OutgoingCallback } from '../src/ports/ledger.ts'
import type { StatementStore } from '../src/ports/stores.ts'
import { statementQueue } from '../src/ports/due-queue.ts'
import type { SqlDueQueue } from './due-queue.ts'
import type { Database } from './database.ts'
import type { SqlOutbox } from './outbox.ts'

interface StatementRow {
  seq: number
  id: string
  created: number
  due: number
  request: string
  ended: number | null
  failure: string | null
  size: number | null
}

const columns =
  'seq, statements.id, created, statements.due, request, ended, failure, length(file) AS size'

/** Statements, and the files of those that are ready. */
export class SqlWalletStatements implements StatementStore {
  readonly #database: Database
  readonly #dueQueue: SqlDueQueue
  readonly #outbox: SqlOutbox
  readonly #count
  readonly #insert
  readonly #find
  readonly #due
  readonly #end
  readonly #file

  constructor (database: Database, dueQueue: SqlDueQueue, outbox: SqlOutbox) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#outbox = outbox
    this.#count = connection.prepare<[number], { n: number }>(
      'SELECT count(*) AS n FROM statements WHERE ledger = ?'
    )
    this.#insert = connection.prepareInsert('statements', [
      'ledger',
      'id',
      'created',
      'due',
      'request'
    ])
    this.#find = connection.prepare<[string], StatementRow & { account: number }>(`
      SELECT ${columns}, accounts.id AS account FROM statements
      JOIN accounts ON accounts.ledger = statements.ledger WHERE statements.id = ?`)
    this.#due = connection.prepare<[number, number, number, number], StatementRow>(`
      SELECT ${columns} FROM due_queue JOIN statements ON seq = subject
      WHERE due_queue.ledger = ? AND queue = ? AND due_queue.due <= ?
      ORDER BY due_queue.due, subject LIMIT ?`)
    this.#end = connection.prepare(
      'UPDATE statements SET ended = ?, failure = ?, file = ? WHERE seq = ?'
    )
    this.#file = connection.prepare<[number], { file: Buffer | null }>(
      'SELECT file FROM statements WHERE seq = ?'
    )
  }

  addStatement (account: number, draft: (n: number) => StatementDraft): Promise<Statement> {
    return this.#database.write(account, async () => {
      const ledger = this.#database.ledgerOf(account)
      const { n } = (await this.#count.get(ledger)) as { n: number }
      const { id, request, created, due } = draft(n + 1)
      const text = JSON.stringify(request)
      const seq = (await this.#insert.add(ledger, id, created, due, text)) as number
      this.#dueQueue.add(account, statementQueue, due, seq)
      return { seq, account, id, created, request }
    })
  }

  findStatement (account: number, id: string): Promise<Statement | undefined> {
    return this.#database.read(account, async () => {
      const statement = await this.#read(id)
      return statement?.account === account ? statement : undefined
    })
  }

  findByLink (id: string): Promise<Statement | undefined> {
    return this.#database.read(undefined, () => this.#read(id))
  }

  async #read (id: string): Promise<Statement | undefined> {
    const row = await this.#find.get(id.toLowerCase())
    return row && readStatement(row.account, row)
  }

  listDueStatements (account: number, now: number, limit: number): Promise<Statement[]> {
    return this.#database.read(account, async () =>
      (await this.#due.all(this.#database.ledgerOf(account), statementQueue, now, limit)).map(
        (row) => readStatement(account, row)
      )
    )
  }

  endStatement (
    { seq, account, id }: Statement,
    ending: StatementEnding,
    outgoing: OutgoingCallback,
    file?: Buffer
  ): Promise<void> {
    const end = async (): Promise<void> => {
      const row = await this.#find.get(id)
      // The account may have been reset meanwhile.
      if (row?.seq !== seq) return
      this.#end.run(
        ending.at,
        'failure' in ending ? JSON.stringify(ending.failure) : null,
        file ?? null,
        seq
      )
      this.#dueQueue.drop(account, statementQueue, row.due, seq)
      await this.#outbox.addCallback({ account, seq: null }, outgoing)
    }
    return this.#database.write(account, end)
  }

  readFile ({ account, seq }: Statement): Promise<Buffer | undefined> {
    return this.#database.read(
      account,
      async () => (await this.#file.get(seq))?.file ?? undefined
    )
  }
}

function readStatement (
  account: number,
  { seq, id, created, request, ended, failure, size }: StatementRow
): Statement {
  const base = { seq, account, id, created, request: JSON.parse(request) }
  if (ended === null) return base
  return {
    ...base,
    ending:
      failure === null
        ? { at: ended, fileSize: size ?? 0 }
        : { at: ended, failure: JSON.parse(failure) }
  }
}
