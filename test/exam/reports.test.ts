import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { PassThrough } from 'node:stream'
import { SaxesParser } from 'saxes'
import t from 'tap'
import { catalogue } from '../../src/exam/catalogue.ts'
import { findingsOf, usualBar } from '../../src/reports/exam/outcome.ts'
import { writeAnnotations } from '../../src/reports/annotations.ts'
import { progressOn } from '../../src/exam/progress.ts'
import { writeConsole } from '../../src/reports/console.ts'
import { reportExam } from '../../src/reports/exam/cases.ts'
import { htmlReport } from '../../src/reports/exam/page.ts'
import { writeJunit } from '../../src/reports/junit.ts'
import { writeMarkdown } from '../../src/reports/markdown.ts'
import type { Report, Result } from '../../src/reports/exam/report.ts'
import { readJunit } from '../support/reports.ts'
import { jsonSchemas } from '../../tools/schema.ts'
import { examineMerchant } from './museum.ts'

/** The reports of an exam. */

const nasty = '<script>alert("x")</script> & ]]> | `code` \u0000 %0A::error::'

function resultOf (id: string, verdict: Result['verdict'], more: Partial<Result> = {}): Result {
  const row = catalogue.find((one) => one.id === id) ?? catalogue[0]
  return {
    id,
    title: row.title,
    proves: row.proves,
    severity: row.severity,
    depth: row.depth.join('+'),
    verdict,
    because: `because of ${nasty}`,
    sent: 'POST /callbacks',
    received: `HTTP 200\n${nasty}`,
    booked: 'paid',
    shouldBe: row.shouldBe,
    why: row.why,
    fix: `${row.fix}\n\nconst lines = true`,
    curl: "curl 'http://127.0.0.1/'",
    again: `momock exam ${id} repeats the check`,
    seed: `exam/${id}`,
    requirement: row.requirement.rule,
    durationMs: 12,
    steps: [{ from: 'service', to: 'merchant', text: nasty, answer: 'HTTP 200', times: 3 }],
    ...more
  }
}

const report: Report = {
  target: 'http://127.0.0.1:3000/callbacks?a=1&b=<2>',
  started: '2026-01-01T00:00:00.000Z',
  ended: '2026-01-01T00:01:30.000Z',
  summary: {
    depth: 2,
    passed: 2,
    failed: 3,
    warning: 1,
    review: 1,
    skipped: 1,
    seed: 'exam',
    version: '0.1.0'
  },
  checks: [
    resultOf('SIG-01', 'FAILED'),
    resultOf('SIG-08', 'FAILED'),
    resultOf('END-01', 'WARNING'),
    resultOf('TRU-01', 'REVIEW'),
    resultOf('REC-04', 'SKIPPED'),
    resultOf('IDE-01', 'PASSED'),
    resultOf('IDE-02', 'FAILED', { expected: 'until March' }),
    resultOf('IDE-03', 'PASSED', { expected: 'until April' })
  ]
}

const general = reportExam(report, usualBar, 'exam.yaml')

const bars: Array<[bar: Partial<typeof usualBar>, ids: string[]]> = [
  [{}, ['SIG-01', 'IDE-03']],
  [{ failOn: 'critical' }, ['SIG-01', 'IDE-03']],
  [{ failOn: 'low' }, ['SIG-01', 'SIG-08', 'IDE-03']],
  [{ strict: true }, ['SIG-01', 'END-01', 'IDE-03']]
]

t.test(
  'what counts: the bar, recommendations, known findings and those that are none any more',
  async (t) => {
    for (const [bar, ids] of bars) {
      t.same(
        findingsOf(report, { ...usualBar, ...bar }).map(({ id }) => id),
        ids,
        JSON.stringify(bar)
      )
    }
  }
)

t.test('JSON has the form that its schema says', async (t) => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const schema = JSON.parse(jsonSchemas['exam-report.schema.json']())
  const validate = ajv.compile(schema)
  t.ok(validate(report), JSON.stringify(validate.errors))
  const real = await examineMerchant(
    'believes-everything',
    catalogue.filter(({ id }) => /SIG-01|SIG-07|IDE-01/.test(id))
  )
  t.ok(validate(JSON.parse(JSON.stringify(real))), JSON.stringify(validate.errors))
  const [finding] = real.checks
  t.match(finding, {
    id: 'SIG-01',
    verdict: 'FAILED',
    depth: '1+2',
    booked: /^paid/,
    curl: /^curl -i -X POST 'http:\/\/127/,
    seed: 'exam/SIG-01'
  })
  t.match(finding.sent, /unsigned COMPLETED\nPOST http:.*\ncontent-type: application\/json/)
  t.match(finding.received, /^HTTP 200 after \d+ ms/)
  t.match(
    finding.steps.map(({ from, to }) => `${from} → ${to}`),
    ['customer → merchant', 'merchant → service'],
    'who spoke first'
  )
})

