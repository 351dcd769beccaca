import type { Agenda, Lane } from '../src/domain/ports.ts'
import type { Database } from './database.ts'

/**
 * What falls due, when, and in which lane. Every method but `lanes` and `next` is called inside a
 * transaction.
 */
export class SqliteAgenda implements Agenda {
  readonly #database: Database
  readonly #add
  readonly #drop
  readonly #dropUntil
  readonly #first
  readonly #after
  #listener: (lane: Lane, due: number) => void = () => {}

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#add = connection.prepare(
      'INSERT INTO agenda (account, lane, due, subject) VALUES (?, ?, ?, ?)'
    )
    this.#drop = connection.prepare(
      'DELETE FROM agenda WHERE account = ? AND lane = ? AND due = ? AND subject = ?'
    )
    this.#dropUntil = connection.prepare(
      'DELETE FROM agenda WHERE account = ? AND lane = ? AND (due, subject) <= (?, ?)'
    )
    this.#first = connection.prepare<[number, number], { due: number }>(
      'SELECT due FROM agenda WHERE account = ? AND lane = ? ORDER BY due LIMIT 1'
    )
    this.#after = connection.prepare<[number, number], Lane & { due: number }>(
      'SELECT account, lane, due FROM agenda WHERE (account, lane) > (?, ?) ORDER BY ' +
        'account, lane, due LIMIT 1'
    )
  }

  listen (listener: (lane: Lane, due: number) => void): void {
    this.#listener = listener
  }

  lanes (): Promise<Array<Lane & { due: number }>> {
    return this.#database.transact(() => {
      const lanes = []
      // One step per lane, not one per row: there may be a million of those.
      for (
        let row = this.#after.get(-1, -1);
        row !== undefined;
        row = this.#after.get(row.account, row.lane)
      ) {
        lanes.push(row)
      }
      return lanes
    })
  }

  lanesOf (account: number): Promise<Array<Lane & { due: number }>> {
    return this.#database.transact(() => {
      const lanes = []
      for (
        let row = this.#after.get(account, -1);
        row !== undefined && row.account === account;
        row = this.#after.get(account, row.lane)
      ) {
        lanes.push(row)
      }
      return lanes
    })
  }

  next ({ account, lane }: Lane): Promise<number | undefined> {
    return this.#database.transact(() => this.#first.get(account, lane)?.due)
  }

  add (account: number, lane: number, due: number, subject: number): void {
    this.#add.run(account, lane, due, subject)
    this.#listener({ account, lane }, due)
  }

  drop (account: number, lane: number, due: number, subject: number): void {
    this.#drop.run(account, lane, due, subject)
  }

  /** Forgets everything of a lane up to and including this entry. */
  dropUntil (account: number, lane: number, due: number, subject: number): void {
    this.#dropUntil.run(account, lane, due, subject)
  }
}
