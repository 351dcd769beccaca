import type { Static } from '@sinclair/typebox'
import type { ProviderList } from '../../../src/admin-api/providers.ts'
import { availabilities } from '../../../src/domain/account.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, table } from './parts.ts'

/** Providers of an account with switches of their availability. */
export function providersHtml (visit: Visit, { providers }: Static<typeof ProviderList>): Html {
  const rows = providers.flatMap(({ provider, operationTypes }) =>
    Object.entries(operationTypes).map(([operation, availability]) =>
      row(visit, provider, operation, availability)
    )
  )
  return html`<p>A closed provider refuses payments. A delayed provider queues payouts, refunds and
remittances.</p>
${table(['Provider', 'Operation', 'Availability', 'Change to'], rows)}`
}

function row (visit: Visit, provider: string, operation: string, availability: string): Html {
  const others = availabilities.filter((other) => other !== availability)
  return html`<tr>
<td>${provider}</td><td>${operation}</td><td>${badge(availability)}</td>
<td><div class="actions">
${others.map((status) =>
  actionForm(visit, 'set-provider', { provider, operation, status }, status)
)}
</div></td>
</tr>`
}
