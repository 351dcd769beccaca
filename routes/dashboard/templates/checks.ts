import type { Static } from '@sinclair/typebox'
import type { CoverageAnswer } from '../../../src/admin-api/coverage.ts'
import type { InvariantsAnswer } from '../../../src/admin-api/invariants.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { badge, disclosure, table, type Cell, type Column } from './parts.ts'

type Group = Static<typeof CoverageAnswer>['groups'][number]
type Rule = Static<typeof InvariantsAnswer>['invariants'][number]

/** Items that the traffic of the account has used, and those that it has not. */
export function coverageHtml ({ covered, total, groups }: Static<typeof CoverageAnswer>): Html {
  return html`<h2>${covered} of ${total} items were used</h2>
${groups.map(groupHtml)}`
}

function groupHtml ({ name, covered, total, exercised, missing }: Group): Html {
  return disclosure(
    `group-${name}`,
    html`<span class="measured">${name}</span>
<meter min="0" max="${total}" value="${covered}">${covered}</meter>
<span class="soft">${covered} of ${total}</span>`,
    html`<h3>Missing</h3>${itemList(missing)}<h3>Used</h3>${itemList(exercised)}`
  )
}

function itemList (items: string[]): Html {
  return items.length === 0
    ? html`<p class="empty">None.</p>`
    : html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

/** Invariants of the account with their violations. */
export function invariantsHtml ({ invariants }: Static<typeof InvariantsAnswer>): Html {
  const columns: Column[] = [
    'Result',
    ['Rule', 'wrap'],
    ['Checked', 'number'],
    ['Broken', 'number']
  ]
  return table(columns, invariants.map(ruleRow))
}

function ruleRow ({ name, rule, checked, broken, offenders }: Rule): Cell[] {
  return [
    broken === 0 ? badge('holds', 'OK') : badge('broken', 'FAILED'),
    html`<strong>${name}</strong>: ${rule}
${offenders.map(({ what, problem }) => html`<p class="problem">${what}: ${problem}</p>`)}`,
    checked,
    broken
  ]
}
