import { AccountMovedError, LedgerUnusableError } from '../src/ports/ledger-error.ts'
import { deletedAccountError } from '../src/domain/refusal.ts'
import type { TransactionObserver } from '../src/ports/observer.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection, Engine } from './connection.ts'
import {
  groupJobs,
  readFirst,
  rejectJobs,
  type Job,
  type ReadOptions,
  type WriteOptions
} from './jobs.ts'
import { closedError, StorageFaults } from './storage-faults.ts'

/** Tries of work that other transactions disturb. */
const mostTries = 5
/** Most turns of the event loop for which work waits for more work. */
const mostTurns = 10
/** Longest wait of work that is not urgent. */
const patienceMs = 25

/** Most reads of a list that resets keep interrupting. */
const mostReads = 5

/** Result of a job in a transaction: what its caller gets after the commit. */
type Outcome = { value: unknown } | { error: unknown }

/**
 * One ledger, and the work of this server on it. Work that is handed in at about the same time is
 * done in one transaction, one after the other, and answered after its commit (group commit): an
 * answer means that the data is on disk, and fifty requests share one flush.
 */
export class Database {
  readonly connection: Connection
  readonly faults: StorageFaults
  /** Follows the transactions while somebody follows the events. */
  observer: TransactionObserver | undefined
  /**
   * Returns the term of an account: a number that it has as long as it stays on this server, and
   * undefined while it is on another one. Absent if this server is the only one.
   */
  termOf: ((account: number) => number | undefined) | undefined
  readonly #engine: Engine
  /** Numbers of flushes by the number of their pieces of work. */
  readonly flushSizes = new Map<number, number>()
  #queue: Job[] = []
  #scheduled = false
  /** True if several pieces of work were handed in together the last time. */
  #isBusy = false
  #patience: NodeJS.Timeout | undefined
  /** Transactions that are under way. All other work waits for their end. */
  #underWay: Promise<void> | undefined
  /** Numbers of the ledgers of accounts, and the other way round. */
  readonly #ledgers = new Map<number, number>()
  readonly #accounts = new Map<number, number>()
  /** Accounts whose work waits for other work on the whole account, and its end. */
  readonly #held = new Map<number, Promise<void>>()
  /** Account that the current work holds. */
  readonly #holder = new AsyncLocalStorage<{ account: number | undefined }>()
  /** Number of pieces of long work. */
  #longWork = 0
  /** Copies that were given up when nothing could be stored. */
  readonly abandoned = new Set<number>()
  /** Begins to delete the rows of old ledgers. */
  wakeCleaner: () => void = () => {}
  isClosed = false
  #closing: Promise<void> | undefined
  /** Grows when rows may have been replaced: after a rollback, a reset or a restore. */
  replacedRows = 0
  /** True while the server stops: work that fails is left to the next start, or another server. */
  isStopping = false

  constructor (engine: Engine) {
    this.#engine = engine
    this.connection = engine.connection
    this.faults = new StorageFaults(engine)
  }

