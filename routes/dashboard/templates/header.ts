import { originalClock } from '../../../src/lib/clock.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { ActionName, Fields } from '../actions.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField, actionForm, callList } from './forms.ts'
import { badge, formatTime } from './parts.ts'
import { tabsHtml } from './tabs.ts'

/** Accounts and snapshots that a menu lists at most: the others have their own addresses. */
const mostListed = 100

/** Head of every page: account, clock, snapshots, search and tabs. */
export function headerHtml (visit: Visit, page: string, snapshots: readonly string[]): Html {
  return html`<header class="board-top">
<p class="owner"><a href="${linkTo(visit, '')}">momock</a></p>
${accountMenu(visit)}
${clockMenu(visit)}
${snapshotMenu(visit, snapshots)}
${searchForm(visit)}
${tabsHtml(visit, page)}
</header>`
}

/** Menu of the accounts. Accounts of sandbox tokens appear when they are created. */
function accountMenu (visit: Visit): Html {
  const { accounts, account, path } = visit
  const items = accounts.slice(0, mostListed).map((other) => {
    const link = accountLink(linkTo({ account: other }, path), other.name, other === account)
    return html`<li>${link}</li>`
  })
  const rest = accounts.length - items.length
  const more = html`<p class="soft">${rest} more: add <code>?account=NAME</code> to the
address.</p>`
  return html`<details class="menu" name="menu" id="account-menu">
<summary><span class="soft">Account</span> <strong>${account.name}</strong></summary>
<div>
<ul>${items}</ul>
${rest > 0 ? more : undefined}
<details class="confirm" id="reset-menu"><summary>Reset…</summary>
<p>Deletes the payments, callbacks, scenarios and changed settings of ${account.name}.
Snapshots stay.</p>
${actionForm(visit, 'reset-account', {}, 'Reset the account')}
${callList(visit, 'reset-calls')}
</details>
</div>
</details>`
}

/** Moves of the clock, and its speeds. */
const clockMoves: Array<[label: string, action: ActionName, fields: Fields]> = [
  ['+1 min', 'advance-clock', { by: '1m' }],
  ['+15 min', 'advance-clock', { by: '15m' }],
  ['To next event', 'advance-clock', { until: 'next' }],
  ['Until idle', 'advance-clock', { until: 'idle' }]
]
const clockSpeeds = ['1', '10', '100', '1000'].map((speed): [string, ActionName, Fields] => [
  `${speed}×`,
  'set-clock',
  { mode: 'running', speed }
])

/** Menu of the account's clock. */
function clockMenu (visit: Visit): Html {
  const { clock } = visit.account
  const { mode, speed } = originalClock(clock)
  const isFrozen = mode === 'frozen'
  const turn: [string, ActionName, Fields] = isFrozen
    ? ['Run', 'set-clock', { mode: 'running' }]
    : ['Freeze', 'set-clock', { mode: 'frozen' }]
  const moves = [turn, ...clockMoves]
  const show = ([label, action, fields]: [string, ActionName, Fields]): Html =>
    actionForm(visit, action, fields, label)
  const time = formatTime(Math.floor(visit.now / 1000) * 1000)
  return html`<details class="menu" name="menu" id="clock-menu">
<summary><span class="soft">Clock</span> <strong data-clock="${visit.now}"
data-clock-speed="${clock.mode === 'frozen' ? 0 : speed}">${time}</strong>
${isFrozen ? badge('frozen', 'ENQUEUED') : badge(speed === 1 ? 'running' : `${speed}×`, 'OK')}
</summary>
<div>
<div class="actions">${moves.map(show)}</div>
<p class="label">Speed</p>
<div class="actions">${clockSpeeds.map(show)}</div>
${callList(visit, 'clock-calls')}
</div>
</details>`
}

/** Menu of the snapshots: take one, restore one. */
function snapshotMenu (visit: Visit, snapshots: readonly string[]): Html {
  const name = html`<label>Name <input name="name" required maxlength="64" size="14"
pattern="[A-Za-z0-9._\\-]+" title="letters, digits, '.', '_' and '-'"></label> `
  const items = snapshots.slice(0, mostListed).map(
    (snapshot) =>
      html`<li>${actionForm(visit, 'restore-snapshot', { name: snapshot }, 'Restore', {
        controls: html`<span class="name">${snapshot}</span>`,
        example: {}
      })}</li>`
  )
  return html`<details class="menu" name="menu" id="snapshot-menu">
<summary><span class="soft">Snapshots</span> <strong>${snapshots.length}</strong></summary>
<div>
${actionForm(visit, 'take-snapshot', {}, 'Take a snapshot', {
  controls: name,
  example: { name: 'NAME' }
})}
<ul>${items}</ul>
${callList(visit, 'snapshot-calls')}
</div>
</details>`
}

function searchForm (visit: Visit): Html {
  return html`<form class="search" method="get" action="${home}/payments" role="search">
${accountField(visit)}
<input type="search" name="search" value="${visit.query.search ?? ''}"
placeholder="Identifier, phone number, reference" aria-label="Search payments">
<button>Search</button>
</form>`
}

function accountLink (url: string, text: string, isCurrent: boolean): Html {
  return isCurrent
    ? html`<a href="${url}" aria-current="true">${text}</a>`
    : html`<a href="${url}">${text}</a>`
}
