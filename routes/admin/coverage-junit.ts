import type { Coverage } from '../../src/domain/coverage.ts'
import { html, type Html } from '../../src/lib/html.ts'

/**
 * Writes the coverage as a JUnit report. Unused features are skipped test cases; a coverage below
 * `min` is a failure.
 */
export function writeJunit (
  { covered, total, percent, groups }: Coverage,
  min: number | undefined
): Html {
  const isFailed = min !== undefined && percent < min
  const failures = isFailed ? 1 : 0
  const tests = total + (min === undefined ? 0 : 1)
  const attributes = html`tests="${tests}" failures="${failures}" errors="0"`
  return html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="momock" ${attributes} skipped="${total - covered}">
${
  min === undefined
    ? undefined
    : minimumSuite(
        min,
        isFailed,
        `${percent} percent is covered, ` + `${covered} of ${total}; ${min} is required`
      )
}${groups.map(groupSuite)}</testsuites>
`
}

function minimumSuite (min: number, isFailed: boolean, message: string): Html {
  const failure = isFailed ? html`<failure message="${message}"/>` : undefined
  const failures = isFailed ? 1 : 0
  return html`<testsuite name="coverage" tests="1" failures="${failures}" errors="0" skipped="0">
<testcase classname="momock.coverage" name="at least ${min} percent">${failure}</testcase>
</testsuite>
`
}

function groupSuite ({ name, total, exercised, missing }: Coverage['groups'][number]): Html {
  const attributes = html`tests="${total}" failures="0" errors="0" skipped="${missing.length}"`
  const className = `momock.${name}`
  const skipped = html`<skipped message="not exercised"/>`
  return html`<testsuite name="${name}" ${attributes}>
${exercised.map(
  (feature) => html`<testcase classname="${className}" name="${feature}"/>
`
)}${missing.map(
    (feature) => html`<testcase classname="${className}" name="${feature}">${skipped}</testcase>
`
  )}</testsuite>
`
}
