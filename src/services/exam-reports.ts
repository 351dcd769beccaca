import { keepLatest } from '../lib/latest.ts'
import type { Report } from '../reports/exam/report.ts'

/** Most reports of all accounts: those that came last. */
const keptReports = 50

/** Last exam report of each account. The reports are kept in memory, and a reset keeps them. */
export class ExamReports {
  readonly #reports = new Map<number, Report>()

  /** Keeps the report of an account instead of its last one. */
  keep (account: number, report: Report): void {
    keepLatest(this.#reports, account, report, keptReports)
  }

  /** Returns the last report of an account, or undefined if there is none. */
  find (account: number): Report | undefined {
    return this.#reports.get(account)
  }

  /** Deletes the report of an account. */
  clear (account: number): void {
    this.#reports.delete(account)
  }
}
