import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const bench = fileURLToPath(new URL('./main.ts', import.meta.url))

// The figures are not checked: a busy machine must not fail the tests.
t.test('the benchmark runs and prints every figure', async (t) => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [bench, '--quick'], { env })
  for (const name of [
    'POST /v2/deposits, durable',
    'POST /v2/deposits, run to its end',
    'GET /v2/deposits/{id}',
    'start to first answer',
    'createMomock() to listening'
  ]) {
    const row = stdout.split('\n').find((line) => line.startsWith(name))
    t.ok(row, `there is a row '${name}'`)
    const figures =
      /^ +(\S+) (?:req\/s|ms) +(\S+) (?:req\/s|ms) +(\S+) /
        .exec(row?.slice(name.length) ?? '')
        ?.slice(1)
        .map(Number) ?? []
    t.equal(figures.length, 3, 'momock, bare and the ratio')
    for (const figure of figures) {
      t.ok(Number.isFinite(figure) && figure > 0, `${figure} is positive`)
    }
    t.match(
      stdout,
      new RegExp(`^(met|met, the later one too|missed): ${name.replace(/[{}()]/g, '\\$&')}: `, 'm'),
      'and a verdict'
    )
  }
  for (const port of ['plain port of a server with TLS', 'TLS port']) {
    const rate = '[1-9]\\d* deposits per second, \\d+\\.\\d\\d of a server without TLS'
    const cpu = '\\d+ µs of processor time each, \\d+ µs without TLS'
    t.match(stdout, new RegExp(`^${port}: ${rate}; ${cpu}$`, 'm'))
  }
  t.match(stdout, /^callbacks: [1-9]\d* per second, all signed$/m)
  t.match(
    stdout,
    new RegExp(
      String.raw`^callbacks at 1000 initiations per second: \d+ ms from final to delivered, ` +
        String.raw`\d+ ms for the slowest in a hundred$`,
      'm'
    )
  )
})
