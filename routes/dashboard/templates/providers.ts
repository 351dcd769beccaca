import type { Static } from '@sinclair/typebox'
import type { ProviderList, ProviderState } from '../../../src/admin-api/providers.ts'
import { availabilities } from '../../../src/domain/account.ts'
import { operations, type Operation } from '../../../src/domain/kinds.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, disclosure, emptyNote, formatTime } from './parts.ts'

type Provider = Static<typeof ProviderState>

/** Providers of an account by country, with switches of their availability. */
export function providersHtml (visit: Visit, { providers }: Static<typeof ProviderList>): Html {
  const byCountry = Map.groupBy(providers, ({ country = '' }) => country)
  return html`<p>A closed provider refuses payments. A delayed provider queues payouts, refunds and
remittances. An outage ends by itself, on the clock of the account.</p>
${providers.length === 0 ? emptyNote('The account can use no provider.') : undefined}
${[...byCountry].map(([country, own]) => countryHtml(visit, country, own))}`
}

function countryHtml (visit: Visit, country: string, providers: Provider[]): Html {
  return html`<section><h2>${country}</h2>
${providers.map((provider) => providerHtml(visit, provider))}
</section>`
}

function providerHtml (visit: Visit, row: Provider): Html {
  const { provider, operationTypes } = row
  const offered = operations.filter((operation) => operationTypes[operation] !== undefined)
  const outages = offered.filter((operation) => operationTypes[operation] !== 'OPERATIONAL')
  return disclosure(
    `provider-${provider}`,
    html`<strong>${provider}</strong> ${badge(stateOf(offered, outages, row))}
${outages.map((operation) => outageNote(operation, row))}`,
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
<input name="minutes" type="number" min="1" max="44640" value="10" required></label> minutes `,
    example: { minutes: '10' }
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
