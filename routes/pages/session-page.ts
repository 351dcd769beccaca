import { statusesOf } from '../../src/domain/status.ts'
import { formatAmount } from '../../src/domain/amount.ts'
import type { Static } from '@sinclair/typebox'
import { kinds } from '../../src/domain/kinds.ts'
import { pricesOf } from '../../src/domain/page-session.ts'
import { listPaymentOptions, type PaymentOption } from '../../src/domain/payment-options.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { PageVisit, PaymentPage } from '../../src/services/payment-page.ts'
import { DateTime } from '../../src/wire/fields.ts'
import {
  companyName,
  DepositRecord,
  OfferRecord,
  PhonePage,
  returnUrlOf,
  writeDeposit,
  writeOffer
} from '../../src/wire/pages.ts'
import type { PageParts } from './customer.ts'
import { createPhoneLink, type PhoneLink } from '../http/phone-link.ts'

/** States of a payment page: until the customer pays, then those of the deposit. */
const pageStates = ['WAITING_PAYMENT', 'EXPIRED', ...statusesOf(kinds.deposit)] as const

/** Payment page as JSON. */
export const PageRecord = Type.Object({
  depositId: Type.String(),
  state: answerWord(...pageStates),
  companyName: Type.String(),
  reason: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  amountDetails: Type.Optional(
    Type.Object({ amount: Type.String(), currency: Type.Optional(Type.String()) })
  ),
  phoneNumber: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
  countries: Type.Array(OfferRecord),
  expiresAt: DateTime,
  deposit: Type.Optional(DepositRecord),
  returnUrl: Type.String(),
  phonePage: Type.Optional(PhonePage)
})

export interface SessionPageParts extends PageParts {
  pages: PaymentPage
}

/** Content of the payment page of a session. */
export class SessionPage {
  readonly #parts: SessionPageParts

  constructor (parts: SessionPageParts) {
    this.#parts = parts
  }

  async find (token: string): Promise<PageVisit> {
    const visit = await this.#parts.pages.findVisit(token)
    if (visit === undefined) {
      throw new Refused('NOT_FOUND', `there is no payment page with the token '${token}'`)
    }
    return visit
  }

  offersOf ({ account, session: { terms } }: PageVisit): PaymentOption[] {
    const { catalogue } = this.#parts
    const countries = terms.country === undefined ? undefined : [terms.country]
    const prices = pricesOf(terms, catalogue.countries.keys())
    return listPaymentOptions(account, catalogue, countries, prices)
  }

  phoneOf ({ account, session: { terms }, deposit }: PageVisit): PhoneLink | undefined {
    const number = deposit?.payment.details.phoneNumber ?? terms.phoneNumber
    if (number === undefined) return undefined
    const subject = { kind: kinds.deposit, id: terms.depositId }
    return createPhoneLink(this.#parts.ids, account, number, subject)
  }

  write (visit: PageVisit): Static<typeof PageRecord> {
    const { account, session, deposit } = visit
    const { depositId, reason, language, amount, currency, phoneNumber, country } = session.terms
    const phone = this.phoneOf(visit)
    return {
      depositId,
      state: stateOf(visit),
      companyName: companyName(account),
      reason,
      language,
      ...(amount !== undefined && { amountDetails: { amount: formatAmount(amount), currency } }),
      phoneNumber,
      country,
      countries: this.offersOf(visit).map(writeOffer),
      expiresAt: formatTimestamp(session.expiresAt),
      ...(deposit !== undefined && { deposit: writeDeposit(deposit) }),
      returnUrl: returnLink(visit),
      ...(phone !== undefined && { phonePage: phone.url })
    }
  }
}

/** Tells whether the page expired before anything was paid. */
export function isExpired ({ expired, deposit }: PageVisit): boolean {
  return expired && deposit === undefined
}

export function expiredPage ({ session }: PageVisit): Refusal {
  return {
    code: 'LINK_EXPIRED',
    message:
      `this payment page expired at ${formatTimestamp(session.expiresAt)}, 15 minutes after it ` +
      'was opened'
  }
}

/** URL that the customer returns to. */
export function returnLink ({ session: { terms } }: PageVisit): string {
  return returnUrlOf(terms.returnUrl, 'depositId', terms.depositId)
}

function stateOf (visit: PageVisit): (typeof pageStates)[number] {
  return visit.deposit?.state.to ?? (isExpired(visit) ? 'EXPIRED' : 'WAITING_PAYMENT')
}
