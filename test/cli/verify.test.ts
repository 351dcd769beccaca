import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runCommand } from '../support/command-runner.ts'
import { requests } from '../support/examples.ts'
import { build, folder } from '../support/helper.ts'
import { readJunit } from '../support/reports.ts'

/** `momock verify`, and the reports of a verification and of the coverage. */

const met = '  - request: { method: POST, path: /v2/deposits }\n    count: 1\n'
const unmet =
  '  - name: "25, paid: once"\n    count: 1\n' +
  '    request: { path: /v2/deposits, body: { amount: "25.00" } }\n'

/** A mock with one deposit, and a folder with a file of expectations. */
async function stage (t: Test, expectations: string) {
  const mock = await build(t)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  const cwd = folder(t)
  writeFileSync(join(cwd, 'wanted.yaml'), `expectations:\n${expectations}`)
  const run = (args: string[] = [], env = {}) =>
    runCommand(t, ['verify', 'wanted.yaml', '--url', mock.url, ...args], { cwd, env })
  return { mock, cwd, run, read: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

t.test('the exit code says whether all expectations were met', async (t) => {
  const good = await stage(t, met)
  t.match(await good.run(), { code: 0, stdout: '1 of 1 expectations were met\n', stderr: '' })
  const bad = await stage(t, met + unmet)
  const { code, stdout } = await bad.run()
  t.equal(code, 1)
  t.match(stdout, /not met {2}25, paid: once/)
  t.match(stdout, /nearest: POST \/v2\/deposits 200\n +body\.amount: wanted "25\.00", got "15"/)
  t.match(stdout, /1 of 2 expectations were met\n$/)
})

t.test('reports are written as JUnit XML, JSON and Markdown', async (t) => {
  const { run, read } = await stage(t, met + unmet)
  const files = ['--junit', 'a.xml', '--json', 'a.json', '--markdown', 'a.md', '--min', '99']
  t.match(await run(files), { code: 1, stdout: /percent is covered, .*; 99 is required/ })
  const { failures, cases } = readJunit(read('a.xml'))
  t.equal(failures, 2)
  t.match(
    cases.filter(({ failure }) => failure !== undefined),
    [
      { suite: 'verify', name: '25, paid: once' },
      { suite: 'coverage', name: 'at least 99 percent' }
    ]
  )
  t.match(JSON.parse(read('a.json')), { passed: false, coverage: { min: 99, passed: false } })
  t.match(read('a.md'), /\*\*❌ 1 of 2 expectations were met\*\*[\s\S]*\| ❌ \| 25, paid: once \|/)
  t.match(read('a.md'), /## momock coverage\n\n\*\*❌ .*99 is required\*\*[\s\S]*\| kinds \|/)
})

t.test('in GitHub Actions there is a summary, and an annotation at the line', async (t) => {
  const { run, cwd, read } = await stage(t, met + unmet)
  writeFileSync(join(cwd, 'summary.md'), 'before\n')
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
  const { stdout } = await run(['--min', '99'], env)
  t.match(stdout, /^::error file=wanted\.yaml,line=4,title=25%2C paid%3A once::/m)
  t.match(stdout, /^::error title=momock coverage::.* percent is covered/m)
  t.match(read('summary.md'), /^before\n## momock verify\n[\s\S]*## momock coverage/)
})

t.test('wrong arguments, a wrong file and a missing mock have their exit codes', async (t) => {
  const { mock, cwd } = await stage(t, met)
  writeFileSync(join(cwd, 'wrong.yaml'), 'expectations:\n  - request: { pth: /x }\n')
  writeFileSync(join(cwd, 'both.yaml'), `expectations:\n${met}    atMost: 3\n`)
  const rows: Array<[args: string[], code: number, says: RegExp]> = [
    [[], 2, /name one file: momock verify FILE/],
    [['none.yaml'], 2, /none\.yaml: .*no such file/],
    [['wrong.yaml'], 2, /wrong\.yaml:2: .*did you mean path/],
    [['both.yaml', '--mock', mock.url], 2, /expectations\.0 /],
    [['wanted.yaml', '--min', '101'], 2, /--min/],
    [['wanted.yaml', '--url', 'http://127.0.0.1:9'], 3, /there is no momock at/]
  ]
  for (const [args, code, says] of rows) {
    const result = await runCommand(t, ['verify', ...args], { cwd })
    t.match(result, { code, stderr: says }, args.join(' '))
  }
})

const formats: Array<[format: string, type: RegExp, body: RegExp]> = [
  ['junit', /^application\/xml/, /^<\?xml [\s\S]*<testsuites name="momock"/],
  ['markdown', /^text\/markdown/, /^## momock (verify|coverage)\n/]
]

t.test('the calls answer with the same reports', async (t) => {
  const { mock } = await stage(t, met)
  const body = { expectations: [{ request: { path: '/v2/deposits' }, count: 2 }] }
  for (const [format, type, text] of formats) {
    const verified = await mock.call('POST', `/__admin/verify?format=${format}`, body)
    t.match(verified, { status: 200, headers: { 'content-type': type }, body: text })
    const covered = await mock.call('GET', `/__admin/coverage?format=${format}&min=60`)
    t.match(covered, { status: 200, headers: { 'content-type': type }, body: text })
  }
  t.match((await mock.call('POST', '/__admin/verify?format=pdf', body)).status, 400)
})
