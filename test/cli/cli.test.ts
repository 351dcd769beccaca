import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { settings } from '../../src/config/config.ts'
import { but, requests } from '../support/examples.ts'
import { folder, until } from '../support/helper.ts'
import { command, deposit, run, serve, type Where } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const sh = promisify(execFile)

t.test('--help lists every flag with its variable and default', async (t) => {
  const { code, stdout, stderr } = await run(t, ['--help', '--prot'])
  t.match({ code, stderr }, { code: 0, stderr: '' }, 'whatever else is asked')
  for (const { flag, variable, description, default: preset } of settings) {
    const line = stdout.split('\n').find((line) => line.trim().startsWith(`${flag} `)) ?? ''
    for (const part of [variable, description, ...(preset === undefined ? [] : [`[${preset}]`])]) {
      t.ok(line.includes(part), `${flag}: ${part}`)
    }
  }
})

t.test('the documented flags and variables exist', async (t) => {
  const names = [
    'PORT',
    'HOST',
    'DB',
    'CONFIG',
    'SCENARIOS',
    'TOKEN',
    'CALLBACK_URL',
    'ADMIN_TOKEN',
    'LOG_LEVEL'
  ].map((name) => `MOMOCK_${name}`)
  const known = settings.map(({ variable }) => variable)
  t.same(
    names.filter((name) => !known.includes(name)),
    []
  )
})

t.test('--version prints the version', async (t) => {
  t.match(await run(t, ['--version']), { code: 0, stdout: `${version}\n`, stderr: '' })
})

/** Arguments, exit code and output. */
const endings: Array<[what: string, args: string[], where: Where, code: number, said: RegExp]> = [
  [
    'an unknown flag',
    ['--prot', '1'],
    {},
    2,
    /^momock cannot start:\n {2}--prot is not a flag; did you mean --port\?\n$/
  ],
  [
    'an unknown variable',
    [],
    { env: { MOMOCK_PROT: '1' } },
    2,
    new RegExp(
      String.raw`^momock cannot start:\n {2}MOMOCK_PROT is not a variable of momock; did you ` +
        String.raw`mean MOMOCK_PORT\?\n$`
    )
  ],
  [
    'a bad value',
    ['--port', 'x', '--clock', 'y'],
    {},
    2,
    /^momock cannot start:\n {2}--port must be .*, got 'x'\n {2}--clock must be .*, got 'y'\n$/
  ],
  [
    'an address that is not of this machine',
    ['--host', '192.0.2.1', '--db', ':memory:'],
    {},
    3,
    new RegExp(
      String.raw`^momock cannot start: 192\.0\.2\.1 is not an address of this machine; use ` +
        String.raw`--host 127\.0\.0\.1 .*\n$`
    )
  ],
  [
    'a ledger that is a folder',
    ['--db', '.'],
    {},
    4,
    /^momock cannot start: .* is a folder; name a file in it with --db\n$/
  ]
]

t.test('a failed start prints one sentence and an exit code', async (t) => {
  const outcomes = await Promise.all(endings.map(([, args, where]) => run(t, args, where)))
  endings.forEach(([what, , , code, said], index) =>
    t.match(outcomes[index], { code, stdout: '', stderr: said }, what)
  )
})

t.test('a mistake in the file is named with its line', async (t) => {
  const cwd = folder(t)
  writeFileSync(join(cwd, 'momock.yaml'), 'seed: a\nprot: 1\n')
  t.match(await run(t, [], { cwd }), {
    code: 2,
    stderr: /\/momock\.yaml:2: prot is not supported here; did you mean port\?\n$/
  })
})

t.test('a port in use is reported with a fix', async (t) => {
  const taken = createServer()
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    taken.close()
  })
  const port = String((taken.address() as AddressInfo).port)
  const { code, stdout, stderr } = await run(t, ['--port', port, '--db', ':memory:'])
  t.same({ code, stdout }, { code: 3, stdout: '' })
  t.equal(
    stderr,
    `momock cannot start: port ${port} on 127.0.0.1 is used by another program; stop that ` +
      'program, or choose another port with --port (0 uses any free port)\n'
  )
})

