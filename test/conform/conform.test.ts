import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Check } from '../../src/conform/judgement.ts'
import { loadOwnContract } from '../../src/conform/own-contract.ts'
import { runCommand } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { findings, mockOf, onPath, serveChanged } from './servers.ts'
import { folder } from '../support/helper.ts'
import { readJunit, readMarkdown } from '../support/reports.ts'

/** `momock conform` as a user runs it. */

const contract = await loadOwnContract()

t.test('our own server has no differences, in both versions and every operation', async (t) => {
  const mock = await mockOf(t)
  const cwd = folder(t)
  const before = await mock.payments()
  const { code, stdout, stderr } = await runCommand(
    t,
    ['conform', '--url', `${mock.url}/`, '--json', 'report.json', '--seed', 'one'],
    { cwd }
  )
  t.match({ code, stderr }, { code: 0, stderr: '' })
  const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  t.same(findings(report.checks), [])
  t.match(report, {
    mode: 'server',
    subject: [mock.url],
    seed: 'one',
    summary: { failed: 0, skipped: 0, differences: 0 }
  })
  t.same(
    new Set(report.checks.map((one: Check) => one.operation)),
    new Set(contract.operations.map(({ id }) => id))
  )
  t.match(
    stdout,
    `${mock.url}: ${report.checks.length} checks, ${report.checks.length} passed, 0 differ`
  )
  t.same(await mock.payments(), before, 'nothing was paid')
  const sent = await mock.requests({ method: 'POST' })
  t.same(
    sent.filter(({ response: { body } }) => /"(ACCEPTED|redirectUrl)"/.test(JSON.stringify(body))),
    [],
    'nothing was accepted'
  )
})

t.test('our own server has no differences when payments are made', long, async (t) => {
  const mock = await mockOf(t)
  await mock.setClock({ mode: 'running', speed: 100 })
  const cwd = folder(t)
  const { code, stdout } = await runCommand(
    t,
    [
      'conform',
      '--url',
      mock.url,
      '--write',
      '--provider',
      'MTN_MOMO_ZMB',
      '--json',
      'report.json'
    ],
    { cwd }
  )
  t.equal(code, 0, stdout)
  const { checks, provider, questions } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  t.equal(provider, 'MTN_MOMO_ZMB')
  t.same(
    questions.map(({ path, answers }: any) => [path, ...answers]),
    [
      ['/v1/deposits', '404 1'],
      ['/deposits', '400 1'],
      ['/deposits', '400 1'],
      ['/v2/deposits', '200 ACCEPTED'],
      ['/v2/deposits', '200 REJECTED INVALID_AMOUNT'],
      ['/v2/paymentpage', '201']
    ],
    'open questions are answered, and are no differences'
  )
  t.match(stdout, 'is /v1/deposits an alias of /deposits? POST /v1/deposits: 404 1')
  t.same(findings(checks), [])
  t.same(
    checks.filter((one: Check) => one.outcome === 'skipped'),
    []
  )
  const made = new Set(
    (await mock.payments()).map(({ kind, version, status }) => `${version} ${kind} ${status}`)
  )
  for (const kind of [
    'v1 deposit COMPLETED',
    'v1 deposit FAILED',
    'v1 payout COMPLETED',
    'v1 refund COMPLETED',
    'v2 remittance COMPLETED',
    'v2 splitPayment COMPLETED',
    'v2 checkout EXPIRED'
  ]) {
    t.ok(made.has(kind), kind)
  }
})

t.test('what a token may not do is skipped, and what it may is checked', async (t) => {
  const mock = await mockOf(t)
  const cwd = folder(t)
  const { code, stdout } = await runCommand(
    t,
    ['conform', '--url', mock.url, '--token', 'test-token-readonly', '--json', 'report.json'],
    { cwd }
  )
  t.equal(code, 0)
  t.match(stdout, /^skipped {2}\d+ of v1InitiateDeposit, .* more: the token has no permission$/m)
  const { checks }: { checks: Check[] } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  t.same(
    checks.filter(
      ({ outcome, operation }) => outcome === 'skipped' && /Find|List|Get/.test(operation)
    ),
    []
  )
})

t.test('an account that takes signed requests only: what must be signed is skipped', async (t) => {
  const mock = await mockOf(t, { accounts: [{ name: 'default', signedRequestsOnly: true }] })
  const cwd = folder(t)
  const args = ['conform', '--url', mock.url, '--json', 'report.json']
  const { code, stdout } = await runCommand(t, args, { cwd })
  t.equal(code, 0, stdout)
  const report: { checks: Check[] } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  const skipped = report.checks.filter(({ outcome }) => outcome === 'skipped')
  t.same(
    [...new Set(skipped.map(({ reason }) => reason))],
    ['the account accepts only signed requests']
  )
  t.same(
    skipped.filter(({ operation }) => !/^v[12]Initiate/.test(operation)),
    []
  )
})

