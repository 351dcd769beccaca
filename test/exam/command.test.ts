import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../support/ports.ts'
import { runCommand } from '../support/command-runner.ts'
import { run } from './program.ts'

/** Arguments of `momock exam`, and commands that need no application. */

t.test('what needs no target', async (t) => {
  const folder = t.testdir({})
  const list = await run(t, ['--list'], folder)
  t.match(list, {
    code: 0,
    out: /SIG-01 {2}critical {2}\[1\+2\] {2}an unsigned callback is booked/
  })
  t.equal(list.out.match(/^ {2}[A-Z]{3}-\d\d/gm)?.length, 42)
  const explain = ['exam', '--explain', 'sig-07', '--language', 'python']
  t.match(await runCommand(t, explain), {
    code: 0,
    stdout: /SIG-07: genuine callbacks[\s\S]*def is_genuine/
  })
  t.match(await runCommand(t, ['exam', '--help']), { stdout: /momock exam SIG IDE-01\n/ })
  const init = () => runCommand(t, ['exam', 'init'], { cwd: folder })
  t.match(await init(), { code: 0, stdout: /wrote exam.yaml/ })
  t.match(await init(), { code: 0, stdout: /kept {2}exam.yaml/ })
  t.match(
    readFileSync(join(folder, 'exam.yaml'), 'utf8'),
    /callback: http:\/\/127\.0\.0\.1:3000\/callbacks/
  )
})

const usage: Array<[args: string[], said: RegExp]> = [
  [[], /say where the application takes callbacks/],
  [['SIG-99', '--callback', 'http://127.0.0.1:1/'], /'SIG-99' is neither a check nor a family/],
  [['--explain', 'SIG-99'], /'SIG-99' is not a check/],
  [['--list=yes'], /--list takes no value/],
  [['--fail-on', 'severe'], /--fail-on must be the lowest severity that counts/],
  [['--callback', 'http://8.8.8.8/'], /--this-host-is-mine 8\.8\.8\.8/],
  [['--callback', 'http://127.0.0.1:1/', '--parallel', '2'], /--parallel needs start\.command/],
  [['--config', 'none.yaml'], /none\.yaml: there is no such file/],
  [
    ['--callback', 'http://127.0.0.1:1/', '--expect', 'none.yaml'],
    /none\.yaml: there is no such file/
  ]
]

t.test('bad arguments end with 2, an application that cannot be reached with 3', async (t) => {
  const folder = t.testdir({})
  await Promise.all(
    usage.map(async ([args, said]) => {
      const { code, stderr } = await runCommand(t, ['exam', ...args], { cwd: folder })
      t.equal(code, 2, `${args.join(' ')}: ${stderr}`)
      t.match(stderr, said, args.join(' '))
    })
  )
  writeFileSync(
    join(folder, 'exam.yaml'),
    JSON.stringify({ callback: `http://127.0.0.1:${await freePort()}/`, mock: { port: 0 } })
  )
  t.match(await run(t, [], folder), {
    code: 3,
    out: '',
    err: /cannot be reached: nothing listens there/
  })
})