t.test('variables of a container platform do not prevent the start', async (t) => {
  const cwd = folder(t)
  const env = {
    MOMOCK_PORT: 'tcp://10.0.0.1:7070',
    MOMOCK_SERVICE_HOST: '10.0.0.1',
    MOMOCK_SERVICE_PORT: '7070',
    PORT: '0',
    HOST: '127.0.0.2',
    MOMOCK_DB: 'from/environment.db'
  }
  const program = startProgram(t, command([], env), { cwd })
  const [line] = await program.prints(/^.*momock is ready.*(?=\n)/m)
  await program.stop()
  const { url, ledger } = JSON.parse(line)
  t.match(url, /^http:\/\/127\.0\.0\.2:\d+$/)
  t.equal(ledger, join(cwd, 'from/environment.db'))
})

t.test('a started server prints one line and is ready', async (t) => {
  const file = join(folder(t), 'ledger.db')
  const { ready, output, call } = await serve(t, ['--db', file, '--clock', 'frozen'], {
    env: { MOMOCK_TOKEN: 'mine' }
  })
  t.match(ready, { version, token: 'mine', ledger: file, clock: /^frozen/, msg: 'momock is ready' })
  t.match(ready.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/, 'the port it picked')
  t.ok(ready.routes.v1 >= 2 && ready.routes.v2 >= 2, 'routes per version')
  t.ok(ready.scenarios > 0, 'scenarios')
  for (const page of [ready.docs, ready.dashboard]) {
    t.equal((await fetch(page)).status, 200, `${page} is there`)
  }
  t.equal(output().trim().split('\n').length, 1, 'one line')
  t.match(await call('GET', '/health'), { status: 200, body: { status: 'healthy', version } })
})

/** The one line of a server that everybody in the network can control. */
const openWarning =
  /everyone who can reach 0\.0\.0\.0 can .* set one with --admin-token or MOMOCK_ADMIN_TOKEN/

/** Arguments, and whether the start warns that the network can reach the admin API. */
const starts: Array<
  [what: string, args: string[], file: string, env: Record<string, string>, warns: boolean]
> = [
  [
    'with a token full of what shells read',
    ['--host', 'localhost'],
    '',
    { MOMOCK_TOKEN: '\'"$(exit)`exit`\\!' },
    false
  ],
  [
    'with the tokens of the file',
    ['--host', '0.0.0.0', '--log-level', 'silent'],
    'accounts: [{ name: default, tokens: [{ token: reader, allow: [read] }, { token: writer }] }]',
    {},
    true
  ],
  [
    'with an account nobody can initiate in',
    ['--host', '0.0.0.0', '--admin-token', 'mine'],
    'accounts: [{ name: default, tokens: [] }]',
    {},
    false
  ]
]

for (const [what, args, file, env, warns] of starts) {
  t.test(`the printed curl command works, ${what}`, async (t) => {
    const cwd = folder(t)
    writeFileSync(join(cwd, 'momock.yaml'), file)
    const { ready, output } = await serve(t, args, { cwd, env })
    const pasted = await Promise.all([
      sh('bash', ['-c', ready.curl]),
      sh('bash', ['-c', ready.curl])
    ])
    for (const { stdout } of pasted) t.match(JSON.parse(stdout), { status: 'ACCEPTED' })
    const lines = output().trim().split('\n').slice(1)
    t.match(
      lines.map((line) => JSON.parse(line)),
      warns ? [{ level: 40, msg: openWarning }] : []
    )
    t.equal(lines.length, warns ? 1 : 0, args.join(' '))
  })
}

