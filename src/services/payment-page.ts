import { refuseDeletedAccount } from '../accounts/account-changes.ts'
import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import type { CustomerChoice } from '../domain/customer-choice.ts'
import { mergeRefusals, resolveChoice } from '../domain/customer-choice.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { kinds } from '../domain/kinds.ts'
import type { PageSessions } from '../ports/stores.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { VersionRules, Version } from '../domain/api-version.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { PageTerms, PageSession } from '../domain/page-session.ts'
import { depositOf, judgeSession, sessionMs, termsOfSession } from '../domain/page-session.ts'
import { listBrokenRules } from '../domain/rules.ts'
import type { Ids } from '../lib/ids.ts'
import type { Payments } from './payments.ts'
import type { View } from '../wire/wire.ts'

/** Address of the link of a session. */
export type PageLinkBuilder = (token: string) => string

/** A session as its customer finds it: with the deposit, once there is one. */
export interface PageVisit {
  account: Account
  session: PageSession
  expired: boolean
  deposit?: View
}

/** Payment page without its HTML: the merchant opens sessions, the customer with the link pays. */
export class PaymentPage {
  readonly #sessions: PageSessions
  readonly #payments: Payments
  readonly #accounts: Accounts
  readonly #catalogue: Catalogue
  readonly #versionRules: Record<Version, VersionRules>
  readonly #ids: Ids
  readonly #address: PageLinkBuilder

  constructor (
    sessions: PageSessions,
    payments: Payments,
    accounts: Accounts,
    catalogue: Catalogue,
    versionRules: Record<Version, VersionRules>,
    ids: Ids,
    address: PageLinkBuilder
  ) {
    this.#sessions = sessions
    this.#payments = payments
    this.#accounts = accounts
    this.#catalogue = catalogue
    this.#versionRules = versionRules
    this.#ids = ids
    this.#address = address
  }

  /**
   * Opens a session. Earlier links of the same deposit stay valid. The request may name the
   * scenario of the deposit.
   */
  async openSession (
    account: Account,
    version: Version,
    asked: PageTerms,
    scenario?: string
  ): Promise<{ redirectUrl: string } | Refusal> {
    const unfit = await this.#payments.checkScenario(account, kinds.deposit, scenario)
    if (unfit !== undefined) return unfit
    const { depositId } = asked
    const session = await this.#sessions.openSession(account.id, depositId, (before, taken) => {
      refuseDeletedAccount(account)
      if (taken) {
        return {
          code: 'INVALID',
          message:
            `depositId '${depositId}' is already used by a deposit; every payment needs an ` +
            'identifier of its own'
        }
      }
      const terms = judgeSession(asked, account, this.#catalogue, this.#versionRules[version])
      if (isRefusal(terms)) return terms
      const created = this.#accounts.now(account)
      const token = this.#ids.secret('pay', account.name, `${depositId}/${before + 1}`)
      return {
        token,
        account: account.id,
        version,
        created,
        expiresAt: created + sessionMs,
        terms,
        ...(scenario !== undefined && { scenario })
      }
    })
    return isRefusal(session) ? session : { redirectUrl: this.#address(session.token) }
  }

  /** Returns the links of the payment pages of a deposit, oldest first. */
  async listLinks (account: Account, depositId: string): Promise<string[]> {
    const tokens = await this.#sessions.listTokens(account.id, depositId)
    return tokens.map((token) => this.#address(token))
  }

  /** Content of the payment page. */
  async findVisit (token: string): Promise<PageVisit | undefined> {
    const session = await this.#sessions.findSession(token)
    if (session === undefined) return undefined
    const account = this.#accounts.find(session.account)
    if (account === undefined) return undefined
    const deposit = (await this.#payments.find(account, kinds.deposit, session.terms.depositId)) as
      View | undefined
    return {
      account,
      session,
      expired: session.expiresAt <= this.#accounts.now(account),
      ...(deposit !== undefined && { deposit })
    }
  }

  /**
   * The customer presses Pay. A deposit that exists already is not made again. The request may
   * name a scenario instead of that of the session.
   */
  async pay (
    { account, session }: PageVisit,
    choice: CustomerChoice,
    scenario = session.scenario
  ): Promise<'ACCEPTED' | 'DUPLICATE' | Refusal> {
    const paymentRequest = depositOf(
      session,
      choice,
      this.#address(session.token),
      account,
      this.#catalogue
    )
    if (isRefusal(paymentRequest)) return paymentRequest
    const initiation = await this.#payments.initiate(
      account,
      session.version,
      kinds.deposit,
      paymentRequest,
      scenario
    )
    return initiation.outcome === 'REFUSED' ? initiation.refusal : initiation.outcome
  }

  /** Lists the problems of a choice, at most one for each field. Nothing is stored. */
  listProblems ({ account, session }: PageVisit, choice: CustomerChoice): Refusal[] {
    const catalogue = this.#catalogue
    const fixed = termsOfSession(session, account, catalogue)
    const { chosen, refusals } = resolveChoice(choice, fixed, catalogue)
    const link = this.#address(session.token)
    const { depositId: id } = session.terms
    const request = { ...chosen, id, successfulUrl: link, failedUrl: link }
    const rules = { account, catalogue, versionRules: this.#versionRules[session.version] }
    return mergeRefusals(refusals, listBrokenRules(kinds.deposit, request, rules))
  }
}
