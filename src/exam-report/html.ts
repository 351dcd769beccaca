import { html } from 'ghtml'
import { isStale, partsOf, summaryOf, worstFirst } from './outcome.ts'
import type { Report, Result } from './report.ts'
import { diagramOf } from './diagram.ts'

/**
 * The report as one HTML file without a script: the summary first, failures first, each with a
 * diagram, the curl and the fix.
 */

/** Style of the page. A server that sends the page allows it by its hash. */
export const reportStyle = `
:root {
  color-scheme: light dark; --line: #8886; --soft: #8882; --red: #c0392b; --amber: #b7791f;
  --green: #2f855a; --blue: #2b6cb0; --gray: #718096
}
@media (prefers-color-scheme: dark) {
  :root {
    --red: #f08a80; --amber: #f0c36d; --green: #7fd3a2; --blue: #8ebff0; --gray: #a0aec0
  }
}
* { box-sizing: border-box }
body {
  font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto;
  padding: 2rem 1rem 4rem
}
h1 { font-size: 1.6rem; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { margin: 2.2rem 0 .8rem }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; padding: 0; list-style: none }
.tiles li {
  flex: 1 1 7rem; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: .5rem
}
.tiles b { display: block; font-size: 1.7rem; line-height: 1.2 }
article {
  border: 1px solid var(--line); border-left: .35rem solid var(--gray); border-radius: .5rem;
  padding: .9rem 1.1rem; margin: 0 0 1rem
}
article h3 { margin: 0 0 .4rem; font-size: 1.1rem }
.FAILED { border-left-color: var(--red) }
.WARNING { border-left-color: var(--amber) }
.REVIEW { border-left-color: var(--blue) }
.PASSED { border-left-color: var(--green) }
.verdict { font-weight: 600 }
.verdict.FAILED { color: var(--red) }
.verdict.WARNING { color: var(--amber) }
.verdict.REVIEW { color: var(--blue) }
.verdict.PASSED { color: var(--green) }
.verdict.SKIPPED { color: var(--gray) }
dl {
  display: grid; grid-template-columns: minmax(6.5rem, max-content) 1fr; gap: .3rem .9rem;
  margin: .6rem 0
}
dt { color: var(--gray) } dd { margin: 0; overflow-wrap: anywhere }
pre {
  overflow: auto; background: var(--soft); padding: .7rem; border-radius: .4rem;
  font-size: .82rem; white-space: pre-wrap; overflow-wrap: anywhere
}
summary { cursor: pointer; color: var(--gray) }
svg { width: 100%; height: auto; margin: .4rem 0; font: 12px system-ui, sans-serif }
svg text { text-anchor: middle; fill: currentColor }
svg .head { font-weight: 600 }
svg .answer { fill: var(--gray) }
svg .life { stroke: var(--line); stroke-dasharray: 3 4 }
svg path { fill: none; stroke: currentColor }
svg .reply { stroke: var(--gray); stroke-dasharray: 4 3 }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td {
  text-align: left; vertical-align: top; padding: .35rem .6rem;
  border-bottom: 1px solid var(--line)
}
.alert {
  border: 1px solid var(--red); border-radius: .5rem; padding: .7rem 1rem; color: var(--red)
}
`

/** A page that stands alone. */
export function htmlReport (report: Report): string {
  const { target, started, ended, summary, checks } = report
  const sorted = worstFirst(checks)
  const findings = sorted.filter(
    (result) => ['FAILED', 'WARNING', 'REVIEW'].includes(result.verdict) || isStale(result)
  )
  const seconds = Math.round((Date.parse(ended) - Date.parse(started)) / 1000)
  const tiles = (['failed', 'warning', 'review', 'passed', 'skipped'] as const)
    .map((name) => html`<li><b>${summary[name]}</b>${name}</li>`)
    .join('')
  const alert =
    summary.interrupted === undefined
      ? ''
      : html`<p class="alert" role="alert">This report is not complete: ${summary.interrupted}</p>`
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Exam of ${target}: ${summaryOf(report)}</title>
<style>!${reportStyle}</style>
</head>
<body>
<header>
<h1>Exam of ${target}</h1>
<p>${started}, ${seconds} s, depth ${summary.depth}, seed ${summary.seed},
momock ${summary.version}</p>
!${alert}
<ul class="tiles">!${tiles}</ul>
</header>
<main>
<h2>${findings.length === 0 ? 'No findings' : 'Findings'}</h2>
!${findings.map(finding).join('\n')}
<h2>All checks</h2>
<table>
<thead><tr>
<th scope="col">Check</th><th scope="col">Verdict</th>
<th scope="col">Severity</th><th scope="col">Because</th>
</tr></thead>
<tbody>
!${checks.map(tableRow).join('\n')}
</tbody>
</table>
</main>
</body>
</html>
`
}

function tableRow ({ id, title, verdict, severity, because }: Result): string {
  return html`<tr>
<td><b>${id}</b> ${title}</td><td class="verdict ${verdict}">${verdict}</td>
<td>${severity}</td><td>${because}</td>
</tr>`
}

function finding (result: Result): string {
  const {
    id,
    title,
    severity,
    verdict,
    because,
    sent,
    received,
    booked,
    shouldBe,
    why,
    curl,
    seed,
    requirement,
    expected,
    steps
  } = result
  const { advice, code } = partsOf(result)
  const stale = isStale(result) ? '. It passes now: take it out of the list.' : ''
  const known =
    expected === undefined ? '' : html`<p><em>Known finding: ${expected}${stale}</em></p>`
  const lines = code === '' ? '' : details('Lines that fix it', code)
  const repeat = curl === '' ? '' : details('Repeat it with curl', curl)
  return html`<article class="${verdict}" id="${id}">
<h3>${id}: ${title}</h3>
<p><span class="verdict ${verdict}">${verdict}</span>, ${severity}. ${because}</p>
!${known}<dl>
<dt>Should be</dt><dd>${shouldBe}</dd>
<dt>Why</dt><dd>${why}</dd>
<dt>Fix</dt><dd>${advice}</dd>
<dt>Booked</dt><dd>${booked}</dd>
<dt>Rule</dt><dd>${requirement}</dd>
<dt>Seed</dt><dd>${seed}</dd>
</dl>
!${diagramOf(steps)}
!${lines}!${repeat}!${details('Sent and received', `${sent}\n\n${received}`)}
</article>`
}

/** Text that a reader can open. */
function details (title: string, text: string): string {
  return html`<details><summary>${title}</summary><pre><code>${text}</code></pre></details>`
}
