import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import type { JournalEntry } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatTime } from './parts.ts'

type Payment = Static<typeof PaymentView>
type Request = Static<typeof JournalEntry>

/** Lanes of the picture with their texts, from left to right. */
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

/** Measures of a picture, in pixels, and the letters of its lines. */
interface Measures {
  laneStart: number
  laneWidth: number
  /** Distance of the names of the lanes. */
  nameWidth: number
  titleLetters: number
  letters: number
}

/** The picture is drawn twice; the style sheet shows the one that fits the screen. */
const sizes: Record<'wide' | 'narrow', Measures> = {
  wide: { laneStart: 100, laneWidth: 22, nameWidth: 92, titleLetters: 88, letters: 100 },
  narrow: { laneStart: 96, laneWidth: 12, nameWidth: 80, titleLetters: 26, letters: 30 }
}
const headHeight = 34
const lineHeight = 17
const letterWidth = 6.6

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

/** Draws the events of a payment as one picture, for wide and for narrow screens. */
export function timelineSvg (events: readonly TimelineEvent[]): Html {
  return html`${drawTimeline(events, 'wide')}
${drawTimeline(events, 'narrow')}`
}

function drawTimeline (events: readonly TimelineEvent[], size: keyof typeof sizes): Html {
  const measures = sizes[size]
  const drawn: Html[] = []
  const [first] = events
  let y = headHeight
  for (const event of events) {
    const lines = {
      title: wrapWords(event.title, measures.titleLetters),
      cause: wrapWords(event.cause, measures.letters)
    }
    const afterMs = Date.parse(event.at) - Date.parse(first.at)
    drawn.push(drawEvent(event, measures, lines, afterMs, y))
    y += lineHeight * Math.max(2, lines.title.length + lines.cause.length) + 12
  }
  const width = Math.ceil(textStart(measures) + measures.letters * letterWidth)
  return html`<svg class="timeline ${size}" viewBox="0 0 ${width} ${y}" width="${width}"
height="${y}" role="group" aria-label="Timeline of ${events.length} events">
${Object.entries(lanes).map(([lane, text], n) => drawLane(lane, measures, text, n, y))}
${drawn}
</svg>`
}

/** Left edge of the texts, beside the lanes. */
function textStart ({ laneStart, laneWidth }: Measures): number {
  return laneStart + laneWidth * Object.keys(lanes).length
}

function drawLane (
  lane: string,
  { laneStart, laneWidth, nameWidth }: Measures,
  text: string,
  n: number,
  height: number
): Html {
  const x = laneStart + n * laneWidth
  const labelX = 8 + n * nameWidth
  return html`<g class="lane-${lane}">
<line x1="${x}" y1="${headHeight - 6}" x2="${x}" y2="${height - 8}" class="axis"></line>
${drawShape(lane, labelX, 10)}<text x="${labelX + 12}" y="14" class="detail">${text}</text>
</g>`
}

function drawEvent (
  { at, lane, isProblem, link }: TimelineEvent,
  measures: Measures,
  { title, cause }: Record<'title' | 'cause', readonly string[]>,
  afterMs: number,
  y: number
): Html {
  const x = measures.laneStart + Object.keys(lanes).indexOf(lane) * measures.laneWidth
  const left = textStart(measures)
  const text = drawLines(title, 'title', left, y + 12)
  return html`<g class="lane-${lane} ${isProblem ? 'bad' : ''}">
${drawShape(lane, x, y + 8)}
${link === undefined ? html`${text}` : html`<a href="#${link}">${text}</a>`}
<text x="0" y="${y + 12}" class="time">${formatTime(at).slice(11)}</text>
<text x="0" y="${y + 12 + lineHeight}" class="time">${writeDistance(afterMs)}</text>
${drawLines(cause, 'detail', left, y + 12 + lineHeight * title.length)}
</g>`
}

function drawLines (lines: readonly string[], look: string, x: number, y: number): Html[] {
  return lines.map(
    (line, n) => html`<text x="${x}" y="${y + lineHeight * n}" class="${look}">${line}</text>`
  )
}

/** Shape of a lane: lanes differ in more than their colour. */
function drawShape (lane: string, x: number, y: number): Html {
  if (lane === 'request') {
    return html`<rect x="${x - 5}" y="${y - 5}" width="10" height="10"></rect>`
  }
  if (lane === 'callback') {
    return html`<path d="M${x} ${y - 7}l7 7-7 7-7-7z"></path>`
  }
  return lane === 'phone'
    ? html`<rect x="${x - 4}" y="${y - 7}" width="8" height="14" rx="2"></rect>`
    : html`<circle cx="${x}" cy="${y}" r="6"></circle>`
}

/** Time since the first event. */
function writeDistance (ms: number): string {
  if (ms === 0) return ''
  if (ms < 1000) return `+${ms} ms`
  return ms < 100_000 ? `+${Number((ms / 1000).toFixed(2))} s` : `+${Math.round(ms / 60_000)} min`
}

/** Splits a text into lines between words, and inside of words that are longer than a line. */
function wrapWords (text: string, letters: number): string[] {
  const parts = text
    .split(' ')
    .flatMap((word) => word.match(new RegExp(`.{1,${letters}}`, 'gsu')) ?? [])
  const lines: string[] = []
  for (const part of parts) {
    const longer = `${lines.at(-1)} ${part}`
    if (lines.length > 0 && longer.length <= letters) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}
