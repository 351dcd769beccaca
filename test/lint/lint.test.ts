import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeTable } from '../../src/reports/markdown.ts'
import { rules } from '../../src/lint/rules.ts'
import { runCommand } from '../support/command-runner.ts'
import { folder, id } from '../support/helper.ts'
import { lintOf, shopOf, v1 } from './shop.ts'
import { readJunit } from '../support/reports.ts'
import { createMomock } from '../support/momock.ts'

/** `GET /__admin/lint` and `momock lint`. */

t.test('findings are grouped, and the first twenty requests are named', async (t) => {
  const shop = await shopOf(t)
  for (let n = 0; n < 25; n++) await shop.call('GET', `/deposits/${id()}`)
  const {
    findings: [finding],
    checked,
    dropped,
    rules: applied
  } = await lintOf(shop)
  t.match(finding, {
    rule: 'v1-path',
    severity: 'refused',
    count: 25,
    requests: Array.from({ length: 20 }, (_, n) => n + 1),
    request: { id: 1, method: 'GET' }
  })
  t.same([checked, dropped], [25, 0])
  t.same(
    applied.filter(({ found }: any) => found > 0).map(({ id }: any) => id),
    ['v1-path']
  )
  t.match(await lintOf(shop, '?ignore=v1-path'), { passed: true, findings: { length: 0 } })
  const other = await shop.call('GET', '/__admin/lint', undefined, {
    authorization: 'Bearer sandbox-other'
  })
  t.match(other.body, { passed: true, checked: 0 }, 'another account has done nothing')
})

t.test('what cannot be looked at', async (t) => {
  const shop = await shopOf(t)
  const bad: Array<[query: string, message: RegExp, hint: RegExp]> = [
    ['?ignore=v1-paths', /ignore: there is no rule 'v1-paths'/, /did you mean v1-path\?/],
    ['?format=xml', /format must be 'json' or 'junit'/, /./],
    ['?ignored=x', /ignored is not supported here; did you mean ignore\?/, /./]
  ]
  for (const [query, message, hint] of bad) {
    t.match(await shop.call('GET', `/__admin/lint${query}`), {
      status: 400,
      body: { error: { message, hint } }
    })
  }
  const blind = await shopOf(t, { journal: 0 })
  t.match(await blind.call('GET', '/__admin/lint'), {
    status: 409,
    body: { error: { message: /the request journal is switched off/, hint: /--journal 0/ } }
  })
})

t.test('as JUnit, read by a strict parser', async (t) => {
  const shop = await shopOf(t)
  await shop.call('POST', '/deposits', {
    ...v1('deposit'),
    statementDescription: 'a <b> & "c" \u0000'
  })
  const { body, headers } = await shop.call('GET', '/__admin/lint?format=junit')
  t.equal(headers['content-type'], 'application/xml; charset=utf-8')
  const { cases, failures } = readJunit(body)
  t.same([cases.length, failures], [rules.length, 1])
  t.match(cases[0], {
    suite: 'lint',
    name: 'v1-path: requests use v2 paths',
    failure: new RegExp(
      String.raw`^POST \/deposits is a v1 operation\n[^]*request 1: POST \/deposits\n[^]*in ` +
        String.raw`v2: POST \/v2\/deposits`
    )
  })
})

