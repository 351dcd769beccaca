import type { Report, Result } from '../reports/exam/report.ts'
import type { MomockClient } from './mock.ts'

/**
 * Report that the mock shows at GET /__admin/exam, also while the exam runs. A mock that does not
 * take it (an older one, or a report that is too large) does not change the exam.
 */
export class ShownReport {
  readonly #mock: MomockClient
  readonly #total: number
  readonly #write: (results: Result[], reason: string) => Report
  readonly #results: Result[] = []
  /** Sends one report at a time, so that the last one stays. */
  #sending: Promise<unknown> | undefined

  constructor (
    mock: MomockClient,
    total: number,
    write: (results: Result[], reason: string) => Report
  ) {
    this.#mock = mock
    this.#total = total
    this.#write = write
  }

  /** Adds a result. Skips the sending while an earlier report is on its way. */
  add (result: Result): void {
    this.#results.push(result)
    if (this.#sending !== undefined) return
    const reason = `the exam is running: ${this.#results.length} of ${this.#total} checks are done`
    this.#sending = this.#send(this.#write([...this.#results], reason)).finally(() => {
      this.#sending = undefined
    })
  }

  /** Sends the report at the end. */
  async finish (report: Report): Promise<void> {
    await this.#sending
    await this.#send(report)
  }

  async #send (report: Report): Promise<void> {
    await this.#mock.saveExamReport(report).catch(() => {})
  }
}
