import { html, type Html } from '../../../src/lib/html.ts'
import { assetPath } from '../../pages/templates/asset-files.ts'
import type { AdminCall } from '../admin-call.ts'
import type { ActionResult } from '../results.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField, actionForm } from './forms.ts'
import { codeBlock, formatTime } from './parts.ts'
import { tabsHtml } from './tabs.ts'

/** Content of a page of the dashboard. */
export interface DashboardPage {
  title: string
  /** Tab that the page belongs to. */
  tab: string
  /** Admin call that the page shows. */
  call: AdminCall
  /** Tag of the content: another tag means other content. */
  mark: string
  body: Html
}

/** A whole page of the dashboard. */
export function layout (visit: Visit, page: DashboardPage): Html {
  const { title, tab, body, call, mark } = page
  const events = linkTo(visit, '/events')
  return html`${head(title)}
<body class="board">
<a class="skip" href="#main">Skip to the content</a>
<header class="board-top">
<p class="owner"><a href="${linkTo(visit, '')}">momock</a></p>
${accountMenu(visit)}
${clockMenu(visit)}
${searchForm(visit)}
${tabsHtml(visit, tab)}
</header>
<main id="main" tabindex="-1" data-state="live" data-news="${title}" data-mark="${mark}"
data-follow="${events}">
${notice(visit)}
<h1>${title}</h1>
${body}
<details class="call" id="call"><summary>This page as an admin call</summary>
${codeBlock(visit.curl(call))}
</details>
</main>
<p id="news" class="unseen" role="status"></p>
</body>
</html>
`
}

/** Page that asks for the admin token. */
export function loginPage (problem: string | undefined): Html {
  return html`${head('Sign in')}
<body class="page">
<main id="main" tabindex="-1"><div class="card">
<h1>Sign in to momock</h1>
<p>This server has an admin token: the value of MOMOCK_ADMIN_TOKEN.</p>
${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${home}/login">
<p><label for="token">Admin token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required></p>
<p><button class="main">Sign in</button></p>
</form>
</div></main>
</body>
</html>
`
}

function head (title: string): Html {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – momock</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('page.css')}">
<link rel="stylesheet" href="${assetPath('dashboard.css')}">
<script src="${assetPath('page.js')}" defer></script>
<script src="${assetPath('dashboard.js')}" defer></script>
</head>`
}

function accountMenu ({ accounts, account, path }: Visit): Html {
  const items = accounts.map(
    (other) =>
      html`<li>${link(linkTo({ account: other }, path), other.name, other === account)}</li>`
  )
  return html`<details class="menu" id="account-menu">
<summary>Account <strong>${account.name}</strong></summary>
<ul>${items}</ul>
</details>`
}

/** Menu of the account's clock. Its buttons are admin calls. */
function clockMenu (visit: Visit): Html {
  const { mode, speed } = visit.account.clock
  const pace = mode === 'frozen' ? 'frozen' : speed === 1 ? 'running' : `running, speed ${speed}`
  const change = mode === 'frozen' ? ['running', 'Run'] : ['frozen', 'Freeze']
  return html`<details class="menu" id="clock-menu">
<summary>Clock <strong>${formatTime(visit.now)}</strong> ${pace}</summary>
<div class="actions">
${actionForm(visit, 'set-clock', { mode: change[0] }, change[1])}
${['1m', '15m', '1d'].map((by) => actionForm(visit, 'advance-clock', { by }, `+${by}`))}
${actionForm(visit, 'advance-clock', { until: 'idle' }, 'Until idle')}
${['1', '10', '100'].map((factor) =>
  actionForm(visit, 'set-clock', { mode: 'running', speed: factor }, `Speed ${factor}`)
)}
${actionForm(visit, 'reset-account', {}, 'Reset the account')}
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

/** Result of the last action, and the reason why buttons are disabled. */
function notice ({ result, access }: Visit): Html {
  const readOnly = html`<p class="note">Read-only: others can reach the address that this server
listens on, and it has no admin token. Start it with --admin-token to use the buttons.</p>`
  return html`${access === 'read-only' ? readOnly : undefined}
${result === undefined ? undefined : resultNote(result)}`
}

function resultNote ({ done, problem, curl }: ActionResult): Html {
  return html`<div class="${problem === undefined ? 'note' : 'problem'}" role="status">
<p>${problem ?? done}</p>
${codeBlock(curl)}
</div>`
}

function link (url: string, text: string, isCurrent: boolean): Html {
  return isCurrent
    ? html`<a href="${url}" aria-current="page">${text}</a>`
    : html`<a href="${url}">${text}</a>`
}