t.test('momock lint: a running mock, or a journal that was saved', async (t) => {
  const mock = await createMomock()
  t.teardown(mock.close)
  const cwd = folder(t)
  const clean = await runCommand(t, ['lint', '--url', mock.url], { cwd })
  t.match(clean, { code: 0, stdout: 'checked 0 requests: no findings\n', stderr: '' })
  await fetch(`${mock.url}/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(v1('deposit'))
  })
  const args = ['--json', 'lint.json', '--junit', 'lint.xml']
  const running = await runCommand(t, ['lint', '--url', mock.url, ...args], { cwd })
  t.match(running, {
    code: 1,
    stdout: new RegExp(
      String.raw`^refused {2}v1-path\n {9}POST \/deposits is a v1 operation\n[^]* {9}in v2: POST ` +
        String.raw`\/v2\/deposits\n {11}\{"depositId"[^]*\nchecked 1 request: 1 refused by v2, ` +
        String.raw`0 warnings\nwrote lint\.json\nwrote lint\.xml\n$`
    )
  })
  const written = JSON.parse(readFileSync(join(cwd, 'lint.json'), 'utf8'))
  t.match(written, { passed: false, findings: [{ rule: 'v1-path' }] })
  t.equal(readJunit(readFileSync(join(cwd, 'lint.xml'), 'utf8')).failures, 1)
  t.match(await runCommand(t, ['lint', '--url', mock.url, '--ignore', 'v1-path'], { cwd }), {
    code: 0
  })

  const journal = await mock.requests()
  writeFileSync(join(cwd, 'list.json'), JSON.stringify(journal))
  writeFileSync(join(cwd, 'journal.json'), JSON.stringify(await mock.call('GET', '/requests')))
  for (const file of ['list.json', 'journal.json']) {
    const saved = await runCommand(t, ['lint', file, '--json', 'saved.json'], { cwd })
    t.equal(saved.code, 1)
    t.same(
      JSON.parse(readFileSync(join(cwd, 'saved.json'), 'utf8')).findings,
      written.findings,
      file
    )
  }
})

t.test('momock lint: what cannot be read is told', async (t) => {
  const mock = await createMomock({ adminToken: 'secret' })
  t.teardown(mock.close)
  const cwd = folder(t)
  for (const [name, text] of [
    ['no.json', '{'],
    ['other.json', '{"log":{}}'],
    ['entry.json', '[{"id":"x"}]']
  ]) {
    writeFileSync(join(cwd, name), text)
  }
  const cases: Array<[what: string, args: string[], code: number, said: RegExp]> = [
    [
      'nobody is there',
      ['--url', 'http://127.0.0.1:9'],
      3,
      /there is no momock at http:\/\/127\.0\.0\.1:9/
    ],
    [
      'the admin token is missing',
      ['--url', mock.url],
      2,
      /X-Momock-Admin-Token header is missing or wrong/
    ],
    [
      'a token that is not known',
      ['--url', mock.url, '--admin-token', 'secret', '--token', 'nobody'],
      2,
      /this bearer token is unknown/
    ],
    ['a file that is not there', ['gone.json'], 2, /gone\.json cannot be read/],
    ['a file that is not JSON', ['no.json'], 2, /no\.json is not JSON/],
    [
      'a file that is no journal',
      ['other.json'],
      2,
      /other\.json: requests is required: the list of a saved journal; save one with curl/
    ],
    ['an entry that is none', ['entry.json'], 2, /entry\.json: requests\.0\.\w+ /],
    ['two files', ['a.json', 'b.json'], 2, /only one file can be checked/],
    ['a file and a mock', ['a.json', '--url', mock.url], 2, /a file and --url exclude each other/],
    [
      'a rule that does not exist',
      ['--url', mock.url, '--ignore', 'v1-pth'],
      2,
      /--ignore: there is no rule 'v1-pth'; did you mean v1-path\?/
    ],
    [
      'a report that cannot be written',
      ['--url', mock.url, '--json', 'entry.json/file'],
      2,
      /--json: entry\.json\/file cannot be written/
    ]
  ]
  const before = readdirSync(cwd)
  for (const [what, args, code, said] of cases) {
    const outcome = await runCommand(t, ['lint', ...args], { cwd })
    t.match({ code: outcome.code, text: outcome.stderr }, { code, text: said }, what)
  }
  t.same(readdirSync(cwd), before)
})

t.test('docs/lint.md lists every rule as the code has it', async (t) => {
  const page = new URL('../../docs/lint.md', import.meta.url)
  const document = readFileSync(page, 'utf8')
  const table = writeTable({
    head: ['Rule', 'Severity', 'What should be', 'Why'],
    rows: rules.map(({ id, severity, title, why }) => [`\`${id}\``, severity, title, why])
  }).replaceAll('\\_', '_')
  const corrected = document.replace(
    /(<!-- rules -->\n)[^]*(<!-- \/rules -->)/,
    (_, begin, end) => `${begin}${table}\n${end}`
  )
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, corrected)
  else t.equal(document, corrected)
})
