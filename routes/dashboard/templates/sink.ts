import type { Static } from '@sinclair/typebox'
import type { SinkView } from '../../../src/admin-api/sinks.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, disclosure, emptyNote, formatTime, messageBlock } from './parts.ts'

type Sink = Static<typeof SinkView>
type Received = Sink['callbacks'][number]

/** Callbacks that the page shows; the admin call has all that are kept. */
const mostShown = 100

const emptyText =
  'No callbacks yet. Set the URL of this sink as a callback URL, and create a payment.'

/** Callbacks that a sink has received, newest first, and its next answers. */
export function sinkHtml (visit: Visit, name: string, sink: Sink): Html {
  const { received, callbacks } = sink
  const older = callbacks.length - mostShown
  return html`<p>A sink receives callbacks inside the mock. Its URL is <code>${sink.url}</code>.</p>
<div class="actions">
${actionForm(visit, 'order-sink', { name }, 'Set the next answers', {
  controls: html`<label>Statuses, such as 500 500 200 <input name="answers" required
pattern="[2-5][0-9]{2}([ ,]+[2-5][0-9]{2})*"></label> `
})}
${actionForm(visit, 'empty-sink', { name }, 'Empty the sink')}
</div>
<div id="received">
<p>${answersText(sink)}</p>
<h2>Received: ${received}</h2>
${callbacks.length === 0 ? emptyNote(emptyText) : undefined}
${callbacks.slice(-mostShown).toReversed().map(receivedHtml)}
${older > 0 ? emptyNote(`${older} older ones are in the JSON version of this page.`) : undefined}
</div>`
}

function answersText ({ answers, then }: Sink): string {
  const next = answers.map(({ status }) => status).join(', ')
  return next === ''
    ? `Every callback is answered with ${then.status}.`
    : `The next callbacks are answered with ${next}, and those after them with ${then.status}.`
}

function receivedHtml ({ n, at, headers, body, answered, signature }: Received): Html {
  const { valid, because } = signature
  return disclosure(
    `received-${n}`,
    html`${badge(answered, answered < 300 ? 'OK' : 'FAILED')} <code>${n}</code>
${badge(valid ? 'signature valid' : 'signature not valid', valid ? 'OK' : 'FAILED')}
<span class="when">${formatTime(at)}</span>`,
    html`<p>${because}</p>
${messageBlock(headers, body)}`
  )
}
