import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { findProgramName, listFlags } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { parseMix } from '../../src/cli/load/mix.ts'
import { settings } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { shippedCatalogue } from '../../src/domain/catalogue.ts'
import { createMomock, type Momock } from '../../src/index.ts'
import { runCommand } from '../support/command-runner.ts'
import { folder } from '../support/helper.ts'
import { run, serve, type Where } from '../support/process.ts'

/** The commands beside the one that starts the server, as users run them. */

const sh = promisify(execFile)
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

async function mockOf (t: Test, options: Parameters<typeof createMomock>[0] = {}): Promise<Momock> {
  const mock = await createMomock(options)
  t.teardown(mock.close)
  return mock
}

/** A server that is not a mock; its port. */
async function stranger (
  t: Test,
  listener: RequestListener = (_, response) => response.end('hello')
): Promise<number> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A port where nobody listens: it was free a moment ago. */
async function nobody (): Promise<number> {
  const server = createTcpServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

t.test('every command has --help and --version', async (t) => {
  const all = await runCommand(t, ['--help'])
  for (const row of commands) {
    const listed = all.stdout.split('\n').filter((line) => line.startsWith(`  momock ${row.name} `))
    t.ok(listed[0]?.endsWith(row.summary), `momock --help lists ${row.name}`)
    const [help, asked, said] = await Promise.all([
      runCommand(t, [row.name, '--prot', '-h']),
      runCommand(t, ['help', row.name]),
      runCommand(t, [row.name, '--version', 'x'])
    ])
    t.match(help, { code: 0, stderr: '' }, `${row.name} --help`)
    t.equal(asked.stdout, help.stdout, `help ${row.name}`)
    t.match(said, { code: 0, stdout: `${version}\n`, stderr: '' }, `${row.name} --version`)
    const flags = [
      ...listFlags(row).map(({ flag }) => flag),
      ...settings.filter(({ name }) => row.settings.includes(name)).map(({ flag }) => flag)
    ]
    const named = [...help.stdout.matchAll(/^ {2}(--[a-z\d-]+) /gm)].map(([, flag]) => flag)
    t.same(named, [...flags, '--help', '--version'], `${row.name}: every flag`)
    t.match(help.stdout, row.summary)
    t.match(help.stdout, /exit code/i, `${row.name}: how it ends`)
  }
})

/** Wrong arguments and their messages. The exit code is always that of bad arguments. */
const slips: Array<[args: string[], said: string, where?: Where]> = [
  [['strat'], "'strat' is not a command; did you mean start?\nthe commands are start, "],
  [['helthcheck', '--help'], "'helthcheck' is not a command; did you mean healthcheck?\n"],
  [['xyzzy'], "'xyzzy' is not a command\nthe commands are start, healthcheck, "],
  [['start', 'now'], "momock cannot start:\n  'now' is not a flag; see momock --help\n"],
  [
    ['env', '--prot', '1'],
    'momock env cannot run:\n  --prot is not a flag of momock env; did you mean --port?\n'
  ],
  [['env', 'twice'], "momock env cannot run:\n  'twice' is not a flag; see momock env --help\n"],
  [
    ['env', '--db', 'x'],
    'momock env cannot run:\n  --db is not a flag of momock env; see momock env --help\n'
  ],
  [
    ['env', '--port', '0'],
    'momock env cannot run:\n  port 0 uses any free port, so the address is not known; set it ' +
      'with --url\n'
  ],
  [
    ['env', '--url'],
    'momock env cannot run:\n  --url needs a value: the http or https URL of the mock; without ' +
      'it, publicUrl or host and port are used\n'
  ],
  [
    ['env', '--url', 'localhost'],
    'momock env cannot run:\n  --url must be the http or https URL of the mock; without it, ' +
      "publicUrl or host and port are used, got 'localhost'; did you mean http://localhost?\n"
  ],
  [
    ['env', '--url', 'ftp://localhost'],
    'momock env cannot run:\n  --url must be the http or https URL of the mock; without it, ' +
      "publicUrl or host and port are used, got 'ftp://localhost'\n"
  ],
  [
    ['start'],
    'momock cannot start:\n  MOMOCK_CALLBACK_URL must be an http or https URL that receives ' +
      "the callbacks of all kinds, got 'localhost:3000/a'; did you mean " +
      'http://localhost:3000/a?\n',
    { env: { MOMOCK_CALLBACK_URL: 'localhost:3000/a' } }
  ],
  [['--help=1'], "momock cannot start:\n  --help takes no value, got '1'\n"],
  [['env', '--version=1'], "momock env cannot run:\n  --version takes no value, got '1'\n"],
  [
    ['env', '--prot', '1'],
    'momock env cannot run:\n  --prot is not a flag of momock env; did you mean --port?\n  ' +
      'MOMOCK_TOKN is not a variable of momock; did you mean MOMOCK_TOKEN?\n',
    { env: { MOMOCK_TOKN: 'a' } }
  ],
  [
    ['validate'],
    'momock validate cannot run:\n  name the files to check: momock validate FILE…\n'
  ],
  [
    ['validate', '--port', '1'],
    'momock validate cannot run:\n  --port is not a flag of momock validate; see momock ' +
      'validate --help\n'
  ],
  [['init', 'a', 'b'], 'momock init cannot run:\n  name one folder: momock init [FOLDER]\n'],
  [
    ['healthcheck', '--timeout', 'soon'],
    'momock healthcheck cannot run:\n  --timeout must be the time to wait for the answer, ' +
      "such as '3s', at most 10m, got 'soon'\n"
  ],
  [
    ['healthcheck', '--timeout', '0', '--port', '0'],
    'momock healthcheck cannot run:\n  --timeout must be more than 0 and at most 10m, ' +
      "got '0'\n  port 0 uses any free port, so the address is not known; set it with --url\n"
  ],
  [
    ['healthcheck', '--timeout', '11m', '--url', 'http://127.0.0.1:1'],
    'momock healthcheck cannot run:\n  --timeout must be more than 0 and at most 10m, ' +
      "got '11m'\n"
  ],
  [
    ['doctor'],
    "momock doctor cannot run:\n  MOMOCK_CLOCK must be 'running' like the system clock, or " +
      "'frozen' until a test advances it, got 'x'\n",
    { env: { MOMOCK_CLOCK: 'x' } }
  ],
  [
    ['load', '--rate', '-1'],
    'momock load cannot run:\n  --rate must be the number of requests per second, up to ' +
      "100000; 0 for no limit, got '-1'\n"
  ],
  [
    ['load', '--duration', '6m', '--mix', 'cheks=1'],
    "momock load cannot run:\n  --duration must be from '1s' to '5m', got '6m'\n  --mix: " +
      "'cheks' is not one of initiations, duplicates, checks; did you mean checks?\n"
  ]
]

t.test('commands that talk to a mock take --url and --mock, and name its side', async (t) => {
  const clients = commands.filter(({ flags }) => 'url' in flags)
  t.ok(clients.length > 10)
  for (const { name, settings: used } of clients) {
    for (const flag of ['--url', '--mock']) {
      const { code, stderr } = await runCommand(t, [name, flag, 'x'])
      t.equal(code, 2, name)
      t.match(stderr, /--url must be the http or https URL of /, name)
    }
    const { stdout } = await runCommand(t, [name, '--help'])
    t.notMatch(stdout, /listen on|any free port|default account|--mock/, name)
    if (used.includes('port')) t.match(stdout, /MOMOCK_PORT +the port of the mock/, name)
  }
})

t.test('a wrong argument is named, with a suggestion', async (t) => {
  for (const [args, said, where] of slips) {
    t.match(await runCommand(t, args, where), { code: 2, stdout: '', stderr: said }, args.join(' '))
  }
})

/** Files, what of them is named, and what is said. */
const judged: Array<[what: string, files: Record<string, string>, named: string[], said: string]> =
  [
    [
      'what does not fit together in a configuration, with its lines',
      {
        'momock.yaml':
          'callbackTimeout: 0\naccounts:\n  - { name: shop, tokens: [{ token: test-token }], ' +
          'providers: [MTN_MOMO_ZM] }\nkeys: [{ id: a, privateKey: b }]\n'
      },
      ['momock.yaml'],
      [
        "momock.yaml:1: callbackTimeout must be more than 0 and at most 10m, got '0'",
        "momock.yaml:3: accounts: the token 'test-token' is used by several accounts; " +
          'each account needs its own',
        "momock.yaml:3: accounts: providers.0 of 'shop' 'MTN_MOMO_ZM' is neither a provider " +
          'nor a country of the catalogue; did you mean MTN_MOMO_ZMB?',
        'momock.yaml:4: keys.0.privateKey must be an EC P-256 private key as PEM; it cannot ' +
          'be read as a PEM private key (create one with: openssl ecparam -name prime256v1 -genkey)'
      ].join('\n')
    ],
    [
      'everything at once: fields, what they mean, and the scenarios that the file names',
      {
        'momock.yaml':
          'prot: 1\nscenarios: stories\ncallbackTimeout: 1h\ncallbacksCa: none.pem\n' +
          'accounts:\n  - name: shop\n    tokens: [{ token: a }]\n  - name: other\n' +
          '    tokens:\n      - token: a\n',
        'stories/a.yaml': 'reject: NOTHING\n',
        'stories/late/b.yaml': 'when: { kind: coffee }\n',
        'stories/late/c.yaml': 'reject: INVALID_AMOUNT\n'
      },
      ['momock.yaml'],
      [
        'momock.yaml:1: prot is not supported here; did you mean port?',
        "momock.yaml:3: callbackTimeout must be more than 0 and at most 10m, got '1h'",
        'momock.yaml:4: callbacksCa: none.pem cannot be read (ENOENT: no such file or ' +
          "directory, open 'none.pem')",
        "momock.yaml:10: accounts: the token 'a' is used by several accounts; each account " +
          'needs its own',
        'stories/a.yaml:1: …',
        'stories/late/b.yaml:1: …'
      ].join('\n')
    ],
    [
      'a folder of scenarios that is missing',
      { 'momock.yaml': 'port: 1\nscenarios: stories\n' },
      ['momock.yaml'],
      'momock.yaml:2: scenarios: there is no folder stories'
    ],
    [
      'a project: scenarios in subfolders, but no files of other tools',
      {
        'momock.yaml': 'scenarios: stories\n',
        'stories/a.yaml': 'reject: INVALID_AMOUNT\n',
        'more/b.yaml': 'when: { kind: coffee }\n',
        'src/texts.json': '{ "hello": "bonjour" }',
        'node_modules/x/c.yaml': 'when: 1\n',
        'package.json': '{}'
      },
      ['.'],
      'more/b.yaml:1: …'
    ],
    [
      'scenarios in a subfolder that another file hides, or whose name is used twice',
      {
        'momock.yaml': 'scenarios: stories\n',
        'stories/a.yaml': 'when: { kind: deposit }\nreject: INVALID_AMOUNT\n',
        'stories/late/a.yaml': 'when: { kind: payout }\nreject: INVALID_AMOUNT\n',
        'stories/late/b.yaml': 'when: { kind: deposit, country: ZMB }\nreject: INVALID_AMOUNT\n'
      },
      ['momock.yaml'],
      "note: stories/late/b.yaml: this can never match: 'a', which is tried before it, matches " +
        'always when this would; only X-Momock-Scenario reaches it\n' +
        'stories/a.yaml:1: …\nstories/late/a.yaml:1: …'
    ],
    [
      'a file that is not a ledger',
      { 'momock.yaml': 'port: 1\ndb: notes.txt\n', 'notes.txt': 'dear diary' },
      ['momock.yaml'],
      'momock.yaml:2: db: notes.txt is not a ledger and not a SQLite file; move it away, or name ' +
        'another file with --db'
    ],
    [
      'a country that is not whole',
      {
        'momock.yaml':
          'countries:\n  XYZ: { displayName: { en: X, fr: X }, prefix: "1", ' +
          'nationalNumberLengths: [9] }\n'
      },
      ['momock.yaml'],
      'momock.yaml:2: countries.XYZ.providers is required: each provider by its code'
    ],
    [
      'scenarios about a provider that the configuration beside them adds',
      {
        'momock.yaml':
          'countries: { ZMB: { providers: { NEW_ZMB: ' +
          `${JSON.stringify(shippedCatalogue.ZMB.providers.MTN_MOMO_ZMB)} } } }`,
        'a.yaml': 'when: { provider: NEW_ZMB }\nreject: INVALID_AMOUNT\n'
      },
      ['.'],
      ''
    ],
    [
      'and without it',
      { 'a.yaml': 'when: { provider: NEW_ZMB }\nreject: INVALID_AMOUNT\n' },
      ['a.yaml'],
      "a.yaml:1: there is no provider 'NEW_ZMB'"
    ],
    [
      'configurations with names of their own',
      {
        'shop.yaml': 'fixtures: []\nport: 0.5\n',
        'shop.json': '{\n  "fixtures": [],\n  "port": 0.5\n}\n',
        'line.json': '{ "port": 0.5 }'
      },
      ['shop.yaml', 'shop.json', 'line.json'],
      ['shop.yaml:2', 'shop.json:3', 'line.json:1']
        .map((place) => `${place}: port must be a port from 0 to 65535; 0 uses any `)
        .map((text) => `${text}free port, got 0.5`)
        .join('\n')
    ],
    [
      'a file that would never be read',
      { 'README.md': '# Hello' },
      ['README.md'],
      'README.md: the name of a scenario must end with .yaml, .yml, .json; rename the file'
    ],
    ['no YAML at all', { 'a.yaml': '{ a: 1 } }\n'.repeat(50) }, ['a.yaml'], 'a.yaml: and 47 more'],
    [
      'another file than was meant',
      { 'a.yaml': Array.from({ length: 50 }, (_, index) => `key${index}: 1\n`).join('') },
      ['a.yaml'],
      'a.yaml: and 30 more'
    ],
    [
      'slips of YAML, one in each line',
      {
        'a.yaml': 'name: a\n  when: b\nfail: `x`\n',
        'b.yaml': 'when: { kind: deposit\nfail: UNKNOWN_ERROR\n'
      },
      ['a.yaml', 'b.yaml'],
      "a.yaml:1: a second ': ' follows in one field; put the text in quotes, or begin an object " +
        'on a line of its own, indented by two spaces\n' +
        'a.yaml:3: a text cannot begin with this character; put it in quotes\n' +
        'b.yaml:2: a { or [ is not closed, or what is in it is not indented; close it, or ' +
        'indent more'
    ],
    [
      'a name with a dot',
      { 'a.yaml': 'when: { kind: deposit }\nfail: UNKNOWN_ERROR\nnope.x: 5\n' },
      ['a.yaml'],
      'a.yaml:3: nope.x is not supported here'
    ]
  ]

t.test('validate reports every problem with its line', async (t) => {
  for (const [what, files, named, said] of judged) {
    const cwd = folder(t)
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), content)
    }
    const paths = named.map((path) => join(cwd, path))
    const { code, stderr, stdout } = await runCommand(t, ['validate', ...paths])
    // Messages of scenarios have tests of their own.
    const lines = stderr
      .replaceAll(`${cwd}/`, '')
      .replace(/^((?:stories|more)\/.*?:\d+: ).*$/gm, '$1…')
      .trimEnd()
    t.equal(code, said === '' ? 0 : 2, what)
    const others = Number(/ and (\d+) more$/.exec(lines)?.[1] ?? 1) - 1
    const size = lines.split('\n').filter((line) => !line.startsWith('note: ')).length + others
    if (code === 2) t.match(stdout, new RegExp(`^${size} problems?\\b`), what)
    t.ok(lines === said || (said.includes(' more') && lines.endsWith(said)), `${what}: ${lines}`)
  }
})

