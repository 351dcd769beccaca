import type { DueQueue, Queue, Releases } from '../src/domain/due-queue.ts'
import { releaseQueue } from '../src/domain/due-queue.ts'
import { earliestTime } from '../src/lib/clock.ts'
import type { Database } from './database.ts'

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
  readonly #dropEntries
  readonly #dropAll
  readonly #addRelease
  readonly #listReleases
  readonly #first
  readonly #after
  #listener: (queue: Queue, due: number) => void = () => {}

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    const columns = ['account', 'queue', 'due', 'subject']
    this.#add = connection.prepareInsert('due_queue', columns)
    this.#drop = connection.prepare(
      'DELETE FROM due_queue WHERE account = ? AND queue = ? AND due = ? AND subject = ?'
    )
    // Whatever its due time is: an entry that stays would be due for ever.
    this.#dropRelease = connection.prepare(
      'DELETE FROM due_queue WHERE account = ? AND queue = ? AND subject = ?'
    )
    this.#dropUntil = connection.prepare(
      'DELETE FROM due_queue WHERE account = ? AND queue = ? AND (due, subject) <= (?, ?)'
    )
    const { dropEntries } = connection.dialect
    this.#dropEntries = dropEntries === undefined ? undefined : connection.prepare(dropEntries)
    this.#addRelease = connection.prepareInsert('due_queue', columns, { ifNew: true })
    this.#listReleases = connection
      .prepare<[number, number], number>(
        'SELECT subject FROM due_queue WHERE account = ? AND queue = ?'
      )
      .pluck()
    this.#dropAll = connection.prepare('DELETE FROM due_queue WHERE account = ? AND queue = ?')
    this.#first = connection.prepare<[number, number], { due: number }>(
      'SELECT due FROM due_queue WHERE account = ? AND queue = ? ORDER BY due LIMIT 1'
    )
    this.#after = connection.prepare<[number, number], Queue & { due: number }>(
      'SELECT account, queue, due FROM due_queue WHERE (account, queue) > (?, ?) ORDER BY ' +
        'account, queue, due LIMIT 1'
    )
  }

  listen (listener: (queue: Queue, due: number) => void): void {
    this.#listener = listener
  }

  listQueues (): Promise<Array<Queue & { due: number }>> {
    return this.#database.read(undefined, () => this.#listAfter(-1, () => true))
  }

  listQueuesOf (account: number): Promise<Array<Queue & { due: number }>> {
    return this.#database.read(account, () =>
      this.#listAfter(account, (row) => row.account === account)
    )
  }

  /** Lists queues in one step each, not one per row: there may be a million of those. */
  async #listAfter (
    account: number,
    isWanted: (queue: Queue) => boolean
  ): Promise<Array<Queue & { due: number }>> {
    const queues = []
    let row = await this.#after.get(account, -1)
    while (row !== undefined && isWanted(row)) {
      queues.push(row)
      row = await this.#after.get(row.account, row.queue)
    }
    return queues
  }

  findNextDue ({ account, queue }: Queue): Promise<number | undefined> {
    return this.#database.read(account, async () => (await this.#first.get(account, queue))?.due)
  }

  add (account: number, queue: number, due: number, subject: number): void {
    this.#add.run(account, queue, due, subject)
    this.#listener({ account, queue }, due)
  }

  /** Adds a release. The listener is not called: see `Releases`. */
  addRelease (account: number, number: number): void {
    this.#addRelease.run(account, releaseQueue, earliestTime, number)
  }

  listReleases (account: number): Promise<number[]> {
    return this.#database.read(account, () => this.#listReleases.all(account, releaseQueue))
  }

  dropReleases (account: number, numbers: readonly number[]): Promise<void> {
    return this.#database.write(account, () => {
      for (const number of numbers) this.#dropRelease.run(account, releaseQueue, number)
    })
  }

  announceReleases (account: number): void {
    this.#listener({ account, queue: releaseQueue }, earliestTime)
  }

  drop (account: number, queue: number, due: number, subject: number): void {
    this.#drop.run(account, queue, due, subject)
  }

  /** Replaces all entries of a queue by one at each of these times. */
  replace (account: number, queue: number, dues: readonly number[]): void {
    this.#dropAll.run(account, queue)
    for (const due of dues) this.add(account, queue, due, 0)
  }

  /** Drops the entries of a queue that were taken: the first ones that are due, in their order. */
  dropTaken (account: number, queue: number, taken: readonly Entry[]): void {
    const last = taken.at(-1)
    if (last === undefined) return
    if (this.#dropEntries === undefined) {
      this.#dropUntil.run(account, queue, last.due, last.subject)
    } else {
      // Others may have added entries before the last one since it was read.
      const subjects = `{${taken.map(({ subject }) => subject).join(',')}}`
      this.#dropEntries.run(account, queue, last.due, subjects)
    }
  }
}
