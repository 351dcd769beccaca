import type { DueQueue, Queue, Releases } from '../src/ports/due-queue.ts'
import { releaseQueue } from '../src/ports/due-queue.ts'
import { earliestTime } from '../src/lib/clock.ts'
import type { Database } from './database.ts'

/** First entry of a queue. */
interface QueueRow {
  queue: number
  due: number
}

/** Entry of a queue. */
interface Entry {
  due: number
  subject: number
}

/**
 * Due work: its time and its queue. The methods that return no promise are called inside a
 * transaction.
 */
export class SqlDueQueue implements DueQueue, Releases {
  readonly #database: Database
  readonly #add
  readonly #drop
  readonly #dropRelease
  readonly #dropUntil
  readonly #dropAll
  readonly #addRelease
  readonly #listReleases
  readonly #first
  readonly #after
  /** Number of the last release; one of an earlier start may have the same. */
  #lastRelease = 0
  #listener: (queue: Queue, due: number) => void = () => {}

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    const columns = ['ledger', 'queue', 'due', 'subject']
    this.#add = connection.prepareInsert('due_queue', columns)
    this.#drop = connection.prepare(
      'DELETE FROM due_queue WHERE ledger = ? AND queue = ? AND due = ? AND subject = ?'
    )
    // Whatever its due time is: an entry that stays would be due for ever.
    this.#dropRelease = connection.prepare(
      'DELETE FROM due_queue WHERE ledger = ? AND queue = ? AND subject = ?'
    )
    this.#dropUntil = connection.prepare(
      'DELETE FROM due_queue WHERE ledger = ? AND queue = ? AND (due, subject) <= (?, ?)'
    )
    this.#addRelease = connection.prepareInsert('due_queue', columns, { ifNew: true })
    this.#listReleases = connection
      .prepare<[number, number], number>(
        'SELECT subject FROM due_queue WHERE ledger = ? AND queue = ?'
      )
      .pluck()
    this.#dropAll = connection.prepare('DELETE FROM due_queue WHERE ledger = ? AND queue = ?')
    this.#first = connection.prepare<[number, number], { due: number }>(
      'SELECT due FROM due_queue WHERE ledger = ? AND queue = ? ORDER BY due LIMIT 1'
    )
    this.#after = connection.prepare<[number, number], QueueRow>(
      'SELECT queue, due FROM due_queue WHERE ledger = ? AND queue > ? ORDER BY queue, due LIMIT 1'
    )
  }

  listen (listener: (queue: Queue, due: number) => void): void {
    this.#listener = listener
  }

  listQueues (): Promise<Array<Queue & { due: number }>> {
    return this.#database.read(undefined, async () => {
      const queues = this.#database.listLedgers().map(([, ledger]) => this.#listOf(ledger))
      return (await Promise.all(queues)).flat()
    })
  }

  listQueuesOf (account: number): Promise<Array<Queue & { due: number }>> {
    return this.#database.read(account, () => this.#listOf(this.#database.ledgerOf(account)))
  }

  /** Lists the queues of a ledger in one step each, not one per row: there may be a million. */
  async #listOf (ledger: number): Promise<Array<Queue & { due: number }>> {
    const queues = []
    const account = this.#database.accountOf(ledger)
    if (account === undefined) return []
    let row = await this.#after.get(ledger, -1)
    while (row !== undefined) {
      queues.push({ account, ...row })
      row = await this.#after.get(ledger, row.queue)
    }
    return queues
  }

  findNextDue ({ account, queue }: Queue): Promise<number | undefined> {
    return this.#database.read(account, async () => {
      const ledger = this.#database.ledgerOf(account)
      return (await this.#first.get(ledger, queue))?.due
    })
  }

  add (account: number, queue: number, due: number, subject: number): void {
    this.#add.run(this.#database.ledgerOf(account), queue, due, subject)
    this.#listener({ account, queue }, due)
  }

  /** Adds a release. The listener is not called: see `Releases`. */
  addRelease (account: number): void {
    const ledger = this.#database.ledgerOf(account)
    this.#addRelease.run(ledger, releaseQueue, earliestTime, ++this.#lastRelease)
  }

  listReleases (account: number): Promise<number[]> {
    return this.#database.read(account, () =>
      this.#listReleases.all(this.#database.ledgerOf(account), releaseQueue)
    )
  }

  dropReleases (account: number, numbers: readonly number[]): Promise<void> {
    return this.#database.write(account, () => {
      const ledger = this.#database.ledgerOf(account)
      for (const number of numbers) this.#dropRelease.run(ledger, releaseQueue, number)
    })
  }

  announceReleases (account: number): void {
    this.#listener({ account, queue: releaseQueue }, earliestTime)
  }

  drop (account: number, queue: number, due: number, subject: number): void {
    this.#drop.run(this.#database.ledgerOf(account), queue, due, subject)
  }

  /** Replaces all entries of a queue by one at each of these times. */
  replace (account: number, queue: number, dues: readonly number[]): void {
    this.#dropAll.run(this.#database.ledgerOf(account), queue)
    for (const due of dues) this.add(account, queue, due, 0)
  }

  /** Drops the entries of a queue that were taken: the first ones that are due, in their order. */
  dropTaken (account: number, queue: number, taken: readonly Entry[]): void {
    const last = taken.at(-1)
    if (last === undefined) return
    this.#dropUntil.run(this.#database.ledgerOf(account), queue, last.due, last.subject)
  }
}