t.test('healthcheck tells a mock from other servers', async (t) => {
  const { ready } = await serve(t, ['--host', '0.0.0.0'])
  const port = new URL(ready.url).port
  const [silent, free] = [await stranger(t, () => {}), await nobody()]
  const rows: Array<
    [what: string, args: string[], env: Record<string, string>, code: number, said: RegExp]
  > = [
    ['by its URL', ['--url', `${ready.url}/`], {}, 0, /^http:\S+ is healthy\n$/],
    [
      'by the settings it was started with',
      [],
      { MOMOCK_HOST: '0.0.0.0', MOMOCK_PORT: port, MOMOCK_PUBLIC_URL: 'http://elsewhere.example' },
      0,
      /^http:\/\/127\.0\.0\.1:\d+ is healthy\n$/
    ],
    [
      'nobody is there',
      ['--port', String(free)],
      {},
      1,
      /is not healthy: no server listens there\n$/
    ],
    [
      'somebody else is there',
      ['--port', String(await stranger(t))],
      {},
      1,
      /is not healthy: another program answered GET \/health with 200\n$/
    ],
    [
      'somebody who says nothing',
      ['--port', String(silent), '--timeout', '50ms'],
      {},
      1,
      /is not healthy: no answer within 50 ms\n$/
    ]
  ]
  for (const [what, args, env, code, said] of rows) {
    const outcome = await runCommand(t, ['healthcheck', ...args], { env })
    t.match(
      { code: outcome.code, text: code === 0 ? outcome.stdout : outcome.stderr },
      { code, text: said },
      what
    )
  }
})

