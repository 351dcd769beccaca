import type { Static } from '@sinclair/typebox'
import type { Overview } from '../../../src/admin-api/overview.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'

type On = Static<typeof Overview>

/** Tabs of the dashboard. A tab with several pages has a second row of links. */
const tabs: Record<string, Record<string, string>> = {
  Payments: { Payments: '/payments' },
  Callbacks: { Callbacks: '/callbacks' },
  Requests: { Requests: '/requests' },
  'Try it': { 'Try it': '/try' },
  Controls: {
    Faults: '/faults',
    Scenarios: '/scenarios',
    Providers: '/providers',
    Wallets: '/wallets',
    'Test numbers': '/test-numbers',
    Snapshots: '/snapshots',
    Team: '/team'
  },
  Checks: {
    Lint: '/lint',
    Coverage: '/coverage',
    Invariants: '/invariants',
    Load: '/load',
    Exam: '/exam'
  }
}

/** Links to all tabs, and to the pages of the current tab. */
export function tabsHtml (visit: Visit, page: string, failing: number): Html {
  const current = Object.keys(tabs).find((name) => page in tabs[name]) ?? page
  const number =
    failing === 0
      ? undefined
      : html` <span class="number" title="Failing callbacks">${failing}<span
class="unseen"> failing</span></span>`
  return html`<nav class="tabs" aria-label="Views">
${Object.entries(tabs).map(([name, pages]) => {
  const mark = name === 'Callbacks' ? number : undefined
  return tabLink(visit, name, Object.values(pages)[0], name === current, mark)
})}
<a class="apart" href="/__admin/docs">Reference</a><a href="/__admin/docs/guide">Help</a>
</nav>`
}

/** Links to the pages of the current tab. */
export function pagesHtml (visit: Visit, page: string): Html | undefined {
  const entries = Object.entries(Object.values(tabs).find((pages) => page in pages) ?? {})
  if (entries.length < 2) return undefined
  return html`<nav class="tabs pages" aria-label="Pages">
${entries.map(([name, path]) => tabLink(visit, name, path, name === page))}
</nav>`
}

function tabLink (
  visit: Visit,
  name: string,
  path: string,
  isCurrent: boolean,
  mark?: Html
): Html {
  const url = linkTo(visit, path)
  return isCurrent
    ? html`<a href="${url}" aria-current="page">${name}${mark}</a>`
    : html`<a href="${url}">${name}${mark}</a>`
}

/** What is switched on in the account, on every page: each leads to where it is switched off. */
export function chipsHtml (visit: Visit, { clock, outages, scenarios }: On): Html | undefined {
  const isFault = ({ name }: On['scenarios'][number]): boolean => name.startsWith('fault-')
  const faults = scenarios.filter(isFault)
  const others = scenarios.filter((scenario) => !isFault(scenario))
  const providers = new Set(outages.map(({ provider }) => provider))
  const chips = [
    clock.mode === 'frozen'
      ? html`<span class="chip frozen">Clock frozen</span>`
      : undefined,
    chip(visit, '/faults', 'fault', faults.map(({ name }) => name.slice('fault-'.length))),
    chip(visit, '/providers', 'outage', [...providers]),
    chip(visit, '/scenarios', 'scenario', others.map(({ name }) => name))
  ].filter((one) => one !== undefined)
  return chips.length === 0 ? undefined : html`<div class="chips">${chips}</div>`
}

/** One thing with its name, or the number of several. */
function chip (
  visit: Visit,
  path: string,
  word: string,
  names: readonly string[]
): Html | undefined {
  if (names.length === 0) return undefined
  const text = names.length === 1 ? `1 ${word} on: ${names[0]}` : `${names.length} ${word}s on`
  return html`<a class="chip" href="${linkTo(visit, path)}" title="${names.join(', ')}">${text}</a>`
}
