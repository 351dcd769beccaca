import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { runCommand } from '../support/command-runner.ts'
import { build, folder } from '../support/helper.ts'

/** Reports of commands in files and on the standard output. */

/** Commands with a report as JSON on the standard output, and the flag of another report. */
const rows: Array<[args: string[], other: string, key: string]> = [
  [['lint'], '--junit', 'findings'],
  [['verify', 'wanted.yaml'], '--markdown', 'failed'],
  [['conform'], '--markdown', 'checks'],
  [['load', '--rate', '10', '--duration', '1s'], '--html', 'total'],
  [['exam', 'END-01'], '--html', 'summary']
]

for (const [args, other, key] of rows) {
  const [name] = args
  t.test(`${name} --json - writes nothing else to the standard output`, async (t) => {
    const { call, url } = await build(t)
    await call('POST', '/v2/deposits', requests.v2.deposit!())
    const cwd = folder(t)
    writeFileSync(join(cwd, 'wanted.yaml'), 'expectations:\n  - request: { path: /v2/deposits }\n')
    // A sink of the mock is the application.
    const exam = `callback: ${url}/__admin/sink/shop\nmock: { token: sandbox-exam }\n`
    writeFileSync(join(cwd, 'exam.yaml'), exam)
    const words = [...args, '--url', url, '--json', '-']
    const { stdout, stderr } = await runCommand(t, [...words, other, 'a/b/report'], { cwd })
    t.ok(key in JSON.parse(stdout), Object.keys(JSON.parse(stdout)).join())
    t.match(stderr, /^wrote a\/b\/report$/m)
    t.ok(readFileSync(join(cwd, 'a/b/report'), 'utf8').length > 0, 'in a new folder')

    const twice = await runCommand(t, [...words, other, '-'], { cwd })
    t.match(twice, { code: 2, stdout: '', stderr: /cannot both be the standard output/ })

    writeFileSync(join(cwd, 'file'), '')
    const inFile = await runCommand(t, [...words, other, 'file/report'], { cwd })
    t.match(inFile, { code: 2, stdout: '', stderr: /: file\/report cannot be written \(E/ })
  })
}
