import { LedgerUnusableError } from '../src/domain/ledger-error.ts'
import { AccountLocks } from './account-locks.ts'
import { AccountReplacements } from './account-replacements.ts'
import type { Background, Connection, Engine, Sharing } from './connection.ts'
import { groupJobs, isShort, readFirst, rejectJobs, type Job, type WorkOptions } from './jobs.ts'
import { closedError, StorageFaults } from './storage-faults.ts'

/** Tries of work that transactions of other servers disturb. */
const mostTries = 5
/** Tries of work that changes of other servers disturb. Each finds the state of that moment. */
const mostChecks = 100
/** Most turns of the event loop for which work waits for more work. */
const mostTurns = 10
/** Longest wait of work that is not urgent. */
const patienceMs = 25

/**
 * One ledger, and the work of this server on it. Work that is handed in at about the same time is
 * done in one transaction and answered after its commit (group commit): an answer means that the
 * data is on disk, and fifty requests share one flush.
 */
export class Database {
  readonly connection: Connection
  readonly replacements = new AccountReplacements()
  readonly faults: StorageFaults
  /** Called after each transaction while somebody follows the events. */
  onTransactionEnd: ((isCommitted: boolean) => void) | undefined
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
  /** Transaction in the background that is under way. All other work waits for its end. */
  #underWay: Promise<void> | undefined
  /** Undefined until an account is locked: most servers lock none. */
  locks: AccountLocks | undefined
  isClosed = false
  #closing: Promise<void> | undefined
  readonly #bounds
  /** Grows when rows may have been replaced: after a rollback, a reset or a restore. */
  replacedRows = 0
  /** True while the server stops: work that fails is left to the next start, or another server. */
  isStopping = false

