import { html, Html } from '../../lib/html.ts'

/** Charts of the reports, as SVG, and the style of their pages. */

/** Curve of a chart. */
export interface Curve {
  name: string
  colour: string
  values: number[]
}

const width = 720
const height = 240
const margin = { left: 56, right: 16, top: 12, bottom: 28 }
/** Maximum number of labels on the horizontal axis. */
const mostLabels = 10
/** Up to this number, each point is a dot: a line with one point is not visible. */
const fewPoints = 30

/** Style of a page with charts. */
export const pageStyle = `
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

/** Renders curves, with grid lines at round numbers. Without labels, each point is a second. */
export function renderPlot (title: string, curves: Curve[], labels?: readonly string[]): Html {
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
  const every = Math.ceil(count / mostLabels)
  const nameOf = (index: number): string => labels?.[index] ?? `${index + 1} s`
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
    html`<text x="${x(index)}" y="${height - 8}" text-anchor="middle">${nameOf(index)}</text>`
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
