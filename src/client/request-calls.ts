import { ExpectationFailed } from './errors.ts'
import { LedgerCalls } from './ledger-calls.ts'
import { checkValues } from './matcher-values.ts'
import type {
  CallbackMatcher,
  EventWaitOptions,
  Expectation,
  PaymentMatcher,
  RequestMatcher
} from './requests.ts'
import type { Callback, JournalEntry, Payment, VerifyResult } from './responses.ts'

/** Calls of the admin API about the requests of the account, and expectations about them. */
export class RequestCalls extends LedgerCalls {
  /** Number of the last request that was reported as unmatched. */
  #reported = 0

  /** Lists the requests of the account that match, newest first. */
  async requests (matcher: RequestMatcher = {}): Promise<JournalEntry[]> {
    checkValues('requests()', 'matcher', matcher)
    return await this.listJournal('POST', '/requests/find', matcher)
  }

  /** Lists the requests whose operation or account does not exist, newest first. */
  async unmatchedRequests (): Promise<JournalEntry[]> {
    return await this.listJournal('GET', '/requests/unmatched')
  }

  /** Lists the refused requests, each with the nearest valid request, newest first. */
  async refusedRequests (): Promise<JournalEntry[]> {
    const query = { outcome: 'refused', nearest: 'true' }
    return await this.listJournal('GET', '/requests', undefined, query)
  }

  /** Throws if requests had no operation or no account. Reports each of them once. */
  async expectNoUnmatched (): Promise<void> {
    const unmatched = (await this.unmatchedRequests()).filter(({ id }) => id > this.#reported)
    if (unmatched.length === 0) return
    this.#reported = unmatched[0].id
    const { explainUnmatched } = await import('./unmatched.ts')
    throw explainUnmatched(unmatched)
  }

  /** Waits for a request that matches, also an earlier one. `count` waits for that many. */
  async waitForRequest (
    matcher: RequestMatcher,
    options: EventWaitOptions = {}
  ): Promise<JournalEntry> {
    checkValues('waitForRequest()', 'matcher', matcher)
    return await this.call('POST', '/wait/request', { matcher, ...options })
  }

  /** Waits for a callback that matches, such as `{ kind: 'deposit', state: 'ACKNOWLEDGED' }`. */
  async waitForCallback (
    matcher: CallbackMatcher,
    options: EventWaitOptions = {}
  ): Promise<Callback> {
    checkValues('waitForCallback()', 'matcher', matcher)
    return await this.call('POST', '/wait/callback', { matcher, ...options })
  }

  /** Waits for a payment that matches, such as `{ kind: 'deposit', amount: 15 }`. */
  async waitForPayment (
    matcher: PaymentMatcher,
    options: EventWaitOptions = {}
  ): Promise<Payment> {
    checkValues('waitForPayment()', 'matcher', matcher)
    return await this.call('POST', '/wait/payment', { matcher, ...options })
  }

  /** Counts the requests of the account that match. */
  async count (matcher: RequestMatcher = {}): Promise<number> {
    checkValues('count()', 'matcher', matcher)
    return (await this.call<{ count: number }>('POST', '/requests/count', matcher)).count
  }

  /** Clears the request journal. */
  forgetRequests (): Promise<void> {
    return this.call('DELETE', '/requests')
  }

  /** Compares expectations with the requests, callbacks and payments of the account. */
  async verify (expectations: Expectation[]): Promise<VerifyResult> {
    for (const [n, expectation] of Object.entries(expectations ?? [])) {
      for (const [word, value] of Object.entries(expectation ?? {})) {
        // A word that is undefined is left out, as an option is.
        if (value !== undefined) checkValues('verify()', `expectations.${n}.${word}`, value)
      }
    }
    return await this.call('POST', '/verify', { expectations })
  }

  /**
   * Throws an `ExpectationFailed` unless all expectations are met. Its message names each that is
   * not, with the nearest candidate and its differences.
   */
  async expect (...expectations: Expectation[]): Promise<void> {
    if (this.options.onUnmatched === 'throw') await this.expectNoUnmatched()
    const { failed } = await this.verify(expectations)
    if (failed.length === 0) return
    const { describeFailures } = await import('./failure-text.ts')
    throw new ExpectationFailed(describeFailures(expectations, failed), failed)
  }
}
