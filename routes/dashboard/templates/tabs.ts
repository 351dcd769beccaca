import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'

/** Tabs of the dashboard. A tab with several pages has a second row of links. */
const tabs: Record<string, Record<string, string>> = {
  Payments: { Payments: '/payments' },
  Callbacks: { Callbacks: '/callbacks' },
  Requests: { Requests: '/requests' },
  'Try it': { 'Try it': '/try' },
  Controls: {
    Providers: '/providers',
    Scenarios: '/scenarios',
    Faults: '/faults',
    Wallets: '/wallets',
    'Test numbers': '/test-numbers',
    Snapshots: '/snapshots'
  },
  Checks: {
    Coverage: '/coverage',
    Invariants: '/invariants',
    Load: '/load',
    Exam: '/exam'
  }
}

/** Links to all tabs, and to the pages of the current tab. */
export function tabsHtml (visit: Visit, page: string): Html {
  const current = Object.keys(tabs).find((name) => page in tabs[name]) ?? page
  return html`<nav class="tabs" aria-label="Views">
${Object.entries(tabs).map(([name, pages]) =>
  tabLink(visit, name, Object.values(pages)[0], name === current)
)}
<a href="/__admin/docs">API reference</a>
</nav>
${pagesHtml(visit, tabs[current] ?? {}, page)}`
}

function pagesHtml (visit: Visit, pages: Record<string, string>, page: string): Html | undefined {
  const entries = Object.entries(pages)
  if (entries.length < 2) return undefined
  return html`<nav class="tabs pages" aria-label="Pages">
${entries.map(([name, path]) => tabLink(visit, name, path, name === page))}
</nav>`
}

function tabLink (visit: Visit, name: string, path: string, isCurrent: boolean): Html {
  const url = linkTo(visit, path)
  return isCurrent
    ? html`<a href="${url}" aria-current="page">${name}</a>`
    : html`<a href="${url}">${name}</a>`
}
