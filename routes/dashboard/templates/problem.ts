import { html, type Html } from '../../../src/lib/html.ts'

/** Error of an admin call, on a page. */
export function problemHtml ({ error }: { error: { message: string; hint: string } }): Html {
  return html`<p class="problem">${error.message}.</p><p>${error.hint}.</p>`
}
