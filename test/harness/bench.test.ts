import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { nightly } from '../support/full.ts'
import { folder } from '../support/helper.ts'
import { limitEachTest } from '../support/limits.ts'
import { postgresOptions } from '../support/postgres.ts'
import type { Result } from '../../bench/results.ts'
import { rowNames, rowPlans } from '../../bench/rows.ts'

const bench = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))

function runBench (
  args: string[],
  { script = bench, variables = {} } = {}
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { NODE_OPTIONS: _, ...others } = process.env
  const env = { ...others, ...variables }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr })
    )
  })
}

limitEachTest()

// The figures are not checked: a busy machine must not fail the tests.
t.test('the benchmark measures every row and writes the reports', nightly, async (t) => {
  const out = folder(t)
  const { code, stdout, stderr } = await runBench(['--quick', '--out', out])
  t.equal(code, 0, stderr)
  const expected = rowNames.filter((name) => !name.endsWith('-dist'))
  const { settings, results } = JSON.parse(readFileSync(join(out, 'bench.json'), 'utf8')) as {
    settings: Record<string, unknown>
    results: Result[]
  }
  t.same(
    results.map(({ name }) => name),
    expected
  )
  for (const { name, momock, yardstick, ratio, range, cpu } of results) {
    t.match(stdout, `\n${name}: ${rowPlans[name].title} `, `${name} is printed`)
    const figures = [momock, ...range, ...(yardstick === undefined ? [] : [yardstick.value, ratio])]
    for (const figure of figures) t.ok(Number(figure) > 0, `${name}: ${figure} is positive`)
    if (name === 'post') t.ok(cpu !== undefined && cpu.momock >= 0, 'with processor time')
  }
  t.match(settings, { connections: 50, rounds: 1, node: process.version })
  t.match(
    stdout,
    /^lives: \d+ callbacks, 0 lost, 0 doubled; of the checked signatures [1-9]\d* valid, 0 not/m
  )
  const page = readFileSync(join(out, 'bench.html'), 'utf8')
  for (const name of expected) t.match(page, `<td>${name}: `, `${name} is on the page`)
  t.equal(page.match(/<svg /g)?.length, 10, 'a chart for each row with latencies')
})

// The same: only that it runs.
t.test('the benchmark of replicas prints every row', {
  ...nightly,
  skip: nightly.skip !== false ? nightly.skip : postgresOptions.skip
}, async (t) => {
  const script = fileURLToPath(new URL('../../bench/replicas/main.ts', import.meta.url))
  const { code, stdout, stderr } = await runBench(['--quick'], { script })
  t.equal(code, 0, stderr)
  t.match(stdout, /^POST, server alone +\d+\.\d\d {2}\(.*\) {2}at least 0\.9: /m)
  t.equal(stdout.match(/ at (least|most) [\d.]+: (met|missed)$/gm)?.length, 7)
  t.match(stdout, /^next answer after a kill: median \d+ ms/m)
  const bloat = await runBench(['bloat', '0.1'], { script })
  t.equal(bloat.code, 0, bloat.stderr)
  t.match(bloat.stdout, /^ +0\.1 .* KiB \(\d+\)/m)
  t.match(bloat.stdout, /^[1-9]\d* payments with their callbacks$/m)
  t.equal((await runBench(['other'], { script })).code, 2)
})

t.test('a row that does not exist is refused with the list of rows', async (t) => {
  const { code, stdout } = await runBench(['posts'])
  t.equal(code, 2)
  t.match(stdout, /^there is no row 'posts'$/m)
  for (const name of [...rowNames, 'stored-million']) t.match(stdout, name)
})

t.test('a file for --compare is read before anything is measured', nightly, async (t) => {
  const file = join(folder(t), 'other.json')
  writeFileSync(file, '{}')
  const { code, stderr } = await runBench(['post', '--compare', file])
  t.equal(code, 1)
  t.match(stderr, /--compare: \S+other\.json is not a file of npm run bench \(it has no results\)/)
})

t.test('a peer that cannot run is skipped with the reason', nightly, async (t) => {
  const script = fileURLToPath(new URL('../../bench/peers/main.ts', import.meta.url))
  const home = folder(t)
  // Without a path there is no Java, and nothing is installed.
  const { code, stdout, stderr } = await runBench(
    ['--quick', '--only', 'WireMock', '--home', home],
    { script, variables: { PATH: home } }
  )
  t.equal(code, 0, stderr)
  t.match(stdout, /^WireMock is skipped: it needs Java, and there is no program java$/m)
  t.match(stdout, /^\| momock \| [1-9]\d* \| \d+\.\d\d \(\S+\) \| \d+ µs \| /m)
  t.notMatch(stdout, /^\| WireMock/m)
})
