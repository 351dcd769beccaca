import type { Static } from '@sinclair/typebox'
import type { ProviderList, ProviderState } from '../../../src/admin-api/providers.ts'
import { availabilities } from '../../../src/domain/account.ts'
import { operations, type Operation } from '../../../src/domain/kinds.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { PageParts } from '../view.ts'
import { home, type Visit } from '../visit.ts'
import { accountField, actionForm } from './forms.ts'
import { badge, emptyNote, entry, entryList, formatTime } from './parts.ts'

type Provider = Static<typeof ProviderState>

const columns = ['Provider', 'Country', 'State', 'Operations']

/** Providers of an account, those with outages first, with switches of their availability. */
export function providersPage (
  visit: Visit,
  { providers }: Static<typeof ProviderList>
): PageParts {
  const search = visit.query.search?.toLowerCase() ?? ''
  const found = providers.filter(({ provider, country = '' }) =>
    `${provider} ${country} ${visit.countryName(country)}`.toLowerCase().includes(search)
  )
  const sorted = found.toSorted((a, b) => outagesOf(b).length - outagesOf(a).length)
  return {
    tools: html`<form class="filters" method="get" action="${home}/providers">
${accountField(visit)}
<input type="search" name="search" value="${visit.query.search ?? ''}"
placeholder="Country or provider" aria-label="Country or provider">
<button>Search</button></form>`,
    body: html`<p class="soft">A closed provider refuses payments. A delayed provider queues
payouts, refunds and remittances. An outage ends by itself, on the clock of the account.</p>
${
  sorted.length === 0
    ? emptyNote(search === '' ? 'The account can use no provider.' : 'No providers match.')
    : entryList(
        'providers',
        columns,
        sorted.map((provider) => providerHtml(visit, provider))
      )
}`
  }
}

function offeredBy ({ operationTypes }: Provider): Operation[] {
  return operations.filter((operation) => operationTypes[operation] !== undefined)
}

function outagesOf (provider: Provider): Operation[] {
  return offeredBy(provider).filter(
    (operation) => provider.operationTypes[operation] !== 'OPERATIONAL'
  )
}

function providerHtml (visit: Visit, row: Provider): Html {
  const { provider, country = '' } = row
  const offered = offeredBy(row)
  const outages = outagesOf(row)
  return entry(
    `provider-${provider}`,
    [
      html`<strong>${provider}</strong>`,
      visit.countryName(country),
      badge(stateOf(offered, outages, row)),
      outages.length === 0
        ? html`<span class="soft">${offered.map((one) => one.toLowerCase()).join(', ')}</span>`
        : html`${outages.map((operation) => outageNote(operation, row))}`
    ],
    html`<div class="actions">
${availabilities.map((status) =>
  actionForm(visit, 'set-provider', { provider, status, operations: offered.join(' ') }, status)
)}
${actionForm(
  visit,
  'set-provider',
  { provider, status: 'CLOSED', operations: offered.join(' ') },
  'Start the outage',
  {
    controls: html`<label>Outage for
<input name="minutes" type="number" min="1" max="44640" value="10" required></label> minutes `
  }
)}
</div>
${offered.map((operation) => operationHtml(visit, row, operation))}`
  )
}

/** One word for a provider: its state, or that its operations differ. */
function stateOf (
  offered: readonly Operation[],
  outages: readonly Operation[],
  { operationTypes }: Provider
): string {
  const states = new Set(offered.map((operation) => operationTypes[operation] ?? ''))
  return states.size === 1 ? [...states][0] : outages.length === 0 ? 'OPERATIONAL' : 'MIXED'
}

function outageNote (operation: Operation, { operationTypes, until }: Provider): Html {
  const end = until?.[operation]
  return html`<span class="soft">${operation} ${operationTypes[operation] ?? ''}
${end === undefined ? undefined : `until ${formatTime(end)}`}</span> `
}

function operationHtml (visit: Visit, row: Provider, operation: Operation): Html {
  const { provider, operationTypes } = row
  const availability = operationTypes[operation] ?? ''
  const end = row.until?.[operation]
  const others = availabilities.filter((other) => other !== availability)
  return html`<div class="actions switch"><strong>${operation}</strong> ${badge(availability)}
${end === undefined ? undefined : html`<span class="soft">until ${formatTime(end)}</span>`}
${others.map((status) =>
  actionForm(visit, 'set-provider', { provider, operations: operation, status }, status)
)}
</div>`
}
