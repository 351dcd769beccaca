import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createMomock } from '../../src/index.ts'
import { limitEachTest } from '../support/limits.ts'
import { configured, run, start } from './program.ts'

/** `momock exam` with an application that it starts. */

limitEachTest()

t.test('an application that is started by a command: files, findings and exit codes', async (t) => {
  const folder = await configured(t, 'believes-everything', { expect: { 'SIG-05': 'until March' } })
  const summary = join(folder, 'summary.md')
  const files = [
    '--json',
    'out/r.json',
    '--junit',
    'out/r.xml',
    '--markdown',
    'out/r.md',
    '--html',
    'out/r.html'
  ]
  const { code, out, err } = await run(t, ['SIG-01', 'SIG-05', 'SIG-07', ...files], folder, {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary
  })
  t.equal(code, 1, err)
  t.match(err, /The mock of the exam is at http:\/\/127[\s\S]*1 of 3 {2}FAILED {2}SIG-01/)
  t.match(
    out,
    /SIG-01 an unsigned callback is booked \[critical\][\s\S]*::error file=exam\.yaml,title=SIG-01/
  )
  t.match(JSON.parse(readFileSync(join(folder, 'out/r.json'), 'utf8')), {
    summary: { failed: 2, passed: 1 },
    checks: [{ id: 'SIG-01' }, { id: 'SIG-05', expected: 'until March' }, { id: 'SIG-07' }]
  })
  for (const name of ['r.xml', 'r.md', 'r.html']) {
    t.match(readFileSync(join(folder, 'out', name), 'utf8'), /SIG-01/, name)
  }
  t.match(readFileSync(summary, 'utf8'), /## momock exam of/)
  writeFileSync(join(folder, 'known.yaml'), 'SIG-01: known\n')
  t.match(
    await run(t, ['SIG-01', 'SIG-05', '--expect', 'known.yaml'], folder),
    { code: 0 },
    'what is known does not count'
  )
  t.match(
    await run(t, ['SIG-07', '--expect', 'known.yaml'], folder),
    { code: 0 },
    'nor does what was not run'
  )
})

t.test('several checks at once, each with an application and a mock of its own', async (t) => {
  const folder = await configured(t, 'good')
  const { code, out, err } = await run(t, ['SIG', 'TRU', 'END-02', '--parallel', '3'], folder)
  t.equal(code, 0, out + err)
  t.match(out, /19 passed, 0 failed \(depth 2\)/)
})

t.test('a mock that runs already', async (t) => {
  const mock = await createMomock()
  t.teardown(() => mock.close())
  const folder = await configured(t, 'keeps-old-keys', { mock: { token: 'sandbox-exam' } })
  const { code, err, out } = await run(t, ['SIG-01', 'SIG-06', '--mock', mock.url], folder)
  t.equal(code, 1, err)
  t.match(out, /✗ SIG-06/)
  t.match(out, /✓ SIG-01/)
})

t.test('Ctrl-C ends it in order, and the report is written', async (t) => {
  const folder = await configured(t, 'never-asks', { patience: '60s' })
  const { child, end, prints } = start(
    t,
    ['SIG-01', 'REC-03', 'REQ-02', '--json', 'r.json'],
    folder
  )
  await prints(/1 of 3/, 'stderr')
  child.kill('SIGINT')
  const { code, stdout: out } = await end()
  t.equal(code, 1)
  t.match(out, /This report is not complete: the exam was interrupted/)
  const { summary, checks } = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'))
  t.match(summary, { passed: 1, skipped: 2, interrupted: 'the exam was interrupted' })
  t.match(checks[1].because, /interrupted/)
  t.notOk(existsSync(join(folder, 'exam.log')))
})
