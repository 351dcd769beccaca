import { html, Html } from '../../lib/html.ts'
import { describeLimit, describeLives, describeStorm } from './descriptions.ts'
import type { Line, Second } from './figures.ts'
import type { Lag } from './lag.ts'
import { kindNames } from './mix.ts'
import { pageStyle, renderPlot } from './plot.ts'
import { describeMissedRate, type Report } from './report.ts'

/** Page with the results and charts of a load run. */

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
<style>${new Html(pageStyle)}</style>
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
${renderCallbacks(report)}${renderLimit(report)}
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

/** Renders the callbacks of a run: how many arrived, and how fast. */
function renderCallbacks ({ seconds, lives, storm }: Report): Html {
  if (lives === undefined && storm === undefined) return html``
  const lines = [
    ...(lives === undefined ? [] : describeLives(lives)),
    ...(storm === undefined ? [] : describeStorm(storm))
  ]
  const values = seconds.map(
    ({ lives, storm, length }) => (lives ?? storm ?? { callbacks: 0 }).callbacks / length
  )
  return html`<h2>Callbacks per second</h2>
${lines.map((line) => html`<p>${line}</p>`)}
${renderPlot('callbacks by second', [{ name: 'callbacks', colour: '--a', values }])}
${lives?.lag === undefined ? html`` : renderLag(lives.lag)}`
}

function renderLag ({ histogram, p50, p90, p99, max }: Lag): Html {
  const times = Object.entries({ p50, p90, p99, max })
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(', ')
  const labels = histogram.map(({ upTo }) => (upTo === undefined ? 'more' : `≤ ${upTo}`))
  const values = histogram.map(({ callbacks }) => callbacks)
  return html`<h2>Callbacks by lag, in milliseconds</h2>
<p>Time from the final state to the arrival of the callback: ${times}.</p>
${renderPlot('callbacks by lag', [{ name: 'callbacks', colour: '--b', values }], labels)}`
}

/** Renders the steps of a search, from the lowest rate to the highest. */
function renderLimit ({ limit }: Report): Html {
  if (limit === undefined) return html``
  const steps = limit.steps.toSorted((a, b) => a.rate - b.rate)
  const values = steps.map(({ p99 }) => p99)
  const labels = steps.map(({ rate }) => String(rate))
  return html`<h2>p99 in milliseconds by rate</h2>
<p>${describeLimit(limit).at(-1) ?? ''}.</p>
${renderPlot('p99 by rate', [{ name: 'p99', colour: '--c', values }], labels)}`
}
