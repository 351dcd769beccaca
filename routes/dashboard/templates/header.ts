import type { Static } from '@sinclair/typebox'
import type { Overview } from '../../../src/admin-api/overview.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { clockHtml } from './clock.ts'
import { accountField, actionForm } from './forms.ts'
import { chipsHtml, pagesHtml, tabsHtml } from './tabs.ts'

/** Accounts that the menu lists at most: the others have their own addresses. */
const mostListed = 100

/** Head of every page: account, clock, search and tabs. */
export function headerHtml (
  visit: Visit,
  page: string,
  overview: Static<typeof Overview> | undefined
): Html {
  return html`<header class="board-top">
<div class="board-bar">
<p class="owner"><a href="${linkTo(visit, '')}">momock</a></p>
${accountMenu(visit)}
${clockHtml(visit)}
</div>
<div class="board-nav">
${tabsHtml(visit, page, overview?.failingCallbacks ?? 0)}
${searchForm(visit)}
</div>
${pagesHtml(visit, page)}
${overview && chipsHtml(visit, overview)}
</header>`
}

/** Menu of the accounts. Accounts of sandbox tokens appear when they are created. */
function accountMenu (visit: Visit): Html {
  const { accounts, account } = visit
  // One payment or sink is not in the other account.
  const path = `/${visit.path.split('/')[1] ?? ''}`.replace('/sinks', '/callbacks')
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
<p>Deletes the payments, callbacks, scenarios, outages, changed settings and the journal of
${account.name}, and resets its clock. Snapshots stay.</p>
${actionForm(visit, 'reset-account', {}, 'Reset the account', { look: 'danger' })}
</details>
</div>
</details>`
}

function searchForm (visit: Visit): Html {
  return html`<form class="search" method="get" action="${home}/payments" role="search">
${accountField(visit)}
<input type="search" name="search" value="${visit.query.search ?? ''}"
placeholder="Identifier, phone number, reference" aria-label="Search payments"
aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd>
</form>`
}

function accountLink (url: string, text: string, isCurrent: boolean): Html {
  return isCurrent
    ? html`<a href="${url}" aria-current="true">${text}</a>`
    : html`<a href="${url}">${text}</a>`
}
