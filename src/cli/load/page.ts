import { html, Html } from '../../lib/html.ts'
import type { Line, Second } from './figures.ts'
import { kindNames } from './mix.ts'
import { describeMissedRate, type Report } from './report.ts'

/** Page with the results and charts of a load run. */

interface Curve {
  name: string
  colour: string
  values: number[]
}

const width = 720
const height = 240
const margin = { left: 56, right: 16, top: 12, bottom: 28 }
/** Maximum number of labels on the time axis. */
const timeLabels = 10
/** Up to this number, each point is a dot: a line with one point is not visible. */
const fewPoints = 30

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #80868d; --line: #d9dce0;
  --a: #2f6fd6; --b: #d9722e; --c: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #9aa0a6; --line: #3a3f45; --a: #7fb0ff; --b: #ffa869;
    --c: #ff8a80 }
  body { background: #16181b } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 780px;
  margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left }
svg { width: 100%; height: auto }
h2 { margin-top: 2rem; font-size: 1.1rem }
.wrong { color: var(--c) }
pre { white-space: pre-wrap }
text { font-size: 11px; fill: var(--soft) }
.grid { stroke: var(--line) }
.key { font-size: .9rem }
.key span::before { content: "■ "; color: var(--k) }
`
const columns = ['', 'answers', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'wrong']

/** Renders the report as one page without external files. */
export function renderReport (report: Report): string {
  const { seconds, total, started } = report
  const valuesOf = (pick: (second: Second) => number): number[] => seconds.map(pick)
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>momock load, ${started}</title>
<style>${new Html(style)}</style>
</head>
<body>
<h1>momock load</h1>
${renderIntroduction(report)}
${renderVerdict(report)}
<table>
<thead><tr>${columns.map((column) => html`<th>${column}</th>`)}</tr></thead>
<tbody>
${kindNames.map((kind) => renderRow(kind, report.kinds[kind]))}${renderRow('all', total)}
</tbody>
</table>
<h2>Latency per second, in milliseconds</h2>
${renderPlot('latency by second', [
  { name: 'p50', colour: '--a', values: valuesOf(({ p50 }) => p50) },
  { name: 'p90', colour: '--b', values: valuesOf(({ p90 }) => p90) },
  { name: 'p99', colour: '--c', values: valuesOf(({ p99 }) => p99) }
])}
<h2>Answers per second</h2>
${renderPlot('answers by second', [
  { name: 'answers', colour: '--a', values: valuesOf(({ answers, length }) => answers / length) },
  { name: 'wrong', colour: '--c', values: valuesOf(({ wrong, length }) => wrong / length) }
])}
</body>
</html>
`.text
}

function renderIntroduction ({ seconds, asked, total, ...report }: Report): Html {
  const length = Number(seconds.reduce((sum, { length }) => sum + length, 0).toFixed(1))
  const rate = asked.rate === 0 ? 'no rate limit' : `${asked.rate} requests per second`
  return html`<p>${total.answers} answers in ${length} s, ${total.perSecond} per second, from
${report.url} (momock ${report.momock}), ${report.started}.
Plan: ${asked.seconds} s, ${asked.connections} connections, ${rate},
${asked.mix}${report.interrupted ? '; the run was stopped early' : ''}.</p>`
}

function renderVerdict (report: Report): Html {
  const { total, samples } = report
  const missedRate = describeMissedRate(report)
  const verdict =
    total.wrong + total.errors + total.timeouts === 0
      ? html`<p>All answers were correct.</p>`
      : html`<p class="wrong">${total.wrong} wrong answers, ${total.errors} failed connections,
${total.timeouts} requests without an answer in time.</p>
${samples.map((sample) => html`<pre>${sample}</pre>`)}`
  return missedRate === undefined ? verdict : html`${verdict}<p class="wrong">${missedRate}.</p>`
}

function renderRow (name: string, { answers, p50, p90, p99, max, wrong }: Line): Html {
  const cells = [name, answers, ...[p50, p90, p99, max].map((value) => value.toFixed(1)), wrong]
  return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
}

/** Renders curves over the seconds, with grid lines at round numbers. */
function renderPlot (title: string, curves: Curve[]): Html {
  const count = curves[0].values.length
  const highest = Math.max(1, ...curves.flatMap(({ values }) => values))
  const step = findStep(highest)
  const top = step * Math.ceil(highest / step)
  const x = (index: number): string => {
    const share = count <= 1 ? 0 : index / (count - 1)
    return (margin.left + share * (width - margin.left - margin.right)).toFixed(1)
  }
  const y = (value: number): string =>
    (height - margin.bottom - (value / top) * (height - margin.top - margin.bottom)).toFixed(1)
  const levels = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const every = Math.ceil(count / timeLabels)
  const labelled = Array.from({ length: count }, (_, index) => index).filter(
    (index) => index % every === 0
  )
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${levels.map(
  (level) => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}"
y1="${y(level)}" y2="${y(level)}"/><text x="${margin.left - 8}" y="${Number(y(level)) + 4}"
text-anchor="end">${Number(level.toPrecision(6))}</text>`
)}
${labelled.map(
  (index) =>
    html`<text x="${x(index)}" y="${height - 8}" text-anchor="middle">${index + 1} s</text>`
)}
${curves.map(({ colour, values }) => renderCurve(colour, values, x, y))}
</svg>
<p class="key">${curves.map(
    ({ name, colour }) => html`<span style="--k: var(${colour})">${name}</span> `
  )}</p>`
}

function renderCurve (
  colour: string,
  values: number[],
  x: (index: number) => string,
  y: (value: number) => string
): Html {
  const points = values.map((value, index) => `${x(index)},${y(value)}`).join(' ')
  const dots =
    values.length > fewPoints
      ? []
      : values.map(
        (value, index) =>
          html`<circle fill="var(${colour})" r="3" cx="${x(index)}" cy="${y(value)}"/>`
      )
  return html`<polyline fill="none" stroke="var(${colour})" stroke-width="2"
points="${points}"/>${dots}`
}

/** Finds a step of 1, 2 or 5 times a power of ten that gives four to ten grid lines. */
function findStep (highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest / 4))
  return power * ([1, 2, 5].find((factor) => highest / (power * factor) <= 8) ?? 10)
}