t.test('JUnit can be parsed, and only findings that count are failures', async (t) => {
  const { tests, failures, skipped, cases } = readJunit(writeJunit([general]))
  t.same([tests, failures, skipped], [8, 2, 2])
  const failed = cases.filter(({ failure }) => failure !== undefined)
  t.same(
    failed.map(({ suite, name }) => `${suite} ${name.slice(0, 6)}`),
    ['SIG SIG-01', 'IDE IDE-03']
  )
  t.match(failed[0].failure, /^because of <script>alert\("x"\)[^]*should be: /)
  t.same(
    cases.slice(0, 1).map(({ name }) => name),
    ['SIG-01 unsigned callbacks are refused'],
    'a case has the same name, whatever its verdict is'
  )
  t.match(failed[1].failure, /^expected to fail \(until April\), and passes now/)
})

t.test('Markdown has the findings first, and nothing ends a cell', async (t) => {
  const text = writeMarkdown([general])
  const rows = text.split('\n').filter((line) => /^\| [^V-]/.test(line))
  t.equal(rows.length, report.checks.length)
  for (const row of rows) t.equal(row.match(/(?<!\\)\|/g)?.length, 6, row)
  t.match(text, /\*\*❌ .*: 2 passed, 3 failed, 1 warning, 1 to review, 1 skipped \(depth 2\)\*\*/)
  t.match(text, /### ❌ SIG-01 .*critical[\s\S]*### ⚠️ END-01/)
  t.notMatch(text, /<script>/)
})

t.test('annotations are one line each', async (t) => {
  const lines = writeAnnotations(general).trimEnd().split('\n')
  t.same(
    lines.map((line) => line.slice(0, 2)),
    lines.map(() => '::')
  )
  t.same(
    lines.map((line) =>
      /^::(error|warning) file=exam.yaml,title=([A-Z]+-\d+)/.exec(line)?.slice(1).join(' ')
    ),
    ['error SIG-01', 'warning SIG-08', 'warning IDE-02', 'error IDE-03', 'warning END-01']
  )
})

t.test('the page holds every finding, worst first, escaped, with its diagram', async (t) => {
  const page = htmlReport({
    ...report,
    summary: { ...report.summary, interrupted: 'it was interrupted' }
  })
  t.notMatch(page, /<script/i)
  t.match(page, /This report is not complete: it was interrupted/)
  const ids = [...page.matchAll(/<article class="\w+" id="([A-Z]+-\d+)"/g)].map(([, id]) => id)
  t.same(ids, ['SIG-01', 'IDE-02', 'SIG-08', 'END-01', 'TRU-01', 'IDE-03'])
  t.equal(page.match(/<svg /g)?.length, ids.length)
  t.doesNotThrow(
    () => new SaxesParser().write(/<svg [\s\S]*?<\/svg>/.exec(page)?.[0] ?? '').close(),
    'the diagram is well formed'
  )
  t.notMatch(page, /https?:\/\/(?!127)/, 'it needs nothing from elsewhere')
})

t.test('the console shows a tree and the findings, and progress beside it', async (t) => {
  const stream = new PassThrough()
  const text = writeConsole(general, stream, {})
  t.match(
    text,
    new RegExp(
      String.raw`Signatures: who sent the callback\n├ ✗ SIG-01 an unsigned ` +
        'callback is booked ' +
        String.raw`\[critical\]\n│ {5}FAILED: because`
    )
  )
  t.match(text, /└ ✓ IDE-03 a late state does not overwrite .* \(expected: until April\)/)
  t.match(text, /├ ✓ IDE-01 a repeat counts once\n/)
  t.match(text, /again: {5}momock exam SIG-01 repeats the check\n {20}curl 'http/)
  t.match(text, /IDE-03 .*\n +expected to fail \(until April\), and passes now/)
  t.equal(text.match(/const lines = true/g)?.length, 1, 'the lines that mend it stand there once')
  const { started, ended } = progressOn(stream, 2)
  started(catalogue[0])
  ended(report.checks[0])
  t.match(String(stream.read()), / {2}1 of 2 {2}FAILED {2}SIG-01\n/)
})

t.test('progress fits into a terminal, also with several checks at once', async (t) => {
  for (const columns of [30, 200]) {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns })
    const { started, ended } = progressOn(stream, 3)
    for (const row of catalogue.slice(0, 2)) started(row)
    ended(report.checks[0])
    started(catalogue[2])
    const lines = String(stream.read()).split('\r\u001b[K').slice(1)
    t.ok(lines.every((line) => line.length < columns), lines.join('|'))
    t.match(lines[0], /^ {2}0 of 3 done {2}SIG-01 unsign/)
    t.match(lines[1], /^ {2}0 of 3 done {2}SIG-02/)
    t.match(lines[2], /^ {2}1 of 3 done {2}SIG-03/)
  }
})
