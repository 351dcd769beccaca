import type { Static } from '@sinclair/typebox'
import { formatAmount } from '../../src/domain/amount.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { pricesOf } from '../../src/domain/page-session.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { listPaymentOptions } from '../../src/domain/payment-options.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal, statusesOf } from '../../src/domain/status.ts'
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
import { createPhoneLink, type PhoneLink } from '../http/phone-link.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { PageParts } from './customer.ts'
import { addPayPage, type Paid, type PayPage } from './pay-page.ts'

/** States of a payment page: until the customer pays, then those of the deposit. */
const pageStates = ['WAITING_PAYMENT', 'EXPIRED', ...statusesOf(kinds.deposit)] as const

/** Payment page as JSON. */
const PageRecord = Type.Object({
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

const PaymentAnswer = Type.Object({
  depositId: Type.String(),
  status: answerWord('ACCEPTED'),
  returnUrl: Type.String()
})

interface SessionPageParts extends PageParts {
  pages: PaymentPage
}

/** Pages and calls of the customer of a payment page. */
export function paymentPageRoutes (app: TypedApp, parts: SessionPageParts): void {
  addPayPage(app, describePage(parts), parts)
}

function offersOf ({ catalogue }: SessionPageParts, { account, session: { terms } }: PageVisit) {
  const countries = terms.country === undefined ? undefined : [terms.country]
  const prices = pricesOf(terms, catalogue.countries.keys())
  return listPaymentOptions(account, catalogue, countries, prices)
}

function phoneOf (
  { ids }: SessionPageParts,
  { account, session, deposit }: PageVisit
): PhoneLink | undefined {
  const { depositId: id, phoneNumber } = session.terms
  const number = deposit?.payment.details.phoneNumber ?? phoneNumber
  return number === undefined
    ? undefined
    : createPhoneLink(ids, account, number, { kind: kinds.deposit, id })
}

function write (parts: SessionPageParts, visit: PageVisit): Static<typeof PageRecord> {
  const { account, session, deposit } = visit
  const { depositId, reason, language, amount, currency, phoneNumber, country } = session.terms
  const phone = phoneOf(parts, visit)
  return {
    depositId,
    state: stateOf(visit),
    companyName: companyName(account),
    reason,
    language,
    ...(amount !== undefined && { amountDetails: { amount: formatAmount(amount), currency } }),
    phoneNumber,
    country,
    countries: offersOf(parts, visit).map(writeOffer),
    expiresAt: formatTimestamp(session.expiresAt),
    ...(deposit !== undefined && { deposit: writeDeposit(deposit) }),
    returnUrl: returnLink(visit),
    ...(phone !== undefined && { phonePage: phone.url })
  }
}

function describePage (parts: SessionPageParts): PayPage<PageVisit> {
  const { clockControl, pages } = parts
  const find = async (token: string): Promise<PageVisit> => {
    const visit = await pages.findVisit(token)
    if (visit !== undefined) return visit
    throw new Refused('NOT_FOUND', `there is no payment page with the token '${token}'`)
  }
  return {
    base: '/pay',
    key: ['token', 'the token of a payment page'],
    payPath: '',
    name: 'payment page',
    calls: {
      show: ['showPaymentPage', 'Show a payment page', [404, 410]],
      pay: ['payOnPaymentPage', 'Pay on a payment page', [404, 409, 410]],
      predict: 'predictOnPaymentPage',
      follow: ['followPaymentPage', 'Follow a payment page', [404]]
    },
    record: PageRecord,
    paid: PaymentAnswer,
    find,
    write: (visit) => write(parts, visit),
    offersOf: (visit) => offersOf(parts, visit),
    phoneOf: (visit) => phoneOf(parts, visit),
    languageOf: ({ session }) => session.terms.language,
    whyClosed: (visit) => (isExpired(visit) ? expiredPage(visit) : undefined),
    pay: async (visit, choice, scenario) => {
      if (visit.deposit !== undefined) return alreadyPaid(visit)
      if (visit.expired) return { refusal: expiredPage(visit) }
      const outcome = await pages.pay(visit, choice, scenario)
      if (outcome === 'DUPLICATE') return alreadyPaid(await find(visit.session.token))
      if (outcome !== 'ACCEPTED') return { refusal: outcome }
      const { depositId } = visit.session.terms
      return { answer: { depositId, status: outcome, returnUrl: returnLink(visit) } }
    },
    listProblems: (visit, choice) => pages.listProblems(visit, choice),
    follow: (visit) => {
      const { account, session, deposit } = visit
      const next =
        deposit === undefined
          ? session.expiresAt
          : nextChange(deposit.payment, clockControl.now(account))
      return {
        topics: [{ id: session.terms.depositId }],
        final: isExpired(visit) || (deposit !== undefined && isFinal(deposit.state.to)),
        ...(next !== undefined && { next })
      }
    },
    wallet: async (model) => (await import('./templates/payment.ts')).paymentWallet(model),
    html: async (reader, model) => {
      const { paymentHtml } = await import('./templates/payment.ts')
      return paymentHtml(reader, model)
    }
  }
}

function alreadyPaid (visit: PageVisit): Paid {
  const { depositId } = visit.session.terms
  const status = visit.deposit?.state.to ?? 'ACCEPTED'
  const message = `deposit '${depositId}' was already paid; it is ${status}`
  return {
    refusal: { code: 'WRONG_STATE', message },
    fields: { depositId, status, returnUrl: returnLink(visit) }
  }
}

/** Tells whether the page expired before anything was paid. */
function isExpired ({ expired, deposit }: PageVisit): boolean {
  return expired && deposit === undefined
}

function expiredPage ({ session }: PageVisit): Refusal {
  return {
    code: 'LINK_EXPIRED',
    message:
      `this payment page expired at ${formatTimestamp(session.expiresAt)}, 15 minutes after it ` +
      'was opened'
  }
}

/** URL that the customer returns to. */
function returnLink ({ session: { terms } }: PageVisit): string {
  return returnUrlOf(terms.returnUrl, 'depositId', terms.depositId)
}

function stateOf (visit: PageVisit): (typeof pageStates)[number] {
  return visit.deposit?.state.to ?? (isExpired(visit) ? 'EXPIRED' : 'WAITING_PAYMENT')
}
