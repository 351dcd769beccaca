import { customerText } from '../../../src/domain/customer-texts.ts'
import { defaultCustomerMessage } from '../../../src/domain/account.ts'
import type { Catalogue, Provider } from '../../../src/domain/catalogue.ts'
import { limitsOf } from '../../../src/domain/catalogue.ts'
import { promptInstructions } from '../../../src/domain/prompt-instructions.ts'
import type { FailureReason } from '../../../src/domain/status.ts'
import type { View } from '../../../src/wire/wire.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney } from './format.ts'
import { heading, type Page, type Reader, type Voice } from './layout.ts'
import { isText } from './texts.ts'

/** Progress of a deposit, as its customer sees it. */

/** Seconds that a customer sees the target of a redirect before it happens. */
const forwardSeconds = 1

/** The words that most texts about a deposit need. */
export function wordsOf (
  { language }: Voice,
  { payment: { details } }: View,
  company: string,
  { providers }: Catalogue
): Record<'amount' | 'phone' | 'provider' | 'company', string> {
  const { amount, currency, phoneNumber, provider } = details
  return {
    amount: formatMoney(amount, currency, language),
    phone: phoneNumber,
    provider: providers.get(provider)?.displayName ?? provider,
    company
  }
}

/** Description that the merchant gave the payment, unless it is only the merchant's name. */
export function noteOf (
  {
    payment: {
      details: { customerMessage }
    }
  }: View,
  company: string
): string | undefined {
  return customerMessage === company ||
    customerMessage === defaultCustomerMessage({ name: '', companyName: company })
    ? undefined
    : customerMessage
}

/** Page of a deposit in progress: the next step of its customer. */
export function progressSection (
  reader: Reader,
  view: View,
  company: string,
  catalogue: Catalogue
): Pick<Page, 'title' | 'body' | 'onward'> {
  const { say } = reader
  const {
    payment: { details },
    state: { to }
  } = view
  const words = wordsOf(reader, view, company, catalogue)
  const url =
    details.authorizationUrl === undefined
      ? undefined
      : `${details.authorizationUrl}?lang=${reader.language}`
  if (to === 'PROCESSING' && url !== undefined) {
    const title = say('goTitle', words)
    return {
      title,
      onward: { url, after: forwardSeconds },
      body: html`${heading(title, 'wait')}
<p>${say('goText', words)}</p>
<p><a class="button main" href="${url}">${say('goButton', words)}</a></p>`
    }
  }
  const stage = to === 'IN_RECONCILIATION' ? 'checking' : to === 'PROCESSING' ? 'wait' : 'sending'
  const title = say(`${stage}Title`)
  const provider = catalogue.providers.get(details.provider)
  return {
    title,
    body: html`${heading(title, 'wait')}
<p>${say(`${stage}Text`, words)}</p>
${stage === 'wait' ? promptSteps(reader, provider, details.currency) : undefined}`
  }
}

/** Steps to open the prompt by hand, where the provider does not send it or can send it again. */
function promptSteps (
  { say, language }: Reader,
  provider: Provider | undefined,
  currency: string
): Html | undefined {
  const {
    channels = [],
    pinPrompt,
    pinPromptRevivable
  } = (provider && limitsOf(provider, currency, 'DEPOSIT')) ?? {}
  const [channel] =
    pinPrompt === 'MANUAL' || pinPromptRevivable === true
      ? promptInstructions(channels, currency)
      : []
  if (channel === undefined) return undefined
  return html`<div class="steps"><p>${say('waitManual')}</p>
<ol>
${channel.instructions[language].map(({ text }) => html`<li>${text}</li>`)}
</ol></div>`
}

/** Why a payment failed, in the customer's words. */
export function failureText ({ language }: Voice, failure: FailureReason | undefined): string {
  return customerText(failure?.failureCode ?? '')[language]
}

/** The attempts of a checkout, oldest first, each with how it went. */
export function attemptList (
  reader: Reader,
  attempts: View[],
  company: string,
  catalogue: Catalogue
): Html | undefined {
  const { say } = reader
  if (attempts.length === 0) return undefined
  const items = attempts.map((attempt) => {
    const { to, failure } = attempt.state
    const line = say('attemptLine', wordsOf(reader, attempt, company, catalogue))
    const why = failure && html`<br><span class="small">${failureText(reader, failure)}</span>`
    return html`<li data-state="${to}">
<span class="state">${stateText(reader, attempt)}</span> ${line}${why}</li>`
  })
  return html`<section class="attempts" aria-labelledby="attempts">
<h2 id="attempts">${say('attempts')}</h2>
<ol>
${items}
</ol>
</section>`
}

function stateText ({ say }: Reader, { state: { to } }: View): string {
  const name = `state.${to}`
  return isText(name) ? say(name) : to
}

/** Link to the phone that gets the prompt. */
export function phoneLink (
  { say, language }: Voice,
  phone: { number: string; url: string } | undefined
): Html | undefined {
  return (
    phone &&
    html`<p><a href="${phone.url}&lang=${language}" target="_blank"
  rel="noopener">${say('openPhone', { phone: phone.number })}</a></p>`
  )
}