t.test(
  'a started server prints a page on a terminal',
  { skip: hasScript() ? false : 'there is no `script` to make a terminal with' },
  async (t) => {
    const cwd = folder(t)
    const words = command(['--port', '0', '--db', ':memory:', '--host', '0.0.0.0'], {
      TERM: 'xterm'
    })
      .map((word) => `'${word}'`)
      .join(' ')
    // `exec`, because a shell that stays in between is hit by Ctrl-C too, and some then end with
    // 130 whatever we ended with.
    const { child, written, prints, end } = startProgram(
      t,
      ['script', '-qefc', `exec ${words}`, '/dev/null'],
      { cwd, stdio: 'pipe' }
    )
    await prints(/Ctrl-C/)
    // eslint-disable-next-line no-control-regex -- colours are what a terminal gets
    const plain = written.stdout.replace(/\u001b\[\d+m/g, '')
    for (const row of [
      /momock \d/,
      /url +http:\/\/127\.0\.0\.1:\d+/,
      /token +test-token/,
      /ledger +in memory/,
      /clock +runs/,
      /routes +\d+ in v2, \d+ in v1/,
      /scenarios +\d+/,
      /docs +http:/,
      openWarning
    ]) {
      t.match(plain, row)
    }
    t.notMatch(plain, /"level"/, 'and no JSON')
    const curl =
      plain
        .split(/\r?\n/)
        .map((line) => line.trim())
        .find((line) => line.startsWith('curl ')) ?? ''
    t.match(
      JSON.parse((await sh('bash', ['-c', curl])).stdout),
      { status: 'ACCEPTED' },
      'its curl line works'
    )
    child.stdin?.write('\u0003')
    t.match(await end(), { code: 0, signal: null }, 'Ctrl-C ends it in order')
  }
)

function hasScript (): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

t.test('the log contains no token', async (t) => {
  const log = fileURLToPath(new URL('../../src/lib/logger.ts', import.meta.url))
  const script = `
    const { createLogger } = await import(${JSON.stringify(log)})
    const log = await createLogger('trace', process.argv[1] === 'terminal')
    log.info({ headers: { authorization: 'Bearer secret-1' } }, 'a header')
    const headers = { authorization: 'secret-2', 'x-momock-admin-token': 'secret-3' }
    log.info({ request: { headers } }, 'a request')
    log.error({ err: new Error('refused "Bearer secret-4"') }, 'Authorization: bearer secret-5')
    log.debug({ deep: { down: ['Bearer a"b\\\\secret-6', 'kept'] } }, 'Bearer secret-7 was sent')`
  for (const kind of ['lines', 'terminal']) {
    const { stdout } = await sh(process.execPath, ['--input-type=module', '-e', script, kind])
    t.notMatch(stdout, /secret/, kind)
    t.match(stdout, /kept/)
    t.match(stdout, /\[redacted\]/)
    if (kind === 'lines') {
      for (const line of stdout.trim().split('\n')) {
        t.match(JSON.parse(line), { level: Number, time: Number, msg: String })
      }
    }
  }
})

t.test('the log names the scenario of a payment and the reason', async (t) => {
  const { ready, output } = await serve(t)
  const send = (headers: Record<string, string>, phoneNumber: string) =>
    fetch(`${ready.url}/v2/deposits`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ready.token}`,
        'content-type': 'application/json',
        ...headers
      },
      body: JSON.stringify(
        but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', phoneNumber)
      )
    })
  await send({}, '260763459993')
  await send({ 'x-momock-scenario': 'slow-approval' }, '260763459993')
  await send({ 'x-momock-scenario': 'provider-closed' }, '260763459993')
  await send({}, '260763456019')
  const lines = (
    await until(
      async () => output().trim().split('\n').slice(1),
      ({ length }) => length >= 3
    )
  ).map((line) => JSON.parse(line))
  t.match(lines, [
    {
      kind: 'deposit',
      account: 'default',
      scenario: 'slow-approval',
      why: 'X-Momock-Scenario names it',
      msg: 'accepted'
    },
    { kind: 'deposit', msg: /by scenario 'provider-closed', because X-Momock-Scenario names it/ },
    { scenario: /^test-number:/, why: '260763456019 is a sandbox test number' }
  ])
  t.equal(lines.length, 3, 'what goes as it usually does is no news')
})

t.test('the debug log has one line per request, without tokens', async (t) => {
  const { call, stop } = await serve(t, [
    '--log-level',
    'debug',
    '--callback-url',
    'http://127.0.0.1:1/'
  ])
  const requests: Array<[method: string, url: string, token: string, status: number]> = [
    ['POST', '/v2/deposits', 'test-token', 200],
    ['POST', '/deposits', 'sandbox-secret', 400],
    ['GET', '/v2/deposits/x?token=no', 'wrong-secret', 401],
    ['GET', '/v2/nowhere', 'test-token', 404]
  ]
  for (const [method, url, token] of requests) {
    await call(method, url, method === 'POST' ? deposit() : undefined, token)
  }
  const { stdout } = await stop()
  const [, ...lines] = stdout.trim().split('\n')
  t.notMatch(lines.join('\n'), /secret|test-token/)
  const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  t.match(
    said,
    requests.map(([method, url, , status]) => ({
      level: 20,
      method,
      url: url.replace('=no', '=[hidden]'),
      status,
      durationMs: Number
    }))
  )
})
