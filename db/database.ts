import { LedgerUnusableError } from '../src/domain/ledger-error.ts'
import { AccountReplacements } from './account-replacements.ts'
import type { Connection, Engine, Sharing, Statement } from './connection.ts'
import { groupJobs, readFirst, rejectJobs, type Job, type WorkOptions } from './jobs.ts'

/** Statements around the work of a transaction. */
interface TransactionBounds {
  begin: Statement
  commit: Statement
  rollback: Statement
}

/** Tries of work that transactions of other servers disturb. */
const mostTries = 5
/** Tries of work that changes of other servers disturb. Each finds the state of that moment. */
const mostChecks = 100
/** Most turns of the event loop for which work waits for more work. */
const mostTurns = 10
/** Longest wait of work that is not urgent. */
const patienceMs = 25
/** Wait before work is tried again whose account another server has locked. */
const lockedMs = 20

/**
 * One ledger with one writer. Work that is handed in at about the same time is done in one
 * transaction and answered after its commit (group commit): an answer means that the data is on
 * disk, and fifty requests share one flush.
 */
export class Database {
  readonly connection: Connection
  readonly replacements = new AccountReplacements()
  /** Called when the storage fails, and with undefined when it works again. */
  onFault: (fault: LedgerUnusableError | undefined) => void = () => {}
  #fault: LedgerUnusableError | undefined
  /** Called after each transaction while somebody follows the events. */
  onTransactionEnd: ((isCommitted: boolean) => void) | undefined
  /** Rules for a ledger that several servers share. */
  sharing: Sharing | undefined
  readonly #engine: Engine
  /** Numbers of flushes by the number of their pieces of work. */
  readonly flushSizes = new Map<number, number>()
  #queue: Job[] = []
  /** Locked accounts, with the end of the last lock. */
  readonly #locks = new Map<number, Promise<void>>()
  /** Work of locked accounts. */
  readonly #parked = new Map<number, Job[]>()
  /** Work of accounts that other servers have locked. */
  readonly #postponed = new Set<Job>()
  #scheduled = false
  /** True if several pieces of work were handed in together the last time. */
  #isBusy = false
  #patience: NodeJS.Timeout | undefined
  #closed = false
  #bounds: TransactionBounds
  /** Grows when rows may have been replaced: after a rollback, a reset or a restore. */
  replacedRows = 0
  /** True while the server stops: work that fails is left to the next start, or another server. */
  isStopping = false

  constructor (engine: Engine) {
    this.#engine = engine
    this.connection = engine.connection
    this.#bounds = this.#prepareBounds('BEGIN', 'COMMIT', 'ROLLBACK')
  }

  get isClosed (): boolean {
    return this.#closed
  }

  /** True if the last transaction could not use the storage. */
  get hasFault (): boolean {
    return this.#fault !== undefined
  }

  /** Does synchronous work inside the next transaction; resolves once that is durable. */
  transact<T>(work: () => T, options: WorkOptions<T> = {}): Promise<T> {
    return this.#add(work, options)
  }

  /** Does work of one account. It waits while the account is locked. */
  transactFor<T>(account: number, work: () => T, options: WorkOptions<T> = {}): Promise<T> {
    return this.#add(work, options, account)
  }

  /** Claims an account inside a transaction, where several servers share the ledger. */
  claimAccount (account: number): void {
    this.sharing?.claimAccount(account)
  }

