import type { Static } from '@sinclair/typebox'
import type { Overview } from '../../../src/admin-api/overview.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { assetPath } from '../../pages/templates/asset-files.ts'
import type { AdminCall } from '../admin-call.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { headerHtml } from './header.ts'
import { actionForm } from './forms.ts'
import { codeBlock } from './parts.ts'

/** Content of a page of the dashboard. */
export interface DashboardPage {
  title: string
  /** Tab that the page belongs to. */
  tab: string
  /** Admin call that the page shows. */
  call: AdminCall
  /** Tag of the version that is shown; undefined for a page that does not follow changes. */
  mark: string | undefined
  /** What is switched on in the account. */
  overview: Static<typeof Overview> | undefined
  /** Beside the title. */
  tools?: Html
  body: Html
}

/** A whole page of the dashboard. */
export function layout (visit: Visit, page: DashboardPage): Html {
  const { title, tab, body, tools, call, mark, overview } = page
  const { account: _account, result: _result, ...query } = visit.query
  const follow =
    mark === undefined
      ? undefined
      : html`data-mark="${mark}" data-follow="${linkTo(visit, '/events')}"`
  return html`${head(title)}
<body class="board">
<a class="skip" href="#main">Skip to the content</a>
${headerHtml(visit, tab, overview)}
<div id="toast" role="status">${toastHtml(visit)}</div>
<main id="main" tabindex="-1" data-state="live" data-news="${title}" ${follow}>
${warningNote(visit)}
<div class="page-head"><h1>${title}</h1>${tools}</div>
${body}
<footer>
<details class="call" id="call"><summary>This page as an admin call</summary>
${codeBlock(visit.curl(call))}
<p><a href="${linkTo(visit, visit.path, { ...query, format: 'json' })}">This page as JSON</a></p>
</details>
</footer>
</main>
<p id="news" class="unseen" role="status"></p>
</body>
</html>
`
}

/** Page that asks for the admin token. */
export function loginPage (problem: string | undefined, next: string | undefined): Html {
  return html`${head('Sign in')}
<body class="page">
<main id="main" tabindex="-1"><div class="card">
<h1>Sign in to momock</h1>
<p>This server has an admin token: the value of MOMOCK_ADMIN_TOKEN.</p>
${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${home}/login">
${next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}">`}
<p><label for="token">Admin token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required></p>
<p><button class="main">Sign in</button></p>
</form>
</div></main>
</body>
</html>
`
}

/** Page in place of one that cannot be shown: the reason, what to do, and a way back. */
export function errorPage ({ message, hint }: { message: string; hint: string }): Html {
  return html`${head('Not possible')}
<body class="page">
<main id="main" tabindex="-1"><div class="card">
<h1>This is not possible</h1>
<p class="problem" role="alert">${message}.</p>
<p class="hint">${hint}.</p>
<p><a class="button" href="${home}">Open the dashboard</a></p>
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
<script src="${assetPath('idiomorph.js')}" defer></script>
<script src="${assetPath('page.js')}" defer></script>
<script src="${assetPath('dashboard.js')}" defer></script>
</head>`
}

/** Warning about a server that everybody can control. */
function warningNote ({ warning }: Visit): Html | undefined {
  return warning === undefined
    ? undefined
    : html`<p class="note warning">Warning: ${warning}.</p>`
}

/** Result of the last action in one line, its call, and what takes it back. */
function toastHtml (visit: Visit): Html | undefined {
  const { result } = visit
  if (result === undefined || result.isInPlace === true) return undefined
  const { done, problem, curl, undo } = result
  const asCurl =
    curl &&
    html`<details id="toast-call"><summary>as curl</summary>
${codeBlock(curl)}</details>`
  return html`<div class="toast ${problem === undefined ? 'done' : 'wrong'}">
<p>${problem ?? done}</p>
${undo && actionForm(visit, 'restore-snapshot', { name: undo }, 'Undo')}
${asCurl}
<button type="button" class="dismiss" aria-label="Dismiss">×</button>
</div>`
}
