import { html, type Html } from '../../../src/lib/html.ts'

/** Page of a call that is not answered yet. It asks again every second. */
export function waitingHtml (): Html {
  return html`<p role="status" data-every-second>All payments of the account are being read. The
result appears here when it is ready. Without JavaScript, reload the page.</p>`
}

/** Error of an admin call, on a page. */
export function problemHtml ({ message, hint }: { message: string; hint: string }): Html {
  return html`<p class="problem">${message}.</p><p>${hint}.</p>`
}
