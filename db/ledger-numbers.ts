import { stopwatch } from '../src/lib/clock.ts'
import { AccountMovedError } from '../src/ports/ledger-error.ts'
import type { Database } from './database.ts'
import type { Steps } from './ledger-rows.ts'

/**
 * What a ledger is at the moment: used by an account or a snapshot, a copy that is not complete, or
 * old. Nobody sees an old one; its rows are deleted in the background.
 */
type LedgerState = 'USED' | 'COPYING' | 'OLD'

/** Longest work in one turn of the event loop, without the commit. */
const turnMs = 10

/** Numbers of ledgers, as they are stored. Called inside a transaction unless it says otherwise. */
export class LedgerNumbers {
  readonly #database: Database
  readonly #insert
  readonly #setState
  readonly #point
  readonly #dropAll
  readonly #copies
  readonly #lock

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#insert = connection.prepareInsert('ledgers', ['account', 'state'])
    this.#setState = connection.prepare<[LedgerState, number, LedgerState]>(
      'UPDATE ledgers SET state = ? WHERE number = ? AND state = ?'
    )
    this.#point = connection.prepare('UPDATE accounts SET ledger = ? WHERE id = ?')
    this.#dropAll = connection.prepare("UPDATE ledgers SET state = 'OLD' WHERE account = ?")
    this.#lock = connection.prepare<[number], object>(
      "SELECT 1 FROM ledgers WHERE number = ? AND state = 'COPYING' " +
        connection.dialect.skipLocked
    )
    // With the condition of the index.
    this.#copies = connection.prepare<[], { number: number; account: number }>(
      "SELECT number, account FROM ledgers WHERE state <> 'USED' AND state = 'COPYING'"
    )
  }

  /** Stores a new number. */
  async add (account: number, state: LedgerState): Promise<number> {
    return (await this.#insert.add(account, state)) as number
  }

  /** Ends a copy. Returns false if it was given up meanwhile. */
  async complete (ledger: number): Promise<boolean> {
    return (await this.#setState.change('USED', ledger, 'COPYING')) > 0
  }

  /** Lets the rows of a ledger be deleted. */
  drop (ledger: number): void {
    this.#setState.run('OLD', ledger, 'USED')
  }

  /** Lets the rows of all ledgers of an account be deleted. */
  dropAll (account: number): void {
    this.#dropAll.run(account)
  }

  /** Makes a ledger the one that counts. Its number counts in memory after the commit. */
  point (account: number, ledger: number): void {
    this.drop(this.#database.ledgerOf(account))
    this.#point.run(ledger, account)
  }

  /** Gives up the copies that a crash has interrupted, of an account or of all. */
  async endCopies (account?: number): Promise<void> {
    const copies = await this.#database.read(account, () => this.#copies.all())
    for (const copy of copies) {
      if (account === undefined || copy.account === account) {
        await this.giveUp(copy.account, copy.number)
      }
    }
  }

  /**
   * Makes a copy of rows, in short transactions. `steps` writes them with the number that it gets.
   * One that fails is given up.
   */
  async copy (account: number, steps: (ledger: number) => Steps): Promise<number> {
    const database = this.#database
    const begun: { ledger?: number; steps?: Steps } = {}
    const begin = async (): Promise<boolean> => {
      begun.ledger = await this.add(account, 'COPYING')
      begun.steps = steps(begun.ledger)
      return await runForAWhile(begun.steps)
    }
    const isDone = await database.write(account, begin, { alone: true })
    try {
      if (!isDone) await this.runSteps(account, begun.ledger as number, begun.steps as Steps)
      return begun.ledger as number
    } catch (error) {
      await this.giveUp(account, begun.ledger as number)
      throw error
    }
  }

  /** Runs the steps of a copy in short transactions. */
  async runSteps (account: number, ledger: number, steps: Steps): Promise<void> {
    const step = async (): Promise<boolean> => {
      // Another server may have had the account meanwhile, and has given it up.
      if ((await this.#lock.get(ledger)) === undefined) throw new AccountMovedError()
      return await runForAWhile(steps)
    }
    let isDone = false
    while (!isDone) isDone = await this.#database.write(account, step, { alone: true })
  }

  /** Lets the rows of a copy be deleted. If that cannot be stored, it is tried again later. */
  async giveUp (account: number, ledger: number): Promise<void> {
    const end = (): void => this.#setState.run('OLD', ledger, 'COPYING')
    await this.#database.write(account, end).catch(() => this.#database.abandoned.add(ledger))
    this.#database.wakeCleaner()
  }
}

/** Runs steps inside a transaction for a short time. Returns whether they are done. */
export async function runForAWhile (steps: Steps, ms = turnMs): Promise<boolean> {
  const end = stopwatch() + ms
  do if ((await steps.next()).done === true) return true
  while (stopwatch() < end)
  return false
}
