import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import type { JournalEntry } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatTime } from './parts.ts'

type Payment = Static<typeof PaymentView>
type Request = Static<typeof JournalEntry>

/** Lanes of the timeline with their texts, from left to right. */
const lanes = {
  request: 'request',
  state: 'status',
  phone: 'customer',
  callback: 'callback'
} as const

/** One event in the life of a payment. */
export interface TimelineEvent {
  at: string
  lane: keyof typeof lanes
  title: string
  /** Cause of the event, in words. */
  cause: string
  isProblem: boolean
  /** Part of the page with the details. */
  link?: string
}

/**
 * Lists the requests, state changes, phone actions and callback attempts of a payment, in the order
 * of time.
 */
export function listEvents (payment: Payment, requests: readonly Request[]): TimelineEvent[] {
  const events = [
    ...requests.map(requestEvent),
    ...payment.history.map((change) => stateEvent(payment, change)),
    ...payment.callbacks.flatMap(callbackEvents)
  ]
  // The sort is stable: events of the same time stay in the order of their causes.
  return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function requestEvent ({ id, at, request, response, durationMs }: Request): TimelineEvent {
  const fault = response.fault === undefined ? '' : `, with the fault ${response.fault}`
  return {
    at,
    lane: 'request',
    title: `${request.method} ${request.path}`,
    cause: `the merchant got ${response.status} in ${durationMs} ms${fault}`,
    isProblem: response.status >= 400,
    link: `request-${id}`
  }
}

function stateEvent (payment: Payment, change: Payment['history'][number]): TimelineEvent {
  const { at, status, by, failureReason } = change
  return {
    at,
    lane: by === 'customer' ? 'phone' : 'state',
    title: status,
    cause: describeCause(payment, change),
    isProblem: failureReason !== undefined || status === 'PAYOUT_FAILED'
  }
}

/** Describes why a payment changed its status. */
export function describeCause (
  { why, scenario }: Pick<Payment, 'why' | 'scenario'>,
  { by, cause, failureReason }: Payment['history'][number]
): string {
  const reason = by === 'plan' ? `${why} (scenario ${scenario})` : (causeTexts[cause] ?? cause)
  return failureReason === undefined
    ? reason
    : `${by === 'plan' ? why : reason}: ${failureReason.failureCode}`
}

/** Causes that are not a sentence by themselves. */
const causeTexts: Partial<Record<string, string>> = {
  accepted: 'the request of the merchant was accepted',
  'split payment': 'it follows its split payment'
}

function callbackEvents ({
  id,
  url,
  attempts,
  faults
}: Payment['callbacks'][number]): TimelineEvent[] {
  const names = Object.keys(faults ?? {}).map((name) => (name === 'staleMs' ? 'stale' : name))
  const note = names.length === 0 ? '' : ` (${names.join(', ')})`
  return attempts.map(({ at, status, error, durationMs }, n) => ({
    at,
    lane: 'callback',
    title: `Callback ${id}, attempt ${n + 1}: ${status ?? 'no answer'}`,
    cause:
      status === undefined
        ? `${url}: ${error}`
        : `${url} answered in ${Math.round(durationMs)} ms${note}`,
    isProblem: status === undefined || status >= 300,
    link: `callback-${id}`
  }))
}

/** The events of a payment in four lanes. The style sheet draws the lanes. */
export function timelineHtml (events: readonly TimelineEvent[]): Html {
  const [first] = events
  return html`<p class="lanes" aria-hidden="true">${Object.entries(lanes).map(
    ([lane, text]) => html`<span class="lane-${lane}">${text}</span> `
  )}</p>
<ol class="timeline" aria-label="Timeline of ${events.length} events">
${events.map((event) => eventHtml(event, Date.parse(event.at) - Date.parse(first.at)))}
</ol>`
}

function eventHtml ({ at, lane, title, cause, isProblem, link }: TimelineEvent, ms: number): Html {
  const time = formatTime(at)
  const name = html`<span class="unseen">${lanes[lane]}: </span>${title}`
  return html`<li class="lane-${lane}${isProblem ? ' bad' : ''}">
<time datetime="${at}" title="${time}">${time.slice(11, -1)}
<small>${writeDistance(ms)}</small></time>
<div>${link === undefined ? html`<strong>${name}</strong>` : html`<a href="#${link}">${name}</a>`}
<p>${cause}</p></div></li>
`
}

/** Time since the first event. */
function writeDistance (ms: number): string {
  if (ms === 0) return ''
  if (ms < 1000) return `+${ms} ms`
  return ms < 100_000 ? `+${Number((ms / 1000).toFixed(2))} s` : `+${Math.round(ms / 60_000)} min`
}
