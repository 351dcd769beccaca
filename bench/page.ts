import { html, Html } from '../src/lib/html.ts'
import { pageStyle, renderPlot } from '../src/cli/load/plot.ts'
import { formatFigure, formatTarget } from './report.ts'
import { percentiles, type Result } from './results.ts'

/** Page of the benchmark, with the charts of `momock load`. */

const columns = ['', 'momock', 'divided by', 'ratio', 'from', 'to', 'target', 'cpu', 'cpu of it']
const labels = percentiles.map((percentile) => (percentile === 100 ? 'max' : `p${percentile}`))
const style = `${pageStyle}
body { max-width: 1000px }
.met { color: #1a7f37 }
`

/** Renders the results as one page without external files. */
export function renderPage (results: readonly Result[], settings: Record<string, unknown>): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>momock bench, ${String(settings.date)}</title>
<style>${new Html(style)}</style>
</head>
<body>
<h1>momock bench</h1>
<p>Ratios of rounds in turns; only ratios can be compared between machines. cpu is the processor
time of the server per request.</p>
<table>
<thead><tr>${columns.map((column) => html`<th>${column}</th>`)}</tr></thead>
<tbody>
${results.map(renderRow)}
</tbody>
</table>
${results.flatMap(({ name, notes }) => notes.map((note) => html`<p>${name}: ${note}</p>`))}
${results.map(renderCharts)}
<h2>Settings</h2>
<table><tbody>
${Object.entries(settings).map(
  ([name, value]) => html`<tr><td>${name}</td><td>${String(value)}</td></tr>`
)}
</tbody></table>
</body>
</html>
`.text
}

function renderRow (result: Result): Html {
  const { name, title, unit, momock, yardstick, ratio, range, cpu, isMet } = result
  const cells = [
    `${formatFigure(momock)} ${unit}`,
    yardstick === undefined ? '' : `${yardstick.name} ${formatFigure(yardstick.value)}`,
    ratio?.toFixed(2) ?? '',
    ...range.map((value) => value.toFixed(ratio === undefined ? 0 : 2))
  ]
  const times = [cpu?.momock, cpu?.yardstick].map((time) =>
    time === undefined ? '' : `${time.toFixed(0)} µs`
  )
  return html`<tr><td>${name}: ${title}</td>${cells.map((cell) => html`<td>${cell}</td>`)}
<td class="${isMet ? 'met' : 'wrong'}">${formatTarget(result)}</td>
${times.map((cell) => html`<td>${cell}</td>`)}</tr>`
}

function renderCharts ({ name, title, latency, yardstick, histogram }: Result): Html {
  const heading = `${name}: ${title}`
  if (histogram !== undefined) {
    const bins = histogram.map(({ upTo }) => (upTo === undefined ? 'more' : `≤ ${upTo}`))
    const values = histogram.map(({ callbacks }) => callbacks)
    const curve = { name: 'callbacks', colour: '--a', values }
    return html`<h2>${heading}: callbacks by lag in milliseconds</h2>
${renderPlot(heading, [curve], bins)}`
  }
  if (latency === undefined) return html``
  const curves = [
    { name: 'momock', colour: '--a', values: latency.momock },
    ...(latency.yardstick === undefined
      ? []
      : [{ name: yardstick?.name ?? '', colour: '--b', values: latency.yardstick }])
  ]
  return html`<h2>${heading}: latency by percentile, in milliseconds</h2>
${renderPlot(heading, curves, labels)}`
}
