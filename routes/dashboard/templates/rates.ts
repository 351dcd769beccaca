import type { Static } from '@sinclair/typebox'
import type { RatesAnswer } from '../../../src/admin-api/rates.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { emptyNote, table, type Cell } from './parts.ts'

type Sample = Static<typeof RatesAnswer>['samples'][number]

const lines = [
  { field: 'requests', label: 'Requests' },
  { field: 'payments', label: 'Payments' },
  { field: 'callbacks', label: 'Callbacks' }
] as const

/** Size of the plot, and the space of its labels. */
const width = 860
const height = 260
const left = 52
const bottom = 24
/** Seconds that the plot shows. */
const shownSamples = 120

/** Plot of the rates of the server. It works for every load generator. */
export function ratesHtml ({ samples }: Static<typeof RatesAnswer>): Html {
  const last = samples.at(-1)
  return html`<p>Requests to the API, accepted payments and callback attempts per second, of the
whole server. The server counts them, so every load generator works: <code>momock load</code>,
autocannon, or your own tests.</p>
${last === undefined ? emptyNote('Measuring: the first second is not over yet.') : undefined}
<div class="compact">${table(
    ['Rate', ['Now', 'number'], ['Highest', 'number'], ['Average', 'number']],
    lines.map(({ field, label }) => summaryRow(field, label, samples))
  )}</div>
<div class="scroll" tabindex="0" role="region" aria-label="Plot" data-every-second>
${plot(samples)}
</div>`
}

function summaryRow (
  field: (typeof lines)[number]['field'],
  label: string,
  samples: Sample[]
): Cell[] {
  const values = samples.map((sample) => sample[field])
  const sum = values.reduce((total, value) => total + value, 0)
  return [
    html`<svg class="key" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
<rect class="rate-${field}" width="12" height="12" rx="3"></rect></svg> ${label} per second`,
    values.at(-1) ?? 0,
    Math.max(0, ...values),
    Math.round((sum * 10) / Math.max(1, values.length)) / 10
  ]
}

function plot (samples: Sample[]): Html {
  const shown = samples.slice(-shownSamples)
  const highest = Math.max(1, ...shown.flatMap((sample) => lines.map(({ field }) => sample[field])))
  const top = niceCeiling(highest)
  const x = (n: number): number =>
    left + ((shownSamples - shown.length + n) / (shownSamples - 1)) * (width - left)
  const y = (value: number): number => 8 + (1 - value / top) * (height - bottom - 8)
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
role="img" aria-label="Rates of the last ${shown.length} seconds, at most ${top} per second">
${[0, 0.5, 1].map((part) => gridLine(y(part * top), part * top))}
${lines.map(({ field }) => line(field, shown, x, y))}
<text x="${left}" y="${height - 6}">2 minutes ago</text>
<text x="${width}" y="${height - 6}" text-anchor="end">now</text>
</svg>`
}

/** The space for a number is the same on all screens, and its letters are not. */
const shortNumber = { notation: 'compact' } as const

function gridLine (y: number, value: number): Html {
  return html`<line class="axis" x1="${left}" y1="${y}" x2="${width}" y2="${y}"></line>
<text x="${left - 8}" y="${y + 4}" text-anchor="end">${value.toLocaleString(
    'en',
    shortNumber
  )}</text>`
}

function line (
  field: (typeof lines)[number]['field'],
  samples: Sample[],
  x: (n: number) => number,
  y: (value: number) => number
): Html {
  const points = samples.map((sample, n) => `${x(n).toFixed(1)},${y(sample[field]).toFixed(1)}`)
  return html`<polyline class="line-${field}" points="${points.join(' ')}"></polyline>`
}

/** Rounds up to 1, 2 or 5 times a power of ten, so that the scale is easy to read. */
export function niceCeiling (value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10
  return step * power
}
