import type { Catalogue } from '../../../src/domain/catalogue.ts'
import type { PhoneScreen } from '../../../src/services/customer-phone.ts'
import type { View } from '../../../src/wire/wire.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatDate } from './format.ts'
import { layout, type Reader, type Voice } from './layout.ts'
import { failureText, noteOf, wordsOf } from './progress.ts'

/** Content of a customer's phone. */
export interface PhoneModel {
  number: string
  screen: PhoneScreen
  company: string
  mark: string
  catalogue: Catalogue
  /** The path of the page, and the query that lets its reader in. */
  path: string
  query: string
  /** False if only the payments of one subject are shown. */
  whole: boolean
}

/** Page of a customer's phone: prompts that wait for a PIN, and received messages. */
export function phoneHtml (reader: Reader, model: PhoneModel): Html {
  const { say } = reader
  const {
    number,
    screen: { prompts, messages },
    mark,
    path,
    query,
    whole
  } = model
  const title = say('phoneTitle', { phone: number })
  const items = messages.map((view) => message(reader, model, view))
  return layout(reader, {
    title,
    path,
    owner: `+${number}`,
    state: prompts.length > 0 ? 'PROMPT' : 'IDLE',
    mark,
    follow: `${path}/events${query}`,
    look: 'phone',
    ...(!whole && { aside: html`<p class="small">${say('phoneAbout')}</p>` }),
    body: html`<section class="handset">
<h1 class="unseen">${title}</h1>
<section class="prompts" aria-labelledby="prompts">
<h2 id="prompts">${say('prompts')}</h2>
${prompts.length === 0 ? html`<p class="empty">${say('noPrompts')}</p>` : undefined}
${prompts.map((view) => prompt(reader, model, view))}
</section>
<section class="messages" aria-labelledby="messages">
<h2 id="messages">${say('messages')}</h2>
${items.length === 0 ? html`<p class="empty">${say('noMessages')}</p>` : html`<ol>${items}</ol>`}
</section>
</section>`
  })
}

function prompt (reader: Reader, model: PhoneModel, view: View): Html {
  const { path, query, company, catalogue } = model
  const { say } = reader
  const note = noteOf(view, company)
  const words = wordsOf(reader, view, company, catalogue)
  const action = `${path}/deposits/${view.payment.details.id}${query}`
  return html`<form class="prompt" method="post" action="${action}">
<p class="from">${words.provider}</p>
<p class="ask">${say('promptText', words)}</p>
${note === undefined ? undefined : html`<p class="small">${note}</p>`}
<div class="decision">
<button class="main" name="decision" value="approve">${say('approve')}</button>
<button name="decision" value="decline">${say('decline')}</button>
<button name="decision" value="ignore">${say('ignore')}</button>
</div>
</form>`
}

function message (reader: Reader, { company, catalogue }: PhoneModel, view: View): Html {
  const { language } = reader
  const { provider } = wordsOf(reader, view, company, catalogue)
  const { at, to } = view.state
  const time = new Date(at).toISOString()
  return html`<li data-state="${to}">
<p class="from">${provider} <time datetime="${time}">${formatDate(at, language)}</time></p>
<p>${messageText(reader, view, company, catalogue)}</p></li>`
}

/** The text message a customer gets when a payment has ended. */
export function messageText (
  reader: Voice,
  view: View,
  company: string,
  catalogue: Catalogue
): string {
  const {
    payment: { kind, plan },
    state
  } = view
  const note = noteOf(view, company)
  const words = {
    ...wordsOf(reader, view, company, catalogue),
    message: note === undefined ? '' : `${note}. `,
    transaction: plan.providerTransactionId,
    why: failureText(reader, state.failure)
  }
  return reader.say(
    kind.money === 'out'
      ? 'receivedMessage'
      : state.to === 'COMPLETED'
        ? 'paidMessage'
        : 'failedMessage',
    words
  )
}
