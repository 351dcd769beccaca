import { LeaseLostError, LedgerUnusableError } from '../src/domain/ledger-error.ts'
import type { TransactionObserver } from '../src/domain/observer.ts'
import { AccountLocks } from './account-locks.ts'
import { AccountReplacements } from './account-replacements.ts'
import type { Connection, Engine, Sharing } from './connection.ts'
import {
  groupJobs,
  readFirst,
  readOneMoment,
  rejectJobs,
  type Job,
  type ReadOptions,
  type WriteOptions
} from './jobs.ts'
import { closedError, StorageFaults } from './storage-faults.ts'

/** Tries of work that transactions of other servers disturb. */
const mostTries = 5
/** Tries of work that changes of other servers disturb. Each finds the state of that moment. */
const mostChecks = 100
/** Most turns of the event loop for which work waits for more work. */
const mostTurns = 10
/** Longest wait of work that is not urgent. */
const patienceMs = 25

/** Result of a job in a transaction: what its caller gets after the commit. */
type Outcome = { value: unknown } | { error: unknown }

/**
 * One ledger, and the work of this server on it. Work that is handed in at about the same time is
 * done in one transaction, one after the other, and answered after its commit (group commit): an
 * answer means that the data is on disk, and fifty requests share one flush.
 */
export class Database {
  readonly connection: Connection
  readonly replacements = new AccountReplacements()
  readonly faults: StorageFaults
  /** Follows the transactions while somebody follows the events. */
  observer: TransactionObserver | undefined
  /** Rules for a ledger that several servers share. */
  sharing: Sharing | undefined
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
  /** Undefined until an account is locked: most servers lock none. */
  locks: AccountLocks | undefined
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
   * Reads in the next transaction. Work on a locked account waits until the account is free. Work
   * must wait for nothing but the ledger: the transaction is open meanwhile.
   */
  read<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { firstRead, oneMoment = false }: ReadOptions = {}
  ): Promise<T> {
    const committed = oneMoment ? () => {} : undefined
    return this.#add(account, work, { firstRead, committed, isRead: true }, true)
  }

  /** Reads several statements of one moment. */
  readMoment<T>(account: number | undefined, work: () => T | Promise<T>): Promise<T> {
    return this.read(account, work, readOneMoment(this.sharing))
  }

  /** Changes rows in the next transaction; resolves when they are durable. */
  write<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { urgent = true, firstRead, committed, lease, claims }: WriteOptions<T> = {}
  ): Promise<T> {
    return this.#add(account, work, { firstRead, committed, lease, claims }, urgent)
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
   * Runs work on a whole account, in many transactions. Other work of the account waits for its
   * end, because nobody may see it half done.
   */
  async runLocked<T>(account: number, work: () => Promise<T>): Promise<T> {
    this.#engine.expectLongWork(true)
    const locks = (this.locks ??= new AccountLocks())
    const unlock = await locks.lock(account)
    this.replacements.note(account)
    try {
      return await locks.runAsOwner(account, work)
    } finally {
      this.replacedRows++
      for (const job of unlock()) this.#enqueue(job, true)
      if (locks.isEmpty && !this.isClosed) this.#engine.expectLongWork(false)
    }
  }

  #add<T>(
    account: number | undefined,
    work: () => T | Promise<T>,
    { firstRead, committed, lease, claims, isRead }: Partial<Job>,
    urgent: boolean
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const owned = this.locks?.owned
      // Always the same fields, so that V8 has one shape for all jobs.
      const options = { firstRead, committed, lease, claims, isRead }
      this.#enqueue({ ...options, account, work, owned, resolve, reject }, urgent)
    })
  }

  #enqueue (job: Job, urgent: boolean): void {
    if (this.isClosed) return job.reject(closedError())
    if (this.locks?.park(job) === true) return
    this.#queue.push(job)
    if (this.#scheduled) return
    if (urgent) this.#schedule()
    else this.#patience ??= setTimeout(() => this.#flush(), patienceMs)
  }

  #schedule (): void {
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
    rejectJobs(this.locks?.takeAll() ?? [], closedError())
    await this.#engine.close()
  }

  #flush (): void {
    // The end of the transactions under way makes another flush.
    if (this.#underWay !== undefined) return
    const jobs = this.#queue
    this.#queue = []
    this.#scheduled = false
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
  async #runGroup (jobs: Job[], tries = 1, checks = 1, inSavepoints = false): Promise<void> {
    let outcomes: Outcome[]
    try {
      outcomes = await this.#runInTransaction(jobs, inSavepoints)
    } catch (error) {
      if (error instanceof LedgerUnusableError && error.endsTries) return rejectJobs(jobs, error)
      const settled = checks < mostChecks ? await this.sharing?.settle(error) : undefined
      if (settled instanceof Error) return rejectJobs(jobs, this.#explain(settled))
      if (settled !== undefined) return await this.#runUnlocked(jobs, settled, tries, checks + 1)
      const isConflict = this.#engine.isConflict?.(error) === true
      // Work with an own transaction is not repeated: see WriteOptions.
      const canRepeat = tries < mostTries && jobs[0].committed === undefined
      if (isConflict && canRepeat) {
        return await this.#runGroup(jobs, tries + 1, checks, inSavepoints)
      }
      if (error instanceof LeaseLostError && jobs.length > 1) {
        // The check of the queues is that of the whole transaction.
        const leased = jobs.filter(({ lease }) => lease !== undefined).map((job) => [job])
        const rest = jobs.filter(({ lease }) => lease === undefined)
        for (const group of [rest, ...leased]) if (group.length > 0) await this.#runGroup(group)
        return
      }
      // One job failed and must not fail the others.
      if (jobs.length > 1 && !inSavepoints) return await this.#runGroup(jobs, tries, checks, true)
      return rejectJobs(jobs, error)
    }
    for (let i = 0; i < jobs.length; i++) {
      const outcome = outcomes[i]
      if ('error' in outcome) jobs[i].reject(outcome.error)
      else answer(jobs[i], outcome.value)
    }
  }

  /** Runs jobs again. Those of accounts that other servers have locked wait. */
  async #runUnlocked (
    jobs: Job[],
    locked: readonly number[],
    tries: number,
    checks: number
  ): Promise<void> {
    const isLocked = ({ account }: Job): boolean => locked.includes(account as number)
    const waiting = jobs.filter(isLocked)
    this.locks ??= new AccountLocks()
    // A server that stops must not wait for a lock that nobody ends before the stop.
    if (this.isStopping) rejectJobs(waiting, closedError())
    else this.locks.postpone(waiting, (job) => this.#enqueue(job, true))
    const rest = jobs.filter((job) => !isLocked(job))
    if (rest.length > 0) await this.#runGroup(rest, tries, checks)
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
    const { sharing } = this
    this.#engine.check?.()
    const isRead = jobs.every((job) => job.isRead === true)
    await this.connection.begin(isRead)
    await sharing?.enter(jobs, isRead)
    this.connection.readAhead?.(jobs)
  }

  /** Runs a job after a savepoint. A fault of the storage fails the other jobs, too. */
  async #runInSavepoint (job: Job): Promise<Outcome> {
    try {
      return { value: await this.withSavepoint(async () => await job.work()) }
    } catch (error) {
      if (this.faults.isFault(error) || this.sharing?.isCheck(error) === true) throw error
      return { error: this.#explain(error) }
    }
  }

  #noteRollback (): void {
    this.replacedRows++
    this.observer?.endTransaction(false)
  }

  /** Returns the error that callers get. */
  #explain (error: unknown): unknown {
    const fault = this.faults.note(error)
    // Work on a locked account goes on when the ledger can be reached. Others must not wait for it.
    if (fault?.isLost === true) rejectJobs(this.locks?.takeParked() ?? [], fault)
    return fault ?? this.sharing?.explain(error) ?? error
  }
}

/** Answers a job after its commit. */
function answer ({ committed, resolve, reject }: Job, value: unknown): void {
  try {
    committed?.(value as never)
    resolve(value as never)
  } catch (error) {
    reject(error)
  }
}
