import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import type { JournalEntry } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatTime } from './parts.ts'

/** One event in the life of a payment. */
export interface TimelineEvent {
  at: string
  lane: 'request' | 'state' | 'callback'
  title: string
  detail: string
  isProblem: boolean
}

const rowHeight = 44
const laneX = { request: 190, state: 214, callback: 238 } as const

/** Lists requests, state changes and callback attempts of a payment, in the order of time. */
export function listEvents (
  { history, callbacks }: Static<typeof PaymentView>,
  requests: Array<Static<typeof JournalEntry>>
): TimelineEvent[] {
  const events: TimelineEvent[] = [
    ...requests.map(({ at, request, response }) => ({
      at,
      lane: 'request' as const,
      title: `${request.method} ${request.path} ${response.status}`,
      detail: response.fault === undefined ? '' : `fault: ${response.fault}`,
      isProblem: response.status >= 400
    })),
    ...history.map(({ at, status, cause, failureReason }) => ({
      at,
      lane: 'state' as const,
      title: status,
      detail: failureReason === undefined ? cause : `${cause}: ${failureReason.failureCode}`,
      isProblem: status === 'FAILED'
    })),
    ...callbacks.flatMap(({ id, attempts }) =>
      attempts.map(({ at, status, error, durationMs }) => ({
        at,
        lane: 'callback' as const,
        title: `callback ${id}: ${status ?? 'no answer'}`,
        detail: `${error ?? `answered in ${Math.round(durationMs)} ms`}`,
        isProblem: status === undefined || status >= 300
      }))
    )
  ]
  return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** Draws the events of a payment as one picture. */
export function timelineSvg (events: TimelineEvent[]): Html {
  const height = events.length * rowHeight + 20
  const label = `Timeline of ${events.length} events`
  return html`<svg class="timeline" viewBox="0 0 860 ${height}" width="860" height="${height}"
role="img" aria-label="${label}">
<line x1="${laneX.state}" y1="24" x2="${laneX.state}" y2="${height - 20}" class="axis"></line>
${events.map((event, n) => drawEvent(event, 24 + n * rowHeight))}
</svg>`
}

function drawEvent ({ at, lane, title, detail, isProblem }: TimelineEvent, y: number): Html {
  return html`<g class="lane-${lane} ${isProblem ? 'bad' : ''}">
<text x="0" y="${y + 4}" class="time">${formatTime(at)}</text>
<circle cx="${laneX[lane]}" cy="${y}" r="6"></circle>
<text x="262" y="${y}" class="title">${title}</text>
<text x="262" y="${y + 17}" class="detail">${shorten(detail)}</text>
</g>`
}

/** Shortens a text to the width of the picture. */
function shorten (text: string): string {
  return text.length > 92 ? `${text.slice(0, 91)}…` : text
}
