import { originalClock } from '../../../src/lib/clock.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm, formOf } from './forms.ts'
import { badge, formatTime } from './parts.ts'

/** Moves of the clock: the field of the call, its value, and the text of the button. */
const moves = [
  ['by', '1m', '+1 min'],
  ['by', '15m', '+15 min'],
  ['until', 'next', 'Next event'],
  ['until', 'idle', 'Until idle']
] as const

const speeds = [1, 10, 100, 1000]

/** The clock of the account, and what moves it. */
export function clockHtml (visit: Visit): Html {
  const { clock } = visit.account
  const { mode, speed } = originalClock(clock)
  const isFrozen = mode === 'frozen'
  const turned = isFrozen ? 'running' : 'frozen'
  const time = formatTime(Math.floor(visit.now / 1000) * 1000).slice(0, 19)
  const step = html`<input name="by" required size="6" placeholder="2h, 3d…"
aria-label="Duration such as 90s, 2h or 3d, or a date such as 2026-12-31"> `
  return html`<div class="clock-bar" role="group" aria-label="Clock of the account">
<span class="now" title="The clock of the account, in UTC"><span data-clock="${visit.now}"
data-clock-speed="${clock.mode === 'frozen' ? 0 : speed}">${time}</span>
${isFrozen ? badge('frozen', 'FROZEN') : badge(speed === 1 ? 'running' : `${speed}×`, 'RUNNING')}
</span>
${actionForm(visit, 'set-clock', { mode: turned }, isFrozen ? 'Run' : 'Freeze')}
${formOf(
  visit,
  'advance-clock',
  {},
  html`${moves.map(
    ([name, value, text]) => html`<button name="${name}" value="${value}">${text}</button> `
  )}`
)}
${actionForm(visit, 'advance-clock', {}, 'Advance', { controls: step })}
${formOf(
  visit,
  'set-clock',
  { mode: 'running' },
  html`<select name="speed" aria-label="Speed of the clock" data-submits="speed">
${speeds.map((one) => speedOption(one, one === speed))}
</select><button data-plain>Set</button>`
)}
</div>`
}

function speedOption (speed: number, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${speed}" selected>${speed}×</option>`
    : html`<option value="${speed}">${speed}×</option>`
}
