import type { Static } from '@sinclair/typebox'
import type { TestNumberList } from '../../../src/admin-api/examples.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField } from './forms.ts'
import { badge, emptyNote, selectField, table, type Cell } from './parts.ts'

type Numbers = Static<typeof TestNumberList>['testNumbers']

const columns = ['Phone number', 'Outcome', 'Provider', 'Operation', 'Create a payment with it']

/** Kinds of payment whose outcome a number decides, by operation. */
const kindsOf = { DEPOSIT: ['deposit'], PAYOUT: ['payout', 'remittance'] } as const

/** Test numbers of one country as a table. Each number leads to a payment with it. */
export function testNumbersHtml (
  visit: Visit,
  { testNumbers }: Static<typeof TestNumberList>
): Html {
  const countries = [...new Set(testNumbers.map(({ country }) => country))]
  const country = visit.query.country ?? (countries.includes('ZMB') ? 'ZMB' : countries[0])
  const own = testNumbers.filter((number) => number.country === country)
  return html`<p>These numbers decide the result of a payment. Other numbers complete.</p>
<form class="filters" method="get" action="${home}/test-numbers" data-submits="country">
${accountField(visit)}
${selectField('country', 'Country', countries, country, null)}
<button>Show</button>
</form>
${own.length === 0 ? emptyNote('There are none.') : table(columns, listRows(visit, own), 'dense')}`
}

function listRows (visit: Visit, numbers: Numbers): Cell[][] {
  return numbers.map(({ phoneNumber, provider, operation, outcome }) => {
    const tone = outcome === 'COMPLETED' ? 'OK' : outcome === 'PENDING' ? 'PENDING' : 'FAILED'
    const links = kindsOf[operation].map((kind) => {
      const url = linkTo(visit, '/try', { kind, phoneNumber, provider })
      return html`<a href="${url}" aria-label="${kind} with ${phoneNumber}">${kind}</a> `
    })
    return [
      html`<code>${phoneNumber}</code>`,
      badge(outcome, tone),
      provider,
      operation,
      html`${links}`
    ]
  })
}
