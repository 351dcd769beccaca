import { describeCase, isFailure, type Case, type Report, type Suite } from './report.ts'

/** Findings about the same thing: a build server wants one case of each name. */
interface TestCase {
  name: string
  failures: string[]
  skipped?: string
}

/** Writes reports as JUnit XML, with the counts that build servers show. */
export function writeJunit (reports: readonly Report[]): string {
  const [{ name }] = reports
  const suites = reports
    .flatMap((report) => report.suites)
    .map((suite) => ({ name: suite.name, cases: joinCases(suite) }))
  const body = suites.map((suite) =>
    [
      `<testsuite ${writeAttributes({ name: suite.name, ...countCases(suite.cases) })}>`,
      ...suite.cases.map((one) => writeCase(`${name}.${suite.name}`, one)),
      '</testsuite>'
    ].join('\n')
  )
  const counts = countCases(suites.flatMap(({ cases }) => cases))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${writeAttributes({ name, ...counts })}>`,
    ...body,
    '</testsuites>',
    ''
  ].join('\n')
}

function joinCases ({ cases }: Suite): TestCase[] {
  return [...Map.groupBy(cases, ({ name }) => name)].map(([name, same]) => {
    const failures = same.filter(isFailure).map((one) => describeCase(one).join('\n'))
    const skipped = same.find(({ verdict }) => verdict === 'skipped' || verdict === 'review')
    return {
      name,
      failures,
      ...(skipped !== undefined && failures.length === 0 && { skipped: explainSkipped(skipped) })
    }
  })
}

function explainSkipped ({ verdict, message = '' }: Case): string {
  return verdict === 'review' ? `to review: ${message}` : message
}

function writeCase (classname: string, { name, failures, skipped }: TestCase): string {
  const start = `<testcase ${writeAttributes({ classname, name })}`
  if (failures.length > 0) {
    const [message] = failures[0].split('\n')
    const text = escapeXml(failures.join('\n'))
    return `${start}><failure ${writeAttributes({ message })}>${text}</failure></testcase>`
  }
  if (skipped === undefined) return `${start}/>`
  return `${start}><skipped ${writeAttributes({ message: skipped })}/></testcase>`
}

function countCases (cases: readonly TestCase[]): Record<string, number> {
  return {
    tests: cases.length,
    failures: cases.filter(({ failures }) => failures.length > 0).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length
  }
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
