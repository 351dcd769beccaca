import { html, type Html } from '../../../src/lib/html.ts'

/** Error of an admin call, on a page. */
export function problemHtml ({ message, hint }: { message: string; hint: string }): Html {
  return html`<p class="problem">${message}.</p><p>${hint}.</p>`
}
