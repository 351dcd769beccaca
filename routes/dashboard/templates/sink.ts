import type { Static } from '@sinclair/typebox'
import type { SinkView } from '../../../src/admin-api/sinks.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { badge, disclosure, emptyNote, formatTime, messageBlock } from './parts.ts'

type Received = Static<typeof SinkView>['callbacks'][number]

/** Callbacks that a sink has received, newest first. */
export function sinkHtml ({ received, callbacks }: Static<typeof SinkView>): Html {
  if (callbacks.length === 0) return emptyNote('This sink has received no callbacks.')
  return html`<p>${received} received.</p>
${callbacks.toReversed().map(receivedHtml)}`
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
