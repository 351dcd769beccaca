/** JUnit XML, the report format of build servers. */

/** Test case of a report. */
export interface TestCase {
  name: string
  /** One text per failure. A case without failures has passed. */
  failures?: readonly string[]
  /** Reason why the case was skipped. */
  skipped?: string
}

/** Test suite of a report. */
export interface TestSuite {
  name: string
  cases: readonly TestCase[]
}

/** Writes a report with the counts that build servers show. */
export function writeJunit (name: string, suites: readonly TestSuite[]): string {
  const body = suites.map((suite) =>
    [
      `<testsuite ${writeAttributes({ name: suite.name, ...countCases([suite]) })}>`,
      ...suite.cases.map((one) => writeCase(`${name}.${suite.name}`, one)),
      '</testsuite>'
    ].join('\n')
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${writeAttributes({ name, ...countCases(suites) })}>`,
    ...body,
    '</testsuites>',
    ''
  ].join('\n')
}

function writeCase (classname: string, { name, failures = [], skipped }: TestCase): string {
  const start = `<testcase ${writeAttributes({ classname, name })}`
  if (failures.length > 0) {
    const [message] = failures[0].split('\n')
    const text = escapeXml(failures.join('\n'))
    return `${start}><failure ${writeAttributes({ message })}>${text}</failure></testcase>`
  }
  if (skipped === undefined) return `${start}/>`
  return `${start}><skipped ${writeAttributes({ message: skipped })}/></testcase>`
}

function countCases (suites: readonly TestSuite[]): Record<string, number> {
  const cases = suites.flatMap((suite) => suite.cases)
  const failures = cases.filter((one) => (one.failures?.length ?? 0) > 0).length
  const skipped = cases.filter(
    (one) => (one.failures?.length ?? 0) === 0 && one.skipped !== undefined
  )
  return { tests: cases.length, failures, errors: 0, skipped: skipped.length }
}

function writeAttributes (values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML 1.0 forbids or advises against: control characters, lone surrogates. */
const impossible = /(?![\t\n\r])[\p{Control}\ufffe\uffff]|\p{Surrogate}/gu

function escapeXml (text: string): string {
  return text.replace(impossible, '\ufffd').replace(/[&<>"]/g, (character) => entities[character])
}
