import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { expiryOf } from '../../../src/domain/checkout.ts'
import type { PaymentOption } from '../../../src/domain/payment-options.ts'
import type { CheckoutTerms } from '../../../src/domain/checkout-terms.ts'
import type { Status } from '../../../src/domain/status.ts'
import { isFinal } from '../../../src/domain/status.ts'
import type { Refusal } from '../../../src/domain/refusal.ts'
import type { CheckoutVisit } from '../../../src/services/checkouts.ts'
import { companyName, returnUrlOf } from '../../../src/wire/pages.ts'

import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney, formatSpan, formatTime } from './format.ts'
import { heading, layout, problemDetail, reasonLine, type Page, type Reader } from './layout.ts'
import { formAids } from './form-aids.ts'
import { attemptList, failureText, phoneLink, progressSection, wordsOf } from './progress.ts'
import type { Language } from './texts.ts'
import { countryOf, walletForm, walletId } from './wallet.ts'
import type { TypedFields, WalletForm } from './wallet-fields.ts'

/** Content of the page of a checkout. */
export interface CheckoutModel {
  visit: CheckoutVisit
  offers: PaymentOption[]
  mark: string
  now: number
  typed: TypedFields
  problems: readonly Refusal[]
  catalogue: Catalogue
  phone?: { number: string; url: string }
}

/**
 * Seconds that each outcome is shown before the customer returns. Without an entry the customer
 * decides when.
 */
const returnSeconds: Record<CheckoutTerms['returnMethod'], number | undefined> = {
  INSTANT: 0,
  COUNTDOWN: 5,
  CUSTOMER_ACTION: undefined
}

/** The page of a checkout, whatever state it is in. */
export function checkoutHtml (reader: Reader, model: CheckoutModel): Html {
  const {
    visit: {
      state,
      payment: {
        details: { checkoutCode }
      }
    },
    mark
  } = model
  const common = {
    path: `/checkout/${checkoutCode}`,
    owner: companyName(model.visit.account),
    state: state.to,
    mark,
    follow: `/checkout/${checkoutCode}/events`
  }
  const page = isFinal(state.to)
    ? outcomePage(reader, model)
    : state.to === 'PROCESSING'
      ? progressPage(reader, model)
      : formPage(reader, model)
  return layout(reader, { ...common, ...page })
}

type Part = Pick<Page, 'title' | 'body' | 'aside' | 'form' | 'onward' | 'waits'>

/** Description of the purchase, in the customer's language if there is one. */
export function reasonIn (
  { reason = {}, defaultLanguage }: CheckoutTerms,
  language: Language
): string | undefined {
  return reason[language] ?? reason[defaultLanguage ?? 'en'] ?? Object.values(reason)[0]
}

/** The form of a checkout. It begins with the values of the last attempt. */
export function checkoutWallet ({
  visit: { payment, parts },
  offers,
  typed,
  problems,
  catalogue
}: Pick<CheckoutModel, 'visit' | 'offers' | 'typed' | 'problems' | 'catalogue'>): WalletForm {
  const { terms, checkoutCode } = payment.details
  const { payer, amounts = [] } = terms
  const { allowCustomerToOverride = true, ...prefilled } = payer ?? {}
  const { phoneNumber, provider }: TypedFields = parts.at(-1)?.payment.details ?? prefilled
  const isElsewhere =
    typed.country !== undefined &&
    provider !== undefined &&
    catalogue.providers.get(provider)?.country !== typed.country
  return {
    page: `/checkout/${checkoutCode}`,
    action: `/checkout/${checkoutCode}/attempts`,
    predictions: `/checkout/${checkoutCode}/prediction`,
    offers,
    fixed: allowCustomerToOverride ? {} : prefilled,
    prices: amounts,
    // Fills in the values of the last attempt, unless another country was chosen.
    typed: isElsewhere
      ? typed
      : {
          ...(phoneNumber !== undefined && { phoneNumber }),
          ...(provider !== undefined && { provider }),
          ...typed
        },
    problems,
    catalogue
  }
}

function formPage (reader: Reader, model: CheckoutModel): Part {
  const { say, language } = reader
  const {
    visit: { account, payment, parts },
    problems,
    catalogue,
    phone
  } = model
  const { terms, checkoutCode } = payment.details
  const company = companyName(account)
  const title = say('payTo', { company })
  const wallet = checkoutWallet(model)
  const here = wallet.prices.filter(({ country }) => country === countryOf(wallet)?.code)
  const price =
    here.length === 1 ? formatMoney(here[0].amount, here[0].currency, language) : undefined
  const failure =
    parts.length > 0 && problems.length === 0
      ? `${failureText(reader, parts.at(-1)!.state.failure)} ${say('tryAgain')}`
      : undefined
  return {
    title,
    form: walletId,
    body: html`<section class="card">
<h1>${title}</h1>
${price === undefined ? undefined : html`<p class="price">${price}</p>`}
${reasonLine(reader, reasonIn(terms, language))}
${timeLeft(reader, model)}
${failure === undefined ? undefined : html`<p class="problem" role="alert">${failure}</p>`}
${walletForm(reader, wallet)}
<form class="cancel" method="post" action="/checkout/${checkoutCode}/cancel">
<button type="submit">${say('cancel')}</button>
</form>
${attemptList(reader, parts, company, catalogue)}
</section>`,
    aside: html`${problemDetail(reader, problems)}
${phoneLink(reader, phone)}
${formAids(reader, wallet)}`
  }
}

