import type { Static } from '@sinclair/typebox'
import type { SinkView } from '../../../src/admin-api/sinks.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, disclosure, emptyNote, formatTime, messageBlock } from './parts.ts'

type Sink = Static<typeof SinkView>
type Received = Sink['callbacks'][number]

/** Callbacks that a sink has received, newest first, and its next answers. */
export function sinkHtml (visit: Visit, name: string, sink: Sink): Html {
  const { received, callbacks } = sink
  return html`<p>A sink receives callbacks inside the mock. Its URL is <code>${sink.url}</code>.</p>
<div class="actions">
${actionForm(
  visit,
  'order-sink',
  { name },
  'Set the next answers',
  html`<label>Statuses, such as 500 500 200 <input name="answers" required
pattern="[2-5][0-9]{2}([ ,]+[2-5][0-9]{2})*"></label> `
)}
${actionForm(visit, 'empty-sink', { name }, 'Empty the sink')}
</div>
<div id="received" data-live>
<p>${answersText(sink)}</p>
<h2>Received: ${received}</h2>
${callbacks.length === 0 ? emptyNote('This sink has received no callbacks.') : undefined}
${callbacks.toReversed().map(receivedHtml)}
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
<span class="soft">${formatTime(at)}</span>`,
    html`<p>${because}</p>
${messageBlock(headers, body)}`
  )
}
