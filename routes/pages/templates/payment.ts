import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { optionCurrencies, type PaymentOption } from '../../../src/domain/payment-options.ts'
import { isFinal } from '../../../src/domain/status.ts'
import type { Refusal } from '../../../src/domain/refusal.ts'
import { pricesOf, sessionMs, type PageSession } from '../../../src/domain/page-session.ts'
import type { PageVisit } from '../../../src/services/payment-page.ts'
import { companyName, returnUrlOf } from '../../../src/wire/pages.ts'
import type { View } from '../../../src/wire/wire.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney } from './format.ts'
import { heading, layout, problemDetail, reasonLine, type Page, type Reader } from './layout.ts'
import { failureText, phoneLink, progressSection, wordsOf } from './progress.ts'
import { formAids } from './form-aids.ts'
import { walletForm, walletId } from './wallet.ts'
import type { TypedFields, WalletForm } from './wallet-fields.ts'

/** Content of a payment page. */
export interface PaymentModel {
  visit: PageVisit
  offers: PaymentOption[]
  mark: string
  typed: TypedFields
  problems: readonly Refusal[]
  catalogue: Catalogue
  phone?: { number: string; url: string }
}

/** Seconds that the outcome is shown before the customer returns to the shop. */
const returnSeconds = 2

type Part = Pick<Page, 'title' | 'body' | 'aside' | 'follow' | 'form' | 'onward' | 'waits'>

/** The payment page, whatever state it is in. */
export function paymentHtml (reader: Reader, model: PaymentModel): Html {
  const {
    visit: {
      account,
      session: { token },
      deposit,
      expired
    },
    mark
  } = model
  const common = { path: `/pay/${token}`, owner: companyName(account), mark }
  if (deposit === undefined) {
    return layout(reader, {
      ...common,
      ...(expired
        ? { state: 'EXPIRED', ...expiredPage(reader, model) }
        : { state: 'WAITING_PAYMENT', ...formPage(reader, model) })
    })
  }
  const { to } = deposit.state
  return layout(reader, {
    ...common,
    state: to,
    ...(isFinal(to) ? outcomePage(reader, model, deposit) : progressPage(reader, model, deposit))
  })
}

/** Parts of the model that the form needs. */
type FormModel = Pick<PaymentModel, 'visit' | 'offers' | 'typed' | 'problems' | 'catalogue'>

/** The form of a payment page. */
export function paymentWallet ({
  visit: { session },
  offers,
  typed,
  problems,
  catalogue
}: FormModel): WalletForm {
  const { token, terms } = session
  const { phoneNumber } = terms
  const currency = currencyOf(session, offers)
  return {
    page: `/pay/${token}`,
    action: `/pay/${token}`,
    predictions: `/pay/${token}/prediction`,
    offers,
    fixed: { ...(phoneNumber !== undefined && { phoneNumber }) },
    prices: pricesOf(
      { ...terms, ...(currency !== undefined && { currency }) },
      offers.map(({ code }) => code)
    ),
    typed,
    problems,
    catalogue
  }
}

/** Currency of the amount. v1 names none; it follows from the country if that has only one. */
function currencyOf ({ terms }: PageSession, offers: PaymentOption[]): string | undefined {
  const currencies = offers.length === 1 ? optionCurrencies(offers[0]) : []
  return terms.currency ?? (currencies.length === 1 ? currencies[0] : undefined)
}

function formPage (reader: Reader, model: PaymentModel): Part {
  const { say, language } = reader
  const {
    visit: { account, session },
    offers,
    problems,
    phone
  } = model
  const { token, terms } = session
  const { reason, amount } = terms
  const company = companyName(account)
  const title = say('payTo', { company })
  const wallet = paymentWallet(model)
  const price =
    amount === undefined ? undefined : formatMoney(amount, currencyOf(session, offers), language)
  return {
    title,
    follow: `/pay/${token}/events`,
    form: walletId,
    body: html`<section class="card">
<h1>${title}</h1>
${price === undefined ? undefined : html`<p class="price">${price}</p>`}
${reasonLine(reader, reason)}
${walletForm(reader, wallet)}
<p class="cancel">
<a class="button" href="${wayBack(session, true)}">${say('giveUp', { company })}</a>
</p>
</section>`,
    aside: html`${problemDetail(reader, problems)}
${phoneLink(reader, phone)}
${formAids(reader, wallet)}`
  }
}

function progressPage (
  reader: Reader,
  { visit: { account, session }, catalogue, phone }: PaymentModel,
  deposit: View
): Part {
  const { title, body, onward } = progressSection(reader, deposit, companyName(account), catalogue)
  return {
    title,
    follow: `/pay/${session.token}/events`,
    waits: true,
    ...(onward !== undefined && { onward }),
    body: html`<section class="card centre">${body}</section>`,
    aside: phoneLink(reader, phone)
  }
}

function outcomePage (
  reader: Reader,
  { visit: { account, session }, catalogue, phone }: PaymentModel,
  deposit: View
): Part {
  const { say } = reader
  const company = companyName(account)
  const good = deposit.state.to === 'COMPLETED'
  const title = say(good ? 'completedTitle' : 'failedTitle')
  const text = good
    ? say('completedText', wordsOf(reader, deposit, company, catalogue))
    : `${failureText(reader, deposit.state.failure)} ${say('failedText')}`
  const url = wayBack(session)
  return {
    title,
    onward: { url, after: returnSeconds },
    body: html`<section class="card centre">
${heading(title, good ? 'good' : 'bad')}
<p>${text}</p>
<p><a class="button main" href="${url}">${say('back', { company })}</a></p>
<p class="small">${say('returning', { company })}</p>
</section>`,
    aside: phoneLink(reader, phone)
  }
}

function expiredPage ({ say }: Reader, { visit: { account, session } }: PaymentModel): Part {
  const title = say('expiredTitle')
  const company = companyName(account)
  return {
    title,
    body: html`<section class="card centre">
${heading(title, 'still')}
<p>${say('expiredText', { minutes: sessionMs / 60_000 })}</p>
<p><a class="button main" href="${wayBack(session, true)}">${say('back', { company })}</a></p>
</section>`
  }
}

/** URL of the shop; a customer who leaves without paying has cancelled. */
function wayBack ({ terms: { returnUrl, depositId } }: PageSession, isCancelled = false): string {
  return returnUrlOf(returnUrl, 'depositId', depositId, isCancelled)
}
