import type { Static } from '@sinclair/typebox'
import type { CallbackPage, CallbackView } from '../../../src/admin-api/callbacks.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import {
  badge,
  codeBlock,
  disclosure,
  emptyNote,
  formatTime,
  messageBlock,
  pageLink,
  writeJson
} from './parts.ts'

type Callback = Static<typeof CallbackView>
type Attempt = Callback['attempts'][number]

/** List of callbacks, newest first. */
export function callbacksHtml (
  visit: Visit,
  { callbacks, next }: Static<typeof CallbackPage>
): Html {
  if (callbacks.length === 0) {
    return emptyNote(
      'No callbacks. They need a URL: start the server with --callback-url, or send PATCH ' +
        '/__admin/account.'
    )
  }
  const older =
    next === undefined ? undefined : linkTo(visit, '/callbacks', { after: String(next) })
  return html`${callbacks.map((callback) => callbackHtml(visit, callback))}
${pageLink(older, 'Older callbacks')}`
}

/** One callback with its attempts. */
export function callbackHtml (visit: Visit, callback: Callback): Html {
  const { id, kind, paymentId = '', url, state, created, tries, attempts, nextAttempt } = callback
  const count = tries === 1 ? '1 attempt' : `${tries} attempts`
  return disclosure(
    `callback-${id}`,
    html`${badge(state)} <code>${id}</code> ${kind} <code>${paymentId.slice(0, 8)}</code> → ${url}
<span class="soft">${formatTime(created)}, ${count}</span>`,
    html`${adviceNote(attempts.at(-1))}
${nextAttempt === undefined ? undefined : html`<p>Next attempt: ${formatTime(nextAttempt)}</p>`}
${sinkLink(visit, url)}
${actionForm(visit, 'resend-callback', { callback: String(id) }, 'Send again')}
<h3>Body</h3>
${codeBlock(writeJson(callback.body))}
${attempts.map((attempt, n) => attemptHtml(attempt, n + 1))}`
  )
}

function attemptHtml (attempt: Attempt, n: number): Html {
  const { at, durationMs, request, status, error, response } = attempt
  return html`<h3>Attempt ${n}: ${status ?? error}
<span class="soft">${formatTime(at)}, ${Math.round(durationMs)} ms</span></h3>
${messageBlock(request.headers, request.body)}
${response && messageBlock(response.headers, response.body, status)}`
}

/** Link to the sink that receives a callback. */
function sinkLink (visit: Visit, url: string): Html | undefined {
  const [, name] = /\/__admin\/sink\/([\w.-]{1,64})$/.exec(url) ?? []
  if (name === undefined) return undefined
  return html`<p><a href="${linkTo(visit, `/sinks/${name}`)}">Sink ${name}</a></p>`
}

function adviceNote (attempt: Attempt | undefined): Html | undefined {
  const advice = attempt === undefined ? undefined : adviceFor(attempt)
  return advice === undefined ? undefined : html`<p class="problem">${advice}</p>`
}

/** Advice about an attempt that was not acknowledged. */
function adviceFor ({ status, error }: Attempt): string | undefined {
  if (status === undefined) {
    return (
      `The receiver did not answer: ${error}. Check that it runs, and that this server can reach ` +
      'its URL. From a container, the host is host.docker.internal.'
    )
  }
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) {
    return 'The receiver redirects. Redirects are not followed: set the final URL.'
  }
  if (status === 404) return 'The receiver has no such path: check the path of the callback URL.'
  if (status === 401 || status === 403) {
    return 'The receiver refuses the callback: check how it authenticates and verifies callbacks.'
  }
  return `The receiver answered ${status}: read its log. Only 2xx acknowledges a callback.`
}
