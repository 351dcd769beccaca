import { html, type Html } from '../../lib/html.ts'
import type { Step } from './report.ts'

/** Sequence diagram as SVG, from top to bottom. */

const participants: Record<Step['from'], { x: number; title: string }> = {
  customer: { x: 90, title: 'Customer' },
  merchant: { x: 390, title: 'Application' },
  service: { x: 690, title: 'Service (momock)' }
}
const width = 780
const top = 44
const rowHeight = 46
const longestText = 44

/** Draws the steps and marks those with this text. Returns undefined without steps. */
export function diagramOf (steps: readonly Step[], shown = ''): Html | undefined {
  if (steps.length === 0) return undefined
  const height = top + steps.length * rowHeight + 16
  const heads = Object.values(participants)
    .map(
      ({ x, title }) =>
        html`<line x1="${x}" y1="${top - 12}" x2="${x}" y2="${height - 6}" class="life"/>
<text x="${x}" y="20" class="head">${title}</text>`
    )
  const rows = steps.map((step, n) => row(step, top + n * rowHeight, step.text === shown))
  const label = 'Sequence of requests and answers'
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
${heads}${rows}</svg>`
}

function row ({ from, to, text, answer, times }: Step, y: number, isShown: boolean): Html {
  const [start, end] = [participants[from].x, participants[to].x]
  const middle = (start + end) / 2
  const label = `${clip(text)}${times === undefined ? '' : ` × ${times}`}`
  const reply =
    answer === undefined
      ? undefined
      : html`${arrow(end, start, y + 32, 'reply')}
<text x="${middle}" y="${y + 28}" class="answer">${clip(answer)}</text>`
  return html`<g class="${isShown ? 'shown' : 'step'}">${arrow(start, end, y + 14, 'call')}
<text x="${middle}" y="${y + 10}" class="sent">${label}</text>${reply}</g>`
}

/** A line with a head at its end. */
function arrow (start: number, end: number, y: number, kind: string): Html {
  const back = end > start ? -7 : 7
  const head = `M${end + back} ${y - 4} L${end} ${y} L${end + back} ${y + 4}`
  return html`<path class="${kind}" d="M${start} ${y} H${end} ${head}"/>`
}

function clip (text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}