  /**
   * Reads in the next transaction. Work on an account that is held waits until it is free. It must
   * wait for nothing but the ledger: the transaction is open meanwhile.
   */
  read<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { firstRead }: ReadOptions = {}
  ): Promise<T> {
    return this.#add(account, work, { firstRead, isRead: true }, true)
  }

  /** Changes rows in the next transaction; resolves when they are durable. */
  write<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { urgent = true, firstRead, alone = false, committed }: WriteOptions<T> = {}
  ): Promise<T> {
    const end = alone ? (committed ?? nothing) : committed
    return this.#add(account, work, { firstRead, committed: end }, urgent)
  }

  /** Runs work after a savepoint of the current transaction. If it fails, only it is undone. */
  async withSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const events = this.observer?.countEvents()
    try {
      return await this.connection.withSavepoint(work)
    } catch (error) {
      this.replacedRows++
      if (events !== undefined) this.observer?.takeBack(events)
      throw error
    }
  }

  /** Calls a function after the transaction that is under way, if there is one. */
  afterTransaction (call: () => void): void {
    Promise.resolve(this.#underWay).then(call)
  }

  /**
   * Returns the number of the ledger of an account: its rows have it. No row has that of an account
   * which was deleted, and work that writes is refused for it.
   */
  ledgerOf (account: number): number {
    return this.#ledgers.get(account) ?? 0
  }

  /** Returns the account of a ledger; undefined if the ledger is of a snapshot, or old. */
  accountOf (ledger: number): number | undefined {
    return this.#accounts.get(ledger)
  }

  /** Lists the accounts with their ledgers. */
  listLedgers (): Array<[account: number, ledger: number]> {
    return [...this.#ledgers]
  }

  /** Notes the ledger of an account as it is stored; undefined for a deleted account. */
  setLedger (account: number, ledger: number | undefined): void {
    const before = this.#ledgers.get(account)
    if (before === ledger) return
    this.replacedRows++
    // An account that was not stored had the number of another one.
    if (before !== undefined && this.#accounts.get(before) === account) {
      this.#accounts.delete(before)
    }
    this.#ledgers.delete(account)
    if (ledger === undefined) return
    this.#ledgers.set(account, ledger)
    this.#accounts.set(ledger, account)
  }

  /**
   * Reads rows of an account in several transactions, and reads again if it got another ledger in
   * between: the pages of a list must not be of two states.
   */
  async readPages<T>(account: number, readAll: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const ledger = this.#ledgers.get(account)
      const value = await readAll()
      if (ledger === this.#ledgers.get(account) || tries === mostReads) return value
    }
  }

  /** Runs work on a whole account. Other work of the account waits for its end. */
  async hold<T>(account: number, work: () => Promise<T>): Promise<T> {
    while (this.#held.has(account)) await this.#held.get(account)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(account, promise)
    const holder: { account: number | undefined } = { account }
    try {
      return await this.#holder.run(holder, () => this.duringLongWork(work))
    } finally {
      // A timer that the work has started may run later.
      holder.account = undefined
      this.#held.delete(account)
      resolve()
    }
  }

  /** Runs work that changes many rows. */
  async duringLongWork<T>(work: () => Promise<T>): Promise<T> {
    if (this.#longWork++ === 0) this.#engine.expectLongWork(true)
    try {
      return await work()
    } finally {
      if (--this.#longWork === 0 && !this.isClosed) this.#engine.expectLongWork(false)
    }
  }

  #add<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { firstRead, committed, isRead }: Partial<Job>,
    urgent: boolean
  ): Promise<T> {
    const options = { firstRead, committed, isRead }
    if (this.#mustWait(account)) {
      return this.#waitUntilFree(account).then(() => this.#add(account, work, options, urgent))
    }
    return new Promise<T>((resolve, reject) => {
      const term = this.#termOf(account)
      // Always the same fields, so that V8 has one shape for all jobs.
      this.#enqueue({ ...options, account, term, work, resolve, reject }, urgent)
    })
  }

  #mustWait (account: number | undefined): account is number {
    if (account === undefined || !this.#held.has(account)) return false
    return this.#holder.getStore()?.account !== account
  }

  async #waitUntilFree (account: number): Promise<void> {
    while (this.#held.has(account)) await this.#held.get(account)
  }

  #termOf (account: number | undefined): number | undefined {
    return account === undefined ? undefined : this.termOf?.(account)
  }

  /** Returns whether the account of a job is, or was meanwhile, on another server. */
  #isMoved ({ account, term }: Job): boolean {
    if (this.termOf === undefined || account === undefined) return false
    return term === undefined || this.#termOf(account) !== term
  }

  #enqueue (job: Job, urgent: boolean): void {
    if (this.isClosed) return job.reject(closedError())
    if (this.#isMoved(job)) return job.reject(new AccountMovedError())
    this.#queue.push(job)
    if (this.#scheduled) return
    if (urgent) this.#schedule()
    else this.#patience ??= setTimeout(() => this.#flush(), patienceMs)
  }

  /** Flushes in the next turn, once: requests must come in between. */
  #schedule (): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#gather())
  }

  /**
   * Waits for more turns of the event loop while they bring more work. All of it shares a commit:
   * this saves 4 % of the time of a payment with a callback. A single piece of work waits for one
   * turn if the last transaction had several: the answers make their clients send the next ones.
   */
  #gather (gathered = this.#isBusy ? 0 : 1, turns = mostTurns): void {
    const { length } = this.#queue
    if (turns > 0 && length > gathered) setImmediate(() => this.#gather(length, turns - 1))
    else this.#flush()
  }

  /** Finishes the work that was handed in, then closes the ledger. */
  close (): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close (): Promise<void> {
    this.isStopping = true
    do {
      this.#flush()
      await this.#underWay
    } while (this.#queue.length > 0)
    this.isClosed = true
    await this.#engine.close()
  }

  #flush (): void {
    this.#scheduled = false
    // The end of the transactions under way makes another flush.
    if (this.#underWay !== undefined) return
    const jobs = this.#queue
    this.#queue = []
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (jobs.length === 0) return
    this.#isBusy = jobs.length > 1
    this.flushSizes.set(jobs.length, (this.flushSizes.get(jobs.length) ?? 0) + 1)
    this.#underWay = this.#runAll(jobs).finally(() => {
      this.#underWay = undefined
      if (this.#queue.length > 0) this.#schedule()
    })
  }

  async #runAll (jobs: Job[]): Promise<void> {
    const isOneGroup = jobs.every(({ committed }) => committed === undefined)
    if (!isOneGroup) for (const group of groupJobs(jobs)) await this.#runGroup(group)
    else await this.#runGroup(this.connection.readAhead === undefined ? jobs : readFirst(jobs))
  }

  /** Runs jobs in one transaction, and answers them. */
  async #runGroup (all: Job[], tries = 1, inSavepoints = false): Promise<void> {
    let outcomes: Outcome[]
    const jobs = this.#rejectGone(all)
    if (jobs.length === 0) return
    try {
      outcomes = await this.#runInTransaction(jobs, inSavepoints)
    } catch (error) {
      if (error instanceof LedgerUnusableError && error.endsTries) return rejectJobs(jobs, error)
      const isConflict = this.#engine.isConflict?.(error) === true
      // Work with an own transaction is not repeated: see WriteOptions.
      const canRepeat = tries < mostTries && jobs[0].committed === undefined
      if (isConflict && canRepeat) return await this.#runGroup(jobs, tries + 1, inSavepoints)
      // One job failed and must not fail the others.
      if (jobs.length > 1 && !inSavepoints) return await this.#runGroup(jobs, tries, true)
      return rejectJobs(jobs, error)
    }
    for (let i = 0; i < jobs.length; i++) {
      const outcome = outcomes[i]
      if ('error' in outcome) jobs[i].reject(outcome.error)
      else answer(jobs[i], outcome.value)
    }
  }

  /** Rejects the jobs of accounts that were deleted or have left, and returns the others. */
  #rejectGone (jobs: Job[]): Job[] {
    const isGone = (job: Job): boolean => this.#isMoved(job) || this.#isDeleted(job)
    if (!jobs.some(isGone)) return jobs
    return jobs.filter((job) => {
      if (this.#isMoved(job)) job.reject(new AccountMovedError())
      else if (this.#isDeleted(job)) job.reject(deletedAccountError())
      else return true
      return false
    })
  }

  #isDeleted ({ account, isRead }: Job): boolean {
    return account !== undefined && isRead !== true && !this.#ledgers.has(account)
  }

  async #runInTransaction (jobs: Job[], inSavepoints: boolean): Promise<Outcome[]> {
    try {
      await this.#begin(jobs)
      const outcomes: Outcome[] = []
      for (const job of jobs) {
        outcomes.push(inSavepoints ? await this.#runInSavepoint(job) : { value: await job.work() })
      }
      await this.connection.commit()
      if (this.faults.current !== undefined) this.faults.end()
      this.observer?.endTransaction(true)
      return outcomes
    } catch (error) {
      if (this.connection.inTransaction) await this.connection.rollback()
      this.#noteRollback()
      throw this.#explain(error)
    }
  }

  async #begin (jobs: Job[]): Promise<void> {
    this.#engine.check?.()
    const isRead = jobs.every((job) => job.isRead === true)
    await this.connection.begin(isRead)
    this.connection.readAhead?.(jobs)
  }

  /** Runs a job after a savepoint. A fault of the storage fails the other jobs, too. */
  async #runInSavepoint (job: Job): Promise<Outcome> {
    try {
      return { value: await this.withSavepoint(async () => await job.work()) }
    } catch (error) {
      if (this.faults.isFault(error)) throw error
      return { error: this.#explain(error) }
    }
  }

  #noteRollback (): void {
    this.replacedRows++
    this.observer?.endTransaction(false)
  }

  /** Returns the error that callers get. */
  #explain (error: unknown): unknown {
    return this.faults.note(error) ?? error
  }
}

function nothing (): void {}

/** Answers a job after its commit. */
function answer ({ committed, resolve, reject }: Job, value: unknown): void {
  try {
    committed?.(value as never)
    resolve(value as never)
  } catch (error) {
    reject(error)
  }
}