/** The configuration, and what an application reads. */
const environments: Array<
  [
    what: string,
    args: string[],
    where: { env?: Record<string, string>; file?: string },
    url: string,
    token: string
  ]
> = [
  ['as it comes', [], {}, 'http://127.0.0.1:7070', 'test-token'],
  [
    'another port, for everybody',
    ['--port', '8080'],
    { env: { MOMOCK_HOST: '0.0.0.0' } },
    'http://127.0.0.1:8080',
    'test-token'
  ],
  ['an IPv6 address', ['--host', '::1'], {}, 'http://[::1]:7070', 'test-token'],
  [
    'a public address',
    [],
    { env: { MOMOCK_PUBLIC_URL: 'https://mock.example/momock/' } },
    'https://mock.example/momock',
    'test-token'
  ],
  [
    'an address that is given',
    ['--url', 'http://momock:7070/', '--port', '0'],
    { env: { MOMOCK_PUBLIC_URL: 'https://mock.example' } },
    'http://momock:7070',
    'test-token'
  ],
  [
    'the tokens of the file',
    [],
    {
      file:
        'accounts: [{ name: default, tokens: [{ token: reader, allow: [read] }, { token: ' +
        'writer }] }]'
    },
    'http://127.0.0.1:7070',
    'writer'
  ],
  [
    'a token full of what shells read',
    ['--token', '\'"$(exit)`exit`\\!'],
    {},
    'http://127.0.0.1:7070',
    '\'"$(exit)`exit`\\!'
  ]
]

