import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { isFinal } from '../../../src/domain/status.ts'
import type { View } from '../../../src/wire/wire.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { heading, layout, type Page, type Reader } from './layout.ts'
import { failureText, noteOf, phoneLink, wordsOf } from './progress.ts'

/** Content of the page on which a redirecting provider asks its customer. */
export interface AuthorisationModel {
  view: View
  code: string
  company: string
  mark: string
  catalogue: Catalogue
  phone: { number: string; url: string }
}

/** Seconds that the outcome is shown before the customer returns to the merchant. */
const returnSeconds = 1

/** The provider's own page: approve or decline, and then back to the merchant. */
export function authorisationHtml (reader: Reader, model: AuthorisationModel): Html {
  const { view, mark, code, phone } = model
  return layout(reader, {
    path: `/authorise/${code}`,
    owner: wordsOf(reader, view, model.company, model.catalogue).provider,
    state: view.state.to,
    mark,
    follow: `/authorise/${code}/events`,
    aside: phoneLink(reader, phone),
    ...(isFinal(view.state.to) ? decided(reader, model) : undecided(reader, model))
  })
}

function undecided (
  reader: Reader,
  { view, code, company, catalogue }: AuthorisationModel
): Pick<Page, 'title' | 'body'> {
  const { say } = reader
  const { details } = view.payment
  const title = say('authoriseTitle')
  const words = wordsOf(reader, view, company, catalogue)
  const note = noteOf(view, company)
  return {
    title,
    body: html`<section class="card">
<img class="brand" src="/static/logos/${details.provider.toLowerCase()}.svg" alt="" width="120"
  height="32">
<h1>${title}</h1>
<p class="price">${words.amount}</p>
<p>${say('authoriseText', words)}</p>
${note === undefined ? undefined : html`<p class="reason">${note}</p>`}
<form class="decision" method="post" action="/authorise/${code}">
<button class="main" name="decision" value="approve">${say('approve')}</button>
<button name="decision" value="decline">${say('decline')}</button>
</form>
</section>`
  }
}

function decided (
  reader: Reader,
  { view, company, catalogue }: AuthorisationModel
): Pick<Page, 'title' | 'body' | 'onward'> {
  const { say } = reader
  const {
    payment: {
      details: { successfulUrl, failedUrl }
    },
    state
  } = view
  const good = state.to === 'COMPLETED'
  const title = say(good ? 'approvedTitle' : 'declinedTitle')
  const text = good
    ? say('completedText', wordsOf(reader, view, company, catalogue))
    : failureText(reader, state.failure)
  const url = good ? successfulUrl : failedUrl
  const link = html`<a class="button main" href="${url}">${say('back', { company })}</a>`
  const back = url === undefined ? undefined : html`<p>${link}</p>`
  return {
    title,
    ...(url !== undefined && { onward: { url, after: returnSeconds } }),
    body: html`<section class="card centre">
${heading(title, good ? 'good' : 'bad')}
<p>${text}</p>
${back}
</section>`
  }
}
