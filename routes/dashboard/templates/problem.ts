import { html, type Html } from '../../../src/lib/html.ts'

/** Error of an admin call, on a page. */
export function problemHtml ({ message, hint }: { message: string; hint: string }): Html {
  return html`<p class="problem">${message}.</p>${hint === '' ? undefined : html`<p>${hint}.</p>`}`
}

/** Text in place of something that does not exist yet: how to get it. */
export function emptyHtml ({ message, hint }: { message: string; hint: string }): Html {
  return html`<section class="panel first"><p>${message}: ${hint}.</p></section>`
}