t.test('env prints variables for a shell', async (t) => {
  for (const [what, args, { env, file = '' }, url, token] of environments) {
    const cwd = folder(t)
    writeFileSync(join(cwd, 'momock.yaml'), file)
    const { code, stdout, stderr } = await runCommand(t, ['env', ...args], { cwd, env })
    t.same({ code, stderr }, { code: 0, stderr: '' }, what)
    t.ok(
      stdout
        .trimEnd()
        .split('\n')
        .every((line) => /^export PAWAPAY_\w+='/.test(line)),
      'only export lines'
    )
    for (const shell of ['bash', 'sh']) {
      const { stdout: seen } = await sh(shell, [
        '-c',
        'eval "$1"; printf "%s\\n" "$PAWAPAY_BASE_URL" "$PAWAPAY_API_URL" ' +
          '"$PAWAPAY_API_TOKEN" "$PAWAPAY_API_KEY"',
        '-',
        stdout
      ])
      t.equal(seen, `${url}\n${url}\n${token}\n${token}\n`, `${what}, in ${shell}`)
    }
  }
})

t.test('init writes files that work', async (t) => {
  const cwd = folder(t)
  const env = { npm_lifecycle_event: 'start' }
  const first = await runCommand(t, ['init'], { cwd, env })
  t.match(first, {
    code: 0,
    stderr: '',
    stdout: new RegExp(
      String.raw`^wrote momock\.yaml\nwrote scenarios\/declined\.yaml\nwrote ` +
        String.raw`docker-compose\.momock\.yml\nwrote AGENTS\.md\n\nNext: npm start\n` +
        'For docker-compose' +
        String.raw`\.momock\.yml, build the image first: docker compose -f docker-compose` +
        String.raw`\.momock\.yml build\n$`
    )
  })
  const written = [join(cwd, 'momock.yaml'), join(cwd, 'scenarios')]
  t.match(await runCommand(t, ['validate', ...written], { cwd }), {
    code: 0,
    stdout: `2 files are valid:\n  ${cwd}/momock.yaml\n  ${cwd}/scenarios/declined.yaml\n`
  })

  for (const [file, name] of [
    ['momock.yaml', 'momock'],
    ['scenarios/declined.yaml', 'scenario']
  ]) {
    const line = /^# yaml-language-server: \$schema=(.*)$/m
    const [, path] = line.exec(readFileSync(join(cwd, file), 'utf8')) ?? []
    const schema = readFileSync(join(dirname(join(cwd, file)), path), 'utf8')
    t.match(JSON.parse(schema), { title: new RegExp(name) }, `${file} names its schema`)
  }

  const { call } = await serve(t, [], { cwd })
  const depositId = '0b0f1d5e-6bd7-4f0c-8d38-6c5f4b6f3b51'
  await call('POST', '/v2/deposits', {
    depositId,
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763459993', provider: 'MTN_MOMO_ZMB' }
    },
    metadata: [{ story: 'declined' }]
  })
  t.match(
    (await call('GET', `/__admin/payments/deposit/${depositId}`)).body,
    { scenario: 'declined' },
    'its scenario is chosen'
  )

  const yaml = readFileSync(join(cwd, 'momock.yaml'), 'utf8')
  const bare = yaml.replace(/^# (\w+:|\s+(-\s)?\w+:)/gm, '$1')
  // The certificates that it names do not exist.
  const usable = bare.replace(/^(callbacksCa|tlsCert|tlsKey):.*\n/gm, '')
  writeFileSync(join(cwd, 'momock.yaml'), usable)
  t.match(
    await runCommand(t, ['validate', join(cwd, 'momock.yaml')], { cwd }),
    { code: 0, stderr: '' },
    'without its signs, every line of the configuration is good'
  )
  for (const { name } of settings.filter(({ name }) => name !== 'config')) {
    t.match(bare, new RegExp(`^${name}: \\S`, 'm'), name)
  }

  t.match(
    (await runCommand(t, ['init'], { cwd })).stdout,
    /^kept {2}momock\.yaml, it already exists\nkept .*\nkept .*\nkept .*\n/
  )
  t.equal(readFileSync(join(cwd, 'momock.yaml'), 'utf8'), usable, 'nothing is written over')

  t.match(await runCommand(t, ['init', 'a/new/folder'], { cwd, env }), {
    stdout: /\nNext: npm start -- --config a\/new\/folder\/momock\.yaml\nFor a\/new\/folder\/docker/
  })
  t.match(await loadConfig(['--config', 'a/new/folder/momock.yaml'], {}, cwd), {
    scenarios: 'a/new/folder/scenarios'
  })
  t.same(readdirSync(join(cwd, 'a/new/folder')).sort(), [
    'AGENTS.md',
    'docker-compose.momock.yml',
    'momock.yaml',
    'scenarios'
  ])
  writeFileSync(join(cwd, 'file'), '')
  t.match(
    await runCommand(t, ['init', 'file'], { cwd }),
    { code: 1, stderr: /^file\/momock\.yaml cannot be written/ },
    'a file where a folder should be'
  )
})

t.test('the program name depends on how it was started', async (t) => {
  const rows: Array<[env: Record<string, string>, file: string, program: string]> = [
    [
      { npm_lifecycle_event: 'start', npm_command: 'run-script' },
      '/clone/src/main.js',
      'npm start --'
    ],
    [
      { npm_command: 'exec', npm_lifecycle_event: 'npx' },
      '/app/node_modules/.bin/momock',
      'npx momock'
    ],
    [{}, '/app/node_modules/.bin/momock', 'npx momock'],
    [{}, '/usr/local/bin/momock', 'momock'],
    [{}, '/clone/src/main.js', 'node src/main.js']
  ]
  const stream = new PassThrough()
  for (const [env, file, program] of rows) {
    t.equal(findProgramName({ env, folder: '/clone', out: stream, err: stream }, file), program)
  }
})

interface Patient {
  args?: string[]
  env?: Record<string, string>
  /** Files that exist before, by path. */
  files?: Record<string, string>
}

t.test('doctor reports each problem with a fix', async (t) => {
  const mock = await mockOf(t)
  const port = new URL(mock.url).port
  const [free, taken, late] = [
    await nobody(),
    await stranger(t),
    await stranger(t, (_, response) =>
      response.setHeader('date', 'Mon, 01 Jan 2024 00:00:00 GMT').end()
    )
  ]
  const rows: Array<[what: string, patient: Patient, code: number, said: RegExp[]]> = [
    [
      'all is well',
      { args: ['--port', String(free), '--callback-url', `http://127.0.0.1:${taken}/`] },
      0,
      [
        /^ok +config +1 account, 1 callback URL$/m,
        /^ok +port +port \d+ of 127\.0\.0\.1 is free$/m,
        /^ok +ledger +the first start will create \S+\/data\/momock\.db$/m,
        /^ok +admin /m,
        /^ok +callbacks +\S+ answers \(200 to HEAD\)$/m,
        /^ok +clock +the clock of \S+ agrees with ours$/m
      ]
    ],
    [
      'a mock is running',
      { args: ['--port', port] },
      0,
      [
        /^ok +port +a momock is running at /m,
        /^ok +ledger +the first start will create \S+$/m,
        /^ok +callbacks +no account has a callback URL/m,
        /^ok +clock +the clock of the running momock agrees/m
      ]
    ],
    [
      'any port, in memory',
      { args: ['--port', '0', '--db', ':memory:'] },
      0,
      [
        /^ok +port +the server will use any free port of 127/m,
        /^ok +ledger +the ledger is in memory/m,
        /^ok +clock +no other server answered/m
      ]
    ],
    [
      'the port is taken',
      { args: ['--port', String(taken)] },
      1,
      [
        new RegExp(
          String.raw`^fail +port +port \d+ on 127\.0\.0\.1 is used by another program\n +→ ` +
            String.raw`stop that program, or choose another port`,
          'm'
        )
      ]
    ],
    [
      'the host is not of this machine',
      { args: ['--host', '192.0.2.1', '--port', '0'] },
      1,
      [/^fail +port +192\.0\.2\.1 is not an address of this machine\n +→ use --host/m]
    ],
    [
      'the ledger is something else',
      {
        args: ['--port', '0', '--db', 'notes.txt'],
        files: { 'notes.txt': 'dear diary, this is not a ledger' }
      },
      1,
      [/^fail +ledger +\S+\/notes\.txt .*\n +→ /m]
    ],
    [
      'open to the network',
      { args: ['--port', '0', '--host', '0.0.0.0'] },
      0,
      [/^warn +admin +everyone .*\n +→ set one with --admin-token or MOMOCK_ADMIN_TOKEN/m]
    ],
    [
      'open, but with a token',
      { args: ['--port', '0', '--host', '0.0.0.0', '--admin-token', 'a'] },
      0,
      [/^ok +admin +the admin API requires the admin token$/m]
    ],
    [
      'nobody takes callbacks',
      { args: ['--port', '0', '--callback-url', `http://127.0.0.1:${free}/`] },
      0,
      [/^warn +callbacks +http:\S+: no server listens there\n +→ start your server/m]
    ],
    [
      'a name nobody knows',
      { args: ['--port', '0', '--callback-url', 'http://nobody.invalid/'] },
      1,
      [
        new RegExp(
          String.raw`^fail +callbacks +http:\/\/nobody\.invalid\/: the host name is unknown\n` +
            ' +→ correct the name',
          'm'
        )
      ]
    ],
    [
      'a clock that is years behind',
      { args: ['--port', '0', '--callback-url', `http://127.0.0.1:${late}/`] },
      1,
      [/^fail +clock +the clock of \S+ is \d+ s behind ours\n +→ synchronise both clocks/m]
    ]
  ]
  await Promise.all(
    rows.map(async ([what, { args = [], env = {}, files = {} }, code, said]) => {
      const cwd = folder(t)
      for (const [path, content] of Object.entries(files)) writeFileSync(join(cwd, path), content)
      const outcome = await runCommand(t, ['doctor', ...args], { cwd, env })
      t.match({ code: outcome.code, stderr: outcome.stderr }, { code, stderr: '' }, what)
      for (const line of said) t.match(outcome.stdout, line, what)
      t.notMatch(outcome.stdout, '\u001b', 'no colours where there is no terminal')
      t.same(readdirSync(cwd).sort(), Object.keys(files).sort(), 'and nothing was made')
    })
  )
})

/** Settings that no server can have, with the beginning of the problem of each. */
const impossible: Array<[setting: string, problem: string]> = [
  ['keys: [{ id: k, privateKey: secret }]', 'keys.0.privateKey must be an EC P-256 private key'],
  ['callbackTimeout: 0s', 'callbackTimeout must be more than 0'],
  ['stopDelay: 1h', 'stopDelay must be at most 10m'],
  ['tlsKey: key.pem', 'tlsKey has no effect without tlsPort'],
  ['tlsHosts: a b', "tlsHosts: 'a b' is not a host name"],
  ['callbacksCa: none.pem', 'callbacksCa: '],
  ['accounts: [{ name: twice }, { name: twice }]', "accounts: the name 'twice' is used by several"],
  ['scenarios: nowhere', 'scenarios: there is no folder ']
]

t.test('start, doctor and validate find the same problems', async (t) => {
  const cwd = folder(t)
  const file = join(cwd, 'momock.yaml')
  writeFileSync(file, impossible.map(([setting]) => `${setting}\n`).join(''))
  const outcomes = await Promise.all([
    run(t, ['start'], { cwd }),
    runCommand(t, ['doctor'], { cwd }),
    runCommand(t, ['validate', file])
  ])
  for (const { code, stderr } of outcomes) {
    t.equal(code, 2)
    for (const [, problem] of impossible) t.match(stderr, problem)
  }
  t.same(readdirSync(cwd), ['momock.yaml'], 'nothing was made')
})

t.test(
  'doctor reports a folder that is not writable',
  { skip: process.getuid?.() === 0 ? 'root may write everywhere' : false },
  async (t) => {
    const cwd = folder(t)
    mkdirSync(join(cwd, 'locked'))
    chmodSync(join(cwd, 'locked'), 0o500)
    t.match(await runCommand(t, ['doctor', '--port', '0', '--db', 'locked/momock.db'], { cwd }), {
      code: 1,
      stdout: /^fail +ledger .* cannot be created: this user cannot write in \S+\n +→ /m
    })
  }
)

/** Rounds, as they are written and as they come. */
const mixes: Array<[mix: string, round: string]> = [
  ['initiations=1', 'i'],
  ['initiations=2,checks=2', 'icic'],
  [' checks = 1 , initiations = 3 ', 'icii'],
  ['initiations=8,duplicates=1,checks=1', 'iiiidciiii'],
  ['initiations=1,duplicates=0', 'i']
]
const badMixes: Array<[mix: string, said: RegExp]> = [
  ['', /'' must be a kind and a number/],
  ['initiations', /'initiations' must be a kind and a number/],
  ['initiations=-1', /must be a kind and a number/],
  ['initiations=1,initiations=2', /named twice/],
  ['initiations=1001', /the maximum per kind is 1000/],
  ['payments=1', /'payments' is not one of/],
  ['checks=1', /initiations must be above 0/],
  ['initiations=0,checks=0', /at least one kind/]
]

t.test('load parses the mix', async (t) => {
  for (const [mix, round] of mixes) {
    t.equal(
      [parseMix(mix)]
        .flat()
        .map((kind) => kind[0])
        .join(''),
      round,
      mix
    )
  }
  for (const [mix, said] of badMixes) t.match(parseMix(mix), said, mix)
})

t.test('load counts and reports correct answers', async (t) => {
  const mock = await mockOf(t)
  const cwd = folder(t)
  const args = [
    'load',
    '--url',
    mock.url,
    '--duration',
    '1s',
    '--rate',
    '47',
    '--connections',
    '20',
    '--mix',
    'initiations=2,duplicates=1,checks=1',
    '--json',
    'load.json',
    '--html',
    'load.html',
    '--token',
    'sandbox-load'
  ]
  const { code, stdout, stderr } = await runCommand(t, args, { cwd })
  t.equal(code, 0)
  t.match(
    stderr,
    /^ +second +answers +initiations +duplicates +checks +p50 ms +p99 ms +wrong$/m,
    'a table as it goes'
  )
  t.match(stdout, /^all +\d+ .* 0$/m)
  const report = JSON.parse(readFileSync(join(cwd, 'load.json'), 'utf8'))
  t.match(report, {
    momock: version,
    url: mock.url,
    asked: { rate: 47, seconds: 1, connections: 20 },
    interrupted: false,
    total: { wrong: 0, errors: 0, timeouts: 0 }
  })
  const { initiations, duplicates, checks } = report.kinds
  t.ok(initiations.answers > 0, 'initiations come first')
  t.equal(initiations.answers + duplicates.answers + checks.answers, report.total.answers)
  // A busy machine sends fewer requests in the second.
  t.ok(report.total.answers <= 47, 'the rate is kept, whatever the number of connections')
  t.equal(
    report.seconds.reduce((sum: number, { answers }: { answers: number }) => sum + answers, 0),
    report.total.answers,
    'every answer is of some second'
  )
  const page = readFileSync(join(cwd, 'load.html'), 'utf8')
  t.match(page, /<polyline /, 'a plot')
  t.match(page, /<circle /, 'of a single second too')
  t.match(page, 'All answers were correct.')
  t.notMatch(
    page.replaceAll(mock.url, ''),
    /(src|href|url\()|https?:|@import|<script/,
    'nothing is asked of anybody'
  )
})

t.test('load reports wrong answers and missing servers', async (t) => {
  const mock = await mockOf(t)
  const free = await nobody()
  const page = `<b>${'x'.repeat(400)}`
  const odd = await stranger(t, (request, response) =>
    request.url === '/health'
      ? response.end('{"status":"healthy","version":"0"}')
      : response.writeHead(500).end(page)
  )
  const slow = await stranger(t, (request, response) =>
    request.url === '/health'
      ? response.end('{"status":"healthy","version":"0"}')
      : setTimeout(() => response.end('"ACCEPTED"'), 50)
  )
  const rows: Array<[what: string, args: string[], code: number, said: RegExp]> = [
    [
      'nobody is there',
      ['--port', String(free)],
      3,
      /^momock load cannot run: there is no momock at \S+ \(no server listens there\); start one/
    ],
    [
      'it is not a mock, and is left alone',
      ['--port', String(await stranger(t))],
      3,
      /there is no momock at \S+ \(another program answers\)/
    ],
    [
      'a token that is not known',
      ['--url', mock.url, '--duration', '1s', '--rate', '5', '--token', 'wrong'],
      1,
      /^wrong: initiations: 401 \{"depositId":"…".*AUTHENTICATION_ERROR/m
    ],
    [
      'wrong answers',
      ['--url', `http://127.0.0.1:${odd}`, '--duration', '1s', '--rate', '5', '--html', 'odd.html'],
      1,
      /^wrong: initiations: 500 <b>x+$/m
    ],
    [
      'reports that cannot be written are told beforehand',
      ['--port', String(free), '--json', '/dev/null/report.json', '--html', '.'],
      2,
      new RegExp(
        String.raw`^momock load cannot run:\n {2}--json: \/dev\/null\/report\.json cannot be ` +
          String.raw`written \(.*\)\n {2}--html: \. cannot be written \(.*\)\n$`
      )
    ],
    [
      'a rate that one connection cannot keep',
      [
        '--url',
        `http://127.0.0.1:${slow}`,
        '--duration',
        '1s',
        '--rate',
        '50',
        '--connections',
        '1',
        '--mix',
        'initiations=1'
      ],
      0,
      new RegExp(
        String.raw`^only \d+ of 50 requests were sent: 1 connection is not enough for 50 per ` +
          String.raw`second; use more with --connections$`,
        'm'
      )
    ],
    [
      'as many as it can',
      ['--url', mock.url, '--duration', '1s', '--connections', '2', '--json', 'full.json'],
      0,
      /^all +\d+ .* 0$/m
    ],
    [
      'nothing is made before there is something to write',
      ['--port', String(free), '--json', 'never.json'],
      3,
      /there is no momock/
    ]
  ]
  const cwd = folder(t)
  await Promise.all(
    rows.map(async ([what, args, code, said]) => {
      const outcome = await runCommand(t, ['load', ...args], { cwd })
      t.match(
        { code: outcome.code, text: outcome.stderr + outcome.stdout },
        { code, text: said },
        what
      )
    })
  )
  t.notOk(readdirSync(cwd).includes('never.json'))
  const full: { seconds: Array<{ answers: number }>; total: { answers: number } } = JSON.parse(
    readFileSync(join(cwd, 'full.json'), 'utf8')
  )
  t.equal(
    full.seconds.reduce((sum, { answers }) => sum + answers, 0),
    full.total.answers,
    'every answer is of some second'
  )
  t.match(
    readFileSync(join(cwd, 'odd.html'), 'utf8'),
    '&lt;b&gt;xxx',
    'what was answered is not believed in the report'
  )
})

t.test('the start loads no other command', async (t) => {
  const importsOf = (name: string): string[] => {
    const text = readFileSync(new URL(`../../src/cli/${name}`, import.meta.url), 'utf8')
    return [...text.matchAll(/^import (?!type).* from '(\.\/.*)'$/gm)].map(([, path]) => path)
  }
  t.same(importsOf('start-command.ts'), [], 'the row of the start')
  t.same(importsOf('run.ts'), ['./command.ts', './start-command.ts'], 'the program')
  t.same(importsOf('start.ts'), ['./command.ts'], 'the start itself')
})
