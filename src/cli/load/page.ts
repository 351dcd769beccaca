import { html, type Html } from '../../lib/html.ts'
import type { Line, Second } from './figures.ts'
import { kindNames } from './mix.ts'
import { missedRate, type Report } from './report.ts'

/** The report as one page that asks nobody for anything: styles and plots are in it. */

interface Curve {
  name: string
  colour: string
  values: number[]
}

const width = 720
const height = 240
const margin = { left: 56, right: 16, top: 12, bottom: 28 }
/** Labels on the time axis, at most. */
const timeLabels = 10
/** With so few points, each is shown: a line of one cannot be seen. */
const fewPoints = 30

export function reportPage (report: Report): string {
  const { seconds, asked, total } = report
  const of = (pick: (second: Second) => number): number[] => seconds.map(pick)
  return html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>momock load, ${report.started}</title>
<style>
:root { color-scheme: light dark; --ink: #1c2024; --soft: #80868d; --line: #d9dce0; --a: #2f6fd6; --b: #d9722e; --c: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa0a6; --line: #3a3f45; --a: #7fb0ff; --b: #ffa869; --c: #ff8a80 } body { background: #16181b } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 780px; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left } svg { width: 100%; height: auto } h2 { margin-top: 2rem; font-size: 1.1rem } .wrong { color: var(--c) } pre { white-space: pre-wrap }
text { font-size: 11px; fill: var(--soft) } .grid { stroke: var(--line) } .key { font-size: .9rem } .key span::before { content: "■ "; color: var(--k) }
</style></head>
<body>
<h1>momock load</h1>
<p>${total.answers} answers in ${Number(seconds.reduce((sum, { length }) => sum + length, 0).toFixed(1))} s, ${total.perSecond} a second, from ${report.url} (momock ${report.momock}), ${report.started}.
Asked for: ${asked.seconds} s, ${asked.connections} connections, ${asked.rate === 0 ? 'as many requests as it can' : `${asked.rate} requests a second`}, ${asked.mix}${report.interrupted ? '; it was ended early' : ''}.</p>
${verdict(report)}${missedRate(report) === undefined ? '' : html`<p class="wrong">${missedRate(report)}.</p>`}
<table><thead><tr><th></th><th>answers</th><th>p50 ms</th><th>p90 ms</th><th>p99 ms</th><th>max ms</th><th>wrong</th></tr></thead>
<tbody>${kindNames.map((kind) => row(kind, report.kinds[kind]))}${row('all', total)}</tbody></table>
<h2>Latency, in milliseconds, by second</h2>
${plot('latency by second', [
  { name: 'p50', colour: '--a', values: of(({ p50 }) => p50) },
  { name: 'p90', colour: '--b', values: of(({ p90 }) => p90) },
  { name: 'p99', colour: '--c', values: of(({ p99 }) => p99) }
])}
<h2>Answers a second, by second</h2>
${plot('answers by second', [
  { name: 'answers', colour: '--a', values: of(({ answers, length }) => answers / length) },
  { name: 'wrong', colour: '--c', values: of(({ wrong, length }) => wrong / length) }
])}
</body>
</html>
`.text
}

function verdict ({ total, samples }: Report): Html {
  if (total.wrong + total.errors + total.timeouts === 0) {
    return html`<p>Every answer was the right one.</p>`
  }
  return html`<p class="wrong">${total.wrong} answers were not the right ones, ${total.errors} connections failed, ${total.timeouts} requests got no answer in time.</p>${samples.map((sample) => html`<pre>${sample}</pre>`)}`
}

function row (name: string, { answers, p50, p90, p99, max, wrong }: Line): Html {
  return html`<tr><td>${name}</td><td>${answers}</td>${[p50, p90, p99, max].map((value) => html`<td>${value.toFixed(1)}</td>`)}<td>${wrong}</td></tr>`
}

/** Curves over the seconds, with a grid that is easy to read. */
function plot (title: string, curves: Curve[]): Html {
  const count = curves[0].values.length
  const step = niceStep(Math.max(1, ...curves.flatMap(({ values }) => values)))
  const top = step * Math.ceil(Math.max(1, ...curves.flatMap(({ values }) => values)) / step)
  const x = (index: number): number =>
    margin.left + (count <= 1 ? 0 : index / (count - 1)) * (width - margin.left - margin.right)
  const y = (value: number): number =>
    height - margin.bottom - (value / top) * (height - margin.top - margin.bottom)
  const levels = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const every = Math.ceil(count / timeLabels)
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${levels.map((level) => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(level)}" y2="${y(level)}"/><text x="${margin.left - 8}" y="${y(level) + 4}" text-anchor="end">${Number(level.toPrecision(6))}</text>`)}
${Array.from({ length: count }, (_, index) => index)
  .filter((index) => index % every === 0)
  .map(
    (index) =>
      html`<text x="${x(index)}" y="${height - 8}" text-anchor="middle">${index + 1} s</text>`
  )}
${curves.map(({ colour, values }) => html`<polyline fill="none" stroke="var(${colour})" stroke-width="2" points="${values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>${count > fewPoints ? '' : values.map((value, index) => html`<circle fill="var(${colour})" r="3" cx="${x(index).toFixed(1)}" cy="${y(value).toFixed(1)}"/>`)}`)}
</svg>
<p class="key">${curves.map(({ name, colour }) => html`<span style="--k: var(${colour})">${name}</span> `)}</p>`
}

/** 1, 2 or 5 times a power of ten, so that there are four to ten lines. */
function niceStep (highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest / 4))
  return power * ([1, 2, 5].find((factor) => highest / (power * factor) <= 8) ?? 10)
}
