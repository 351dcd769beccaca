import type { Static } from '@sinclair/typebox'
import encodeQr from 'qr'
import type { AccountList } from '../../../src/admin-api/accounts.ts'
import { html, Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { copyBlock, emptyNote, shortId, sideMenu } from './parts.ts'

type Listed = Static<typeof AccountList>['accounts'][number]

/** Accounts that the page shows; the menu "Account" has more. */
const mostShown = 50

/** One account for each person or team, with its link, its token and its settings. */
export function teamHtml (visit: Visit, { accounts }: Static<typeof AccountList>): Html {
  const shown = accounts.slice(0, mostShown)
  const rest = accounts.length - shown.length
  return html`<p>Each person or team of a workshop works in an account of its own, and sees nothing
of the others. Let them scan the code, or send them the link.</p>
<section class="panel" aria-label="New account">
${actionForm(visit, 'make-account', {}, 'Make an account', {
  controls: html`<label>Name <input name="name" required maxlength="64"
pattern="[A-Za-z0-9._\\-]+" title="letters, digits, '.', '_' and '-'"></label> `,
  look: 'main'
})}
</section>
<div class="team">${shown.map((account) => accountHtml(visit, account))}</div>
${rest > 0 ? emptyNote(`${rest} more accounts are in the JSON version of this page.`) : undefined}`
}

function accountHtml (visit: Visit, { name, origin, tokens, payments }: Listed): Html {
  const url = `${visit.base}${linkTo({ account: { ...visit.account, name } }, '/payments')}`
  const [token = ''] = tokens
  const settings = `PAWAPAY_BASE_URL=${visit.base}\nPAWAPAY_API_TOKEN=${token}`
  const confirm = html`<p>Deletes ${name} with everything in it. This cannot be undone.</p>
${actionForm(visit, 'delete-account', { name }, `Delete ${name}`, { look: 'danger' })}`
  return html`<section class="panel card-of" id="account-${name}">
<div class="code">${qrHtml(url)}</div>
<div class="about"><h2>${name}</h2>
<p><a href="${url}">Open the dashboard</a> <span class="soft">${payments} payments, token
${token.length > 24 ? shortId(token) : html`<code>${token}</code>`}</span></p>
${copyBlock(`env-${name}`, settings)}
${origin === 'configuration' ? undefined : sideMenu(`delete-${name}`, 'Delete…', confirm)}
</div></section>`
}

/** Code of a link, as a picture that needs no script. */
function qrHtml (url: string): Html {
  const svg = encodeQr(url, 'svg')
  return new Html(svg.replace('<svg ', '<svg role="img" aria-label="QR code of the link" '))
}
