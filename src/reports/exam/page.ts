import { Html, html } from '../../lib/html.ts'
import { diagramOf } from './diagram.ts'
import { families } from './families.ts'
import { isStale, partsOf, summaryOf, titleOf, worstFirst } from './outcome.ts'
import { reportStyle } from './page-style.ts'
import type { Report, Result } from './report.ts'
import { severities } from './verdict.ts'

/**
 * The report as one HTML file without a script: the summary first, failures first, each with a
 * diagram, the curl and the fix.
 */

/** Tiles of the summary, the worst first. */
const tiles = [
  ['failed', 'FAILED', 'failed'],
  ['warning', 'WARNING', 'warnings'],
  ['review', 'REVIEW', 'to review'],
  ['passed', 'PASSED', 'passed'],
  ['skipped', 'SKIPPED', 'skipped']
] as const

/** Creates a complete page without other files. */
export function htmlReport (report: Report): string {
  const { target, started, ended, summary, checks } = report
  const findings = worstFirst(checks).filter(
    (result) => ['FAILED', 'WARNING', 'REVIEW'].includes(result.verdict) || isStale(result)
  )
  const seconds = Math.round((Date.parse(ended) - Date.parse(started)) / 1000)
  const alert =
    summary.interrupted === undefined
      ? undefined
      : html`<p class="alert" role="alert">This report is not complete: ${summary.interrupted}</p>`
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Exam of ${target}: ${summaryOf(report)}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<header>
<h1>Exam of ${target}</h1>
<p class="quiet"><time datetime="${started}">${dateText(started)}</time>, ${seconds} s,
depth ${summary.depth}, seed ${summary.seed}, momock ${summary.version}</p>
${alert}
<p class="headline">${headlineOf(report)}</p>
<ul class="tiles">
${tiles.map(([name, verdict, label]) => tile(summary[name], verdict, label))}
</ul>
</header>
<main>
<h2>${findings.length === 0 ? 'No findings' : 'Findings'}</h2>
${contentsOf(findings)}
${findings.map(finding)}
<h2>All checks</h2>
<p class="quiet">A check that failed shows the bug, every other one what it can prove.</p>
${Object.entries(families)
    .map(([prefix, name]) => familyTable(name, checksOf(checks, prefix)))
    }
</main>
</body>
</html>
`.text
}

function tile (count: number, verdict: Result['verdict'], label: string): Html {
  return html`<li class="${count === 0 ? 'none' : verdict}"><b>${count}</b>${label}</li>`
}

/** The failures by severity, in a sentence. */
function headlineOf ({ checks }: Report): string {
  const failed = checks.filter(({ verdict }) => verdict === 'FAILED')
  const isRun = checks.some(({ verdict }) => verdict !== 'SKIPPED')
  const open = checks.filter(({ inconclusive }) => inconclusive === true).length
  if (failed.length === 0 && open > 0) {
    return `No check failed, and ${open} ${open === 1 ? 'proves' : 'prove'} nothing.`
  }
  if (failed.length === 0) return isRun ? 'No check failed.' : 'No check could be run.'
  const parts = severities
    .toReversed()
    .map(
      (severity) => [severity, failed.filter((one) => one.severity === severity).length] as const
    )
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`)
  return `${failed.length} ${failed.length === 1 ? 'check' : 'checks'} failed: ${parts.join(', ')}.`
}

/** A time as people write it: 2026-01-31 14:05 UTC. */
function dateText (time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}

/** Links to the findings, if there are several. */
function contentsOf (findings: readonly Result[]): Html | undefined {
  if (findings.length < 2) return undefined
  const links = findings.map(
    (result) => html`<li><span class="verdict ${result.verdict}">${result.verdict}</span>
<a href="#${result.id}">${result.id}: ${titleOf(result)}</a> (${result.severity})</li>`
  )
  return html`<nav aria-label="Findings"><ul class="contents">${links}</ul></nav>`
}

function checksOf (checks: readonly Result[], prefix: string): Result[] {
  return checks.filter(({ id }) => id.startsWith(`${prefix}-`))
}

function familyTable (name: string, checks: readonly Result[]): Html {
  if (checks.length === 0) return html``
  return html`<table>
<caption>${name}</caption>
<thead><tr>
<th scope="col">Id</th><th scope="col">Verdict</th>
<th scope="col">Severity</th><th scope="col">Check</th>
</tr></thead>
<tbody>
${checks.map(tableRow)}
</tbody>
</table>`
}

function tableRow (result: Result): Html {
  const { id, verdict, severity, because } = result
  return html`<tr>
<th scope="row">${id}</th><td class="verdict ${verdict}">${verdict}</td>
<td>${severity}</td><td><b>${sentence(titleOf(result))}</b> ${sentence(because)}</td>
</tr>`
}

function finding (result: Result): Html {
  const { id, severity, verdict, because, sent, received, curl, again, steps } = result
  const { advice, code } = partsOf(result)
  const { expected } = result
  const stale = isStale(result) ? '. It passes now: take it out of the list.' : ''
  const known =
    expected === undefined ? undefined : html`<p><em>Known finding: ${expected}${stale}</em></p>`
  const lines = code === '' ? undefined : details('Lines that fix it', code)
  const repeat = curl === '' ? undefined : details('Repeat it with curl', curl)
  const [label] = sent.split('\n')
  const diagram = diagramOf(steps, label)
  return html`<article class="${verdict}" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${id}: ${titleOf(result)}</h3>
<p><span class="verdict ${verdict}">${verdict}</span> (${severity}): ${sentence(because)}</p>
${known}
<p class="fix"><b>Fix:</b> ${advice}</p>
${factsOf(result)}
<div class="wide" tabindex="0" role="group" aria-label="Sequence of ${id}">${diagram}</div>
${lines}${repeat}${details('Sent and received', `${sent}\n\n${received}`)}
<p class="quiet">${sentence(again)}</p>
</article>`
}

function factsOf ({ booked, shouldBe, why, requirement, seed }: Result): Html {
  return html`<dl>
<dt>Should be</dt><dd>${shouldBe}</dd>
<dt>Why</dt><dd>${why}</dd>
<dt>Booked</dt><dd>${booked}</dd>
<dt>Rule</dt><dd>${requirement}</dd>
<dt>Seed</dt><dd>${seed}</dd>
</dl>`
}

/** A text as a sentence, with a capital letter and a full stop. */
function sentence (text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.?!)]$/.test(begun) ? begun : `${begun}.`
}

/** Text that a reader can open. */
function details (title: string, text: string): Html {
  return html`<details><summary>${title}</summary><pre><code>${text}</code></pre></details>`
}

export { reportStyle }