  constructor (engine: Engine) {
    this.#engine = engine
    this.connection = engine.connection
    this.faults = new StorageFaults(engine)
    this.#bounds = {
      begin: this.connection.prepare('BEGIN'),
      commit: this.connection.prepare('COMMIT'),
      rollback: this.connection.prepare('ROLLBACK')
    }
  }

  /** Does synchronous work inside the next transaction; resolves once that is durable. */
  transact<T>(work: () => T, options: WorkOptions<T> = {}): Promise<T> {
    return this.#add(work, options)
  }

  /** Does work of one account. It waits while the account is locked. */
  transactFor<T>(account: number, work: () => T, options: WorkOptions<T> = {}): Promise<T> {
    return this.#add(work, options, account)
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
    work: () => T,
    { urgent = true, firstRead, readsMore, committed, lease, claims, isRead }: WorkOptions<T>,
    account?: number
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const owned = this.locks?.owned
      // Always the same fields, so that V8 has one shape for all jobs.
      const options = { firstRead, readsMore, committed, lease, claims, isRead }
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
    if (this.#underWay !== undefined) await this.#underWay
    this.#flush()
    this.isClosed = true
    rejectJobs(this.locks?.takeAll() ?? [], closedError())
    if (this.#engine.closeBackground !== undefined) await this.#engine.closeBackground()
    this.#engine.close()
  }

  #flush (): void {
    // The end of the transaction in the background makes another flush.
    if (this.#underWay !== undefined) return
    const jobs = this.#queue
    this.#queue = []
    this.#scheduled = false
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (jobs.length === 0) return
    this.#isBusy = jobs.length > 1
    this.flushSizes.set(jobs.length, (this.flushSizes.get(jobs.length) ?? 0) + 1)
    const background = this.#chooseBackground(jobs)
    if (background !== undefined) {
      this.#underWay = this.#runInBackground(background, readFirst(jobs))
      return
    }
    const isOneGroup = jobs.every(({ committed }) => committed === undefined)
    if (isOneGroup) this.#runGroup(this.connection.readAhead === undefined ? jobs : readFirst(jobs))
    else for (const group of groupJobs(jobs)) this.#runGroup(group)
  }

  /** Returns the transactions in the background, if they can be used for jobs. */
  #chooseBackground (jobs: Job[]): Background | undefined {
    const { background } = this.connection
    if (background?.isUsable !== true || this.isStopping) return undefined
    return jobs.every(isShort) ? background : undefined
  }

  /**
   * Runs jobs while the server does other work. If enough new ones wait at the end, they are sent
   * before these are answered, so that the database has work meanwhile.
   */
  async #runInBackground (background: Background, jobs: Job[]): Promise<void> {
    const values = await background
      .run(() => this.#begin(jobs), () => jobs.map((job) => job.work()))
      .catch((error) => this.#runInForeground(jobs, error))
    this.#underWay = undefined
    if (values !== undefined) {
      if (this.faults.current !== undefined) this.faults.end()
      this.onTransactionEnd?.(true)
    }
    const areEnough = 2 * this.#queue.length >= jobs.length
    if (areEnough && this.#chooseBackground(this.#queue) !== undefined) this.#flush()
    else if (this.#queue.length > 0) this.#schedule()
    if (values === undefined) return
    for (let i = 0; i < jobs.length; i++) jobs[i].resolve(values[i] as never)
  }

  /** Runs jobs again that have failed in the background, unless that must not be. */
  #runInForeground (jobs: Job[], error: unknown): undefined {
    this.#noteRollback()
    const endsTries = this.#engine.explainFault(error)?.endsTries === true
    if (endsTries) rejectJobs(jobs, this.#explain(error))
    else this.#runGroup(jobs)
  }

  #runGroup (jobs: Job[], tries = 1, checks = 1): void {
    try {
      const values = this.#runInTransaction(jobs)
      for (let i = 0; i < jobs.length; i++) {
        jobs[i].committed?.(values[i] as never)
        jobs[i].resolve(values[i] as never)
      }
    } catch (error) {
      if (error instanceof LedgerUnusableError && error.endsTries) return rejectJobs(jobs, error)
      const settled = checks < mostChecks ? this.sharing?.settle(error) : undefined
      if (settled instanceof Error) return rejectJobs(jobs, this.#explain(settled))
      if (settled !== undefined) return this.#runUnlocked(jobs, settled, tries, checks + 1)
      const isConflict = this.#engine.isConflict?.(error) === true
      // Work with an own transaction is not repeated: see WorkOptions.
      const canRepeat = tries < mostTries && jobs[0].committed === undefined
      if (isConflict && canRepeat) return this.#runGroup(jobs, tries + 1, checks)
      if (jobs.length === 1) return jobs[0].reject(error)
      // One job failed and must not fail the others: each gets a transaction of its own.
      for (const job of jobs) this.#runGroup([job])
    }
  }

  /** Runs jobs again. Those of accounts that other servers have locked wait. */
  #runUnlocked (jobs: Job[], locked: readonly number[], tries: number, checks: number): void {
    const isLocked = ({ account }: Job): boolean => locked.includes(account as number)
    const waiting = jobs.filter(isLocked)
    this.locks ??= new AccountLocks()
    // A server that stops must not wait for a lock that nobody ends before the stop.
    if (this.isStopping) rejectJobs(waiting, closedError())
    else this.locks.postpone(waiting, (job) => this.#enqueue(job, true))
    const rest = jobs.filter((job) => !isLocked(job))
    if (rest.length > 0) this.#runGroup(rest, tries, checks)
  }

  #runInTransaction (jobs: Job[]): unknown[] {
    try {
      this.#begin(jobs)
      const values = jobs.map((job) => job.work())
      this.#bounds.commit.run()
      if (this.faults.current !== undefined) this.faults.end()
      this.onTransactionEnd?.(true)
      return values
    } catch (error) {
      if (this.connection.inTransaction) this.#bounds.rollback.run()
      this.#noteRollback()
      throw this.#explain(error)
    }
  }

  #begin (jobs: Job[]): void {
    const { sharing } = this
    this.#engine.check?.()
    const isRead = sharing !== undefined && jobs.every((job) => job.isRead === true)
    if (isRead) sharing.beginRead.run()
    else this.#bounds.begin.run()
    sharing?.enter(jobs, isRead)
    this.connection.readAhead?.(jobs)
  }

  #noteRollback (): void {
    this.replacedRows++
    this.onTransactionEnd?.(false)
  }

  /** Returns the error that callers get. */
  #explain (error: unknown): unknown {
    const fault = this.faults.note(error)
    // Work on a locked account goes on when the ledger can be reached. Others must not wait for it.
    if (fault?.isLost === true) rejectJobs(this.locks?.takeParked() ?? [], fault)
    return fault ?? this.sharing?.explain(error) ?? error
  }
}
