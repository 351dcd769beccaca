import { html, type Html } from '../../../src/lib/html.ts'
import { assetPath } from '../../pages/templates/asset-files.ts'
import type { AdminCall } from '../admin-call.ts'
import type { ActionResult } from '../../../src/services/action-results.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { headerHtml } from './header.ts'
import { callList } from './forms.ts'
import { codeBlock } from './parts.ts'

/** Content of a page of the dashboard. */
export interface DashboardPage {
  title: string
  /** Tab that the page belongs to. */
  tab: string
  /** Admin call that the page shows. */
  call: AdminCall
  /** Tag of the content: another tag means other content. */
  mark: string
  /** Names of the snapshots of the account. */
  snapshots: readonly string[]
  body: Html
}

/** A whole page of the dashboard. */
export function layout (visit: Visit, page: DashboardPage): Html {
  const { title, tab, body, call, mark, snapshots } = page
  const { account: _account, result: _result, ...query } = visit.query
  const events = linkTo(visit, '/events')
  // The buttons of the content are listed before the header writes its own.
  const calls = callList(visit, 'calls')
  return html`${head(title)}
<body class="board">
<a class="skip" href="#main">Skip to the content</a>
${headerHtml(visit, tab, snapshots)}
<main id="main" tabindex="-1" data-state="live" data-news="${title}" data-mark="${mark}"
data-follow="${events}">
${notice(visit)}
<h1>${title}</h1>
${body}
<footer>
${calls}
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
<script src="${assetPath('page.js')}" defer></script>
<script src="${assetPath('dashboard.js')}" defer></script>
</head>`
}

/** Warning about a server that everybody can control, and the result of the last action. */
function notice ({ result, warning }: Visit): Html {
  return html`${warning === undefined ? undefined : html`<p class="note">Warning: ${warning}.</p>`}
${result === undefined ? undefined : resultNote(result)}`
}

function resultNote ({ done, problem, curl }: ActionResult): Html {
  return html`<div class="${problem === undefined ? 'note' : 'problem'}" role="status">
<p>${problem ?? done}</p>
${curl === undefined ? undefined : codeBlock(curl)}
</div>`
}