  /**
   * Locks an account: its work waits until the returned function is called. Work on all rows of an
   * account takes many transactions, and nobody may see it half done.
   */
  async lockAccount (account: number): Promise<() => void> {
    const before = this.#locks.get(account)
    const { promise, resolve: unlock } = Promise.withResolvers<void>()
    this.#locks.set(account, promise)
    this.#engine.expectLongWork(true)
    await before
    this.replacements.note(account)
    this.#parked.set(account, this.#parked.get(account) ?? [])
    return () => {
      unlock()
      this.replacedRows++
      // The next one who waits for the lock keeps the parked work.
      if (this.#locks.get(account) !== promise) return
      this.#locks.delete(account)
      if (this.#closed) return
      if (this.#locks.size === 0) this.#engine.expectLongWork(false)
      const jobs = this.#parked.get(account) ?? []
      this.#parked.delete(account)
      for (const job of jobs) this.#enqueue(job, true)
    }
  }

  /**
   * Runs something and takes back all that it stored. Nothing else may use the ledger meanwhile,
   * and what it left in memory is no longer true.
   */
  async runAndRollBack<T>(run: () => Promise<T>): Promise<T> {
    const usual = this.#bounds
    const { sharing } = this
    this.sharing = undefined
    usual.begin.run()
    this.#bounds = this.#prepareBounds('SAVEPOINT work', 'RELEASE work', 'ROLLBACK TO work')
    try {
      return await run()
    } finally {
      this.#bounds = usual
      this.sharing = sharing
      usual.rollback.run()
      this.replacedRows++
    }
  }

  #prepareBounds (begin: string, commit: string, rollback: string): TransactionBounds {
    return {
      begin: this.connection.prepare(begin),
      commit: this.connection.prepare(commit),
      rollback: this.connection.prepare(rollback)
    }
  }

  #add<T>(
    work: () => T,
    { urgent = true, firstRead, committed, lease, claims, isRead }: WorkOptions<T>,
    account?: number
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue(
        { account, work, firstRead, committed, lease, claims, isRead, resolve, reject },
        urgent
      )
    })
  }

  #enqueue (job: Job, urgent: boolean): void {
    if (this.#closed) {
      job.reject(closedError())
      return
    }
    const parked = job.account === undefined ? undefined : this.#parked.get(job.account)
    if (parked !== undefined) {
      parked.push(job)
      return
    }
    this.#queue.push(job)
    if (this.#scheduled) return
    if (!urgent) {
      this.#patience ??= setTimeout(() => this.#flush(), patienceMs)
      return
    }
    this.#scheduled = true
    setImmediate(() => this.#gather())
  }

  /** Finishes the work that was handed in, then closes the ledger. */
  close (): void {
    if (this.#closed) return
    this.#flush()
    this.#closed = true
    this.isStopping = true
    const waiting = [...this.#parked.values(), ...this.#postponed].flat()
    rejectJobs(waiting, closedError())
    this.#parked.clear()
    this.#engine.close()
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

  #flush (): void {
    const jobs = this.#queue
    this.#queue = []
    this.#scheduled = false
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (jobs.length === 0) return
    this.#isBusy = jobs.length > 1
    const isOneGroup = jobs.every(({ committed }) => committed === undefined)
    if (isOneGroup) this.#runGroup(this.connection.readAhead === undefined ? jobs : readFirst(jobs))
    else for (const group of groupJobs(jobs)) this.#runGroup(group)
    this.flushSizes.set(jobs.length, (this.flushSizes.get(jobs.length) ?? 0) + 1)
  }

  #runGroup (jobs: Job[], tries = 1): void {
    try {
      const values = this.#runInTransaction(jobs)
      for (let i = 0; i < jobs.length; i++) {
        jobs[i].committed?.(values[i] as never)
        jobs[i].resolve(values[i] as never)
      }
    } catch (error) {
      const settled = tries < mostChecks ? this.sharing?.settle(error) : undefined
      if (settled instanceof Error) return rejectJobs(jobs, this.#explain(settled))
      if (settled !== undefined) return this.#runUnlocked(jobs, settled, tries + 1)
      const isConflict = this.#engine.isConflict?.(error) === true
      // Work with an own transaction is not repeated: see WorkOptions.
      const canRepeat = tries < mostTries && jobs[0].committed === undefined
      if (isConflict && canRepeat) return this.#runGroup(jobs, tries + 1)
      if (jobs.length === 1) return jobs[0].reject(error)
      // One job failed and must not fail the others: each gets a transaction of its own.
      for (const job of jobs) this.#runGroup([job])
    }
  }

  /** Runs jobs again. Those of accounts that other servers have locked wait. */
  #runUnlocked (jobs: Job[], locked: readonly number[], tries: number): void {
    const isLocked = ({ account }: Job): boolean =>
      account !== undefined && locked.includes(account)
    for (const job of jobs.filter(isLocked)) {
      this.#postponed.add(job)
      setTimeout(() => this.#postponed.delete(job) && this.#enqueue(job, true), lockedMs)
    }
    const rest = jobs.filter((job) => !isLocked(job))
    if (rest.length > 0) this.#runGroup(rest, tries)
  }

  /** Returns whether an error is the fault of the storage, and not of the work. */
  isStorageFault (error: unknown): boolean {
    return (
      error instanceof LedgerUnusableError ||
      this.#engine.explainFault(error) !== undefined ||
      this.#engine.isConflict?.(error) === true
    )
  }

  #runInTransaction (jobs: Job[]): unknown[] {
    try {
      this.#engine.check?.()
      if (this.sharing === undefined) this.#bounds.begin.run()
      else this.#enter(this.sharing, jobs)
      this.connection.readAhead?.(jobs)
      const values = jobs.map((job) => job.work())
      this.#bounds.commit.run()
      if (this.#fault !== undefined) this.#setFault(undefined)
      this.onTransactionEnd?.(true)
      return values
    } catch (error) {
      if (this.connection.inTransaction) this.#bounds.rollback.run()
      this.replacedRows++
      this.onTransactionEnd?.(false)
      throw this.#explain(error)
    }
  }

  /** Returns the error that callers get. The first fault of the storage is reported. */
  #explain (error: unknown): unknown {
    const fault = this.#engine.explainFault(error)
    if (fault !== undefined && this.#fault === undefined) this.#setFault(fault)
    return fault ?? this.sharing?.explain(error) ?? error
  }

  /** Begins a transaction in a ledger that several servers share. */
  #enter (sharing: Sharing, jobs: Job[]): void {
    const isRead = jobs.every((job) => job.isRead === true)
    if (isRead) sharing.beginRead.run()
    else this.#bounds.begin.run()
    sharing.enter(jobs, isRead)
  }

  #setFault (fault: LedgerUnusableError | undefined): void {
    this.#fault = fault
    this.onFault(fault)
  }
}

function closedError (): LedgerUnusableError {
  return new LedgerUnusableError('the ledger is closed')
}
