import type { Static } from '@sinclair/typebox'
import type { WalletList, WalletView } from '../../../src/admin-api/wallets.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { emptyNote, moneyHtml, table, type Cell, type Column } from './parts.ts'

const columns: Column[] = [
  'Country',
  ['Available', 'number'],
  ['Reserved', 'number'],
  'Change'
]

/** Wallets of an account, used ones first, and forms that add or set their money. */
export function walletsHtml (visit: Visit, { wallets }: Static<typeof WalletList>): Html {
  if (wallets.length === 0) return emptyNote('The account has no wallets.')
  const sorted = wallets.toSorted((a, b) => Number(b.used) - Number(a.used))
  return html`<p>Payouts, refunds and remittances reserve money and then take it. Deposits add it.
Set a wallet to 0 to see what happens without money.</p>
${table(
  columns,
  sorted.map((wallet) => row(visit, wallet))
)}`
}

function row (
  visit: Visit,
  { country, currency, available, reserved, used }: Static<typeof WalletView>
): Cell[] {
  const wallet = { country, currency }
  const label = `Amount for ${country} ${currency}`
  const amount = html`<input name="amount" required size="9" inputmode="decimal" value="1000.00"
pattern="[0-9]{1,12}([.][0-9]{1,2})?" aria-label="${label}"> `
  const input = { controls: amount }
  return [
    html`${visit.countryName(country)}
<span class="soft">${country}${used ? '' : ', not used'}</span>`,
    moneyHtml(available, currency),
    moneyHtml(reserved, currency),
    html`<div class="actions">
${actionForm(visit, 'top-up-wallet', wallet, 'Top up', input)}
${actionForm(visit, 'set-wallet', wallet, 'Set', input)}
</div>`
  ]
}
