import type { Report } from '../exam-report/report.ts'
import { machineTime } from '../lib/clock.ts'

/** Most reports of all accounts: those that came last. */
const keptReports = 50

/** Exam report, and its time on the clock that the servers of a ledger share. */
export interface KeptReport {
  report: Report
  recorded: number
}

/** Last exam report of each account. The reports are kept in memory, and a reset keeps them. */
export class ExamReports {
  readonly #reports = new Map<number, KeptReport>()

  /** Keeps the report of an account instead of its last one. */
  keep (account: number, report: Report): void {
    this.#reports.delete(account)
    this.#reports.set(account, { report, recorded: machineTime() })
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > keptReports) this.#reports.delete(oldest)
  }

  /** Returns the last report of an account, or undefined if there is none. */
  find (account: number): KeptReport | undefined {
    return this.#reports.get(account)
  }

  /** Deletes the report of an account. */
  clear (account: number): void {
    this.#reports.delete(account)
  }
}