t.test(
  'payments that an account may not make are skipped with all that is about them',
  async (t) => {
    const mock = await mockOf(t)
    await mock.setClock({ mode: 'running', speed: 100 })
    const cwd = folder(t)
    const url = await serveChanged(
      t,
      mock,
      onPath('POST', /^\/v2\/remittances(\/bulk)?$/, (seen) => {
        if (seen.status === 200) {
          Object.assign(seen, {
            status: 403,
            body: {
              status: 'REJECTED',
              failureReason: { failureCode: 'REMITTANCES_NOT_ALLOWED', failureMessage: 'no' }
            }
          })
        }
      })
    )
    await runCommand(
      t,
      ['conform', '--url', url, '--api-version', 'v2', '--write', '--json', 'report.json'],
      { cwd }
    )
    const { checks }: { checks: Check[] } = JSON.parse(
      readFileSync(join(cwd, 'report.json'), 'utf8')
    )
    t.same(findings(checks), [])
    t.match(
      checks
        .filter(({ outcome }) => outcome === 'skipped')
        .map(({ operation, reason }) => `${operation}: ${reason}`),
      [
        'v2InitiateRemittance: the account has no permission (REMITTANCES_NOT_ALLOWED)',
        'v2FindRemittance: its payment was not accepted',
        'v2ResendRemittanceCallback: its payment was not accepted',
        'v2CancelEnqueuedRemittance: its payment was not accepted',
        'v2InitiateRemittances: the account has no permission (REMITTANCES_NOT_ALLOWED)'
      ]
    )
  }
)

t.test('the reports, read by strict parsers', async (t) => {
  const mock = await mockOf(t)
  const cwd = folder(t)
  const url = await serveChanged(
    t,
    mock,
    onPath('GET', /public-key/, ({ status, body }) => {
      if (status === 200) Object.assign(body[0], { 'a|b`<&"': 1, extra_field: 1 })
    })
  )
  const { code, stdout } = await runCommand(
    t,
    [
      'conform',
      '--url',
      url,
      '--token',
      mock.token,
      '--api-version',
      'v2',
      '--json',
      'r.json',
      '--junit',
      'r.xml',
      '--markdown',
      'r.md'
    ],
    { cwd }
  )
  t.equal(code, 1)
  t.match(
    stdout,
    new RegExp(
      String.raw`^differs {2}v2ListPublicKeys is answered\n {9}the server sends ` +
        String.raw`\x60\[\]\.\[hidden\]\x60, the schema does not have it\n {9}the server sends ` +
        String.raw`\x60\[\]\.extra_field\x60`,
      'm'
    )
  )
  t.match(
    stdout,
    new RegExp(
      String.raw`1 differ \(2 differences\), 0 skipped\n--seed \w+ repeats this run[^]*wrote ` +
        String.raw`r\.json\nwrote r\.xml\nwrote r\.md\n$`
    )
  )
  const json = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))
  const junit = readJunit(readFileSync(join(cwd, 'r.xml'), 'utf8'))
  const markdown = readMarkdown(readFileSync(join(cwd, 'r.md'), 'utf8'))
  t.match(json.summary, { failed: 1, differences: 2 })
  t.match(junit, { tests: json.checks.length, failures: 1, skipped: 0 })
  t.same(
    junit.cases.filter(({ failure }) => failure !== undefined),
    [
      {
        suite: 'v2ListPublicKeys',
        name: 'is answered',
        failure:
          'the server sends `[].[hidden]`, the schema does not have it\nthe server sends ' +
          '`[].extra_field`, the schema does not have it'
      }
    ]
  )
  t.ok(markdown.headings.includes('❌ v2ListPublicKeys is answered'))
  t.same(markdown.listItems, [
    'the server sends [].[hidden], the schema does not have it',
    'the server sends [].extra_field, the schema does not have it'
  ])
  const operations = new Set(json.checks.map((one: Check) => one.operation))
  t.same(new Set(markdown.tables[0].rows.map(([name]) => name)), operations)
})

t.test('a server that goes away is given up after three requests', async (t) => {
  const mock = await mockOf(t)
  let answers = 0
  const cwd = folder(t)
  const url = await serveChanged(t, mock, (_seen, response) => {
    if (++answers > 5) response.destroy()
  })
  const { code } = await runCommand(t, ['conform', '--url', url, '--json', 'r.json'], { cwd })
  const { checks }: { checks: Check[] } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))
  t.equal(code, 1)
  t.same(
    [checks.filter(({ differences: [first] }) => first?.kind === 'no-answer').length, answers],
    [3, 8]
  )
  t.ok(checks.slice(7).every(({ reason }) => reason === '3 requests in a row got no answer'))
})

t.test('a report on the standard output has the text on the other', async (t) => {
  const { url } = await mockOf(t)
  const args = ['conform', '--url', url, '--api-version', 'v1', '--json', '-']
  const { code, stdout, stderr } = await runCommand(t, args)
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { mode: 'server', subject: [url] })
  t.match(stderr, /0 differ/)
})