/** Time until the checkout expires, on the account's clock. */
function timeLeft (
  { say, language }: Reader,
  { visit: { account, payment }, now }: CheckoutModel
): Html {
  const expiry = expiryOf(payment)
  const { mode, speed } = account.clock
  const time = `${formatTime(expiry, language)} UTC`
  return html`<p class="time">
<span class="label">${say('secondsLeft')}</span>
<span class="clock" data-left-ms="${Math.max(0, expiry - now)}"
  data-speed="${mode === 'frozen' ? 0 : speed}">${formatSpan(expiry - now)}</span>
<span class="small">${say('expiresAt', { time })}</span></p>`
}

/**
 * Page while an attempt is in progress. If the checkout expires meanwhile, the customer does not
 * have to wait.
 */
function progressPage (reader: Reader, model: CheckoutModel): Part {
  const { say } = reader
  const {
    visit: { account, payment, parts },
    now,
    catalogue,
    phone
  } = model
  const company = companyName(account)
  const latest = parts.at(-1)!
  const isOver = expiryOf(payment) <= now
  const { terms, checkoutCode } = payment.details
  const url = returnUrlOf(terms.returnUrl, 'checkoutCode', checkoutCode)
  const back = html`<a class="button main" href="${url}">${say('back', { company })}</a>`
  const { title, body, onward } = isOver
    ? overTime(reader, model)
    : progressSection(reader, latest, company, catalogue)
  return {
    title,
    waits: true,
    ...(onward !== undefined && { onward }),
    body: html`<section class="card"><div class="centre">${body}</div>
${isOver ? undefined : timeLeft(reader, model)}
${attemptList(reader, parts, company, catalogue)}
${isOver ? html`<p>${back}</p>` : undefined}
</section>`,
    aside: phoneLink(reader, phone)
  }
}

function overTime (reader: Reader, { visit: { account, parts }, catalogue }: CheckoutModel): Part {
  const { say } = reader
  const title = say('overTimeTitle')
  const words = wordsOf(reader, parts.at(-1)!, companyName(account), catalogue)
  return {
    title,
    body: html`${heading(title, 'still')}<p>${say('overTimeText', words)}</p>`
  }
}

const endings: Partial<
  Record<
    Status,
    {
      title: 'completedTitle' | 'failedTitle' | 'checkoutExpiredTitle' | 'cancelledTitle'
      text: 'completedText' | 'failedText' | 'checkoutExpiredText' | 'cancelledText'
      sign: 'good' | 'bad' | 'still'
    }
  >
> = {
  COMPLETED: { title: 'completedTitle', text: 'completedText', sign: 'good' },
  EXPIRED: { title: 'checkoutExpiredTitle', text: 'checkoutExpiredText', sign: 'still' },
  CANCELLED: { title: 'cancelledTitle', text: 'cancelledText', sign: 'still' }
}

/** Line that counts the seconds until the customer returns. The script changes it. */
function countdown ({ say }: Reader, company: string, after: number): Html {
  const texts = Array.from({ length: after + 1 }, (_, seconds) =>
    say('returningIn', { company, seconds })
  )
  const text = after === 0 ? say('returning', { company }) : texts[after]
  return html`<p class="small" data-countdown="${JSON.stringify(texts)}">${text}</p>`
}

function outcomePage (
  reader: Reader,
  { visit: { account, payment, state, parts }, catalogue, phone }: CheckoutModel
): Part {
  const { say } = reader
  const { terms, checkoutCode } = payment.details
  const company = companyName(account)
  const { title, text, sign } = endings[state.to] ?? {
    title: 'failedTitle',
    text: 'failedText',
    sign: 'bad'
  }
  const latest = parts.at(-1)
  const words = latest === undefined ? { company } : wordsOf(reader, latest, company, catalogue)
  const url = returnUrlOf(terms.returnUrl, 'checkoutCode', checkoutCode)
  const after = returnSeconds[terms.returnMethod]
  return {
    title: say(title),
    ...(after !== undefined && { onward: { url, after } }),
    body: html`<section class="card"><div class="centre">
${heading(say(title), sign)}
<p>${say(text, words)}</p>
<p><a class="button main" href="${url}">${say('back', { company })}</a></p>
${after === undefined ? undefined : countdown(reader, company, after)}
</div>
${attemptList(reader, parts, company, catalogue)}
</section>`,
    aside: phoneLink(reader, phone)
  }
}
