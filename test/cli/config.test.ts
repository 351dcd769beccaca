import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createValidator } from '../../src/lib/validator.ts'
import { ConfigError, ConfigSchema, defaults, settings } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { folder } from '../support/helper.ts'

interface Given {
  args?: string[]
  env?: Record<string, string>
  /** Content of momock.yaml. */
  file?: string
}

function load (t: Test, { args = [], env = {}, file }: Given): Promise<Record<string, unknown>> {
  const home = folder(t)
  if (file !== undefined) writeFileSync(join(home, 'momock.yaml'), file)
  return loadConfig(args, env, home)
}

/** Problems of a configuration, without the folder of the test. */
async function problems (t: Test, given: Given): Promise<string[]> {
  try {
    await load(t, given)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => problem.replace(/^\/.*\/(?=momock\.yaml)/, ''))
  }
}

interface Source {
  default?: unknown
  file: unknown
  variable: string
  flag: string
  /** Value of the flag and the variable; by default the text itself. */
  read?: (text: string) => unknown
}

/** Every setting with one value, and a different value for each place it can come from. */
const sources: Record<string, Source> = {
  port: { default: 7070, file: 1, variable: '2', flag: '3', read: Number },
  host: {
    default: '127.0.0.1',
    file: 'file.example',
    variable: 'variable.example',
    flag: 'flag.example'
  },
  db: { default: 'data/momock.db', file: 'file.db', variable: 'variable.db', flag: ':memory:' },
  peerHost: { file: 'file.example', variable: '10.0.0.1', flag: 'flag.example' },
  stopDelay: { default: '0s', file: '1s', variable: '2s', flag: '3s' },
  scenarios: { file: 'file', variable: 'variable', flag: 'flag' },
  token: { default: 'test-token', file: 'file', variable: 'variable', flag: 'flag' },
  publicUrl: {
    file: 'http://file.example',
    variable: 'http://variable.example/mock',
    flag: 'https://flag.example/'
  },
  allowHosts: { file: 'a.example', variable: 'b.example,*.c.example', flag: '*' },
  tlsPort: { file: 1, variable: '2', flag: '3', read: Number },
  tlsDir: { file: 'file', variable: 'variable', flag: 'flag' },
  tlsHosts: { file: 'a.example', variable: 'b.example,*.c.example', flag: '10.0.0.1' },
  tlsCert: { file: 'file.pem', variable: 'variable.pem', flag: 'flag.pem' },
  tlsKey: { file: 'file.key', variable: 'variable.key', flag: 'flag.key' },
  checkoutUrl: {
    file: 'http://file.example',
    variable: 'https://checkout.pawapay.io',
    flag: 'https://flag.example/'
  },
  paymentPageUrl: {
    file: 'http://file.example',
    variable: 'https://paywith.pawapay.io',
    flag: 'https://flag.example/'
  },
  profile: { file: 'production', variable: 'calm', flag: 'production' },
  callbackUrl: {
    file: 'http://file.example/',
    variable: 'http://variable.example/',
    flag: 'https://flag.example/'
  },
  callbackTimeout: { default: '10s', file: '1s', variable: '2s', flag: '3s' },
  adminToken: { file: 'file', variable: 'variable', flag: 'flag' },
  logLevel: { default: 'info', file: 'error', variable: 'warn', flag: 'debug' },
  logFormat: { file: 'json', variable: 'pretty', flag: 'json' },
  clock: { default: 'running', file: 'frozen', variable: 'running', flag: 'frozen' },
  journal: { default: 1000, file: 1, variable: '2', flag: '0', read: Number },
  callbacksAllow: { default: 'any', file: 'public', variable: 'shop.example', flag: 'any' },
  callbacksCa: { file: 'file.pem', variable: 'variable.pem', flag: 'flag.pem' },
  sandboxLimit: { default: 10_000, file: 0, variable: '5', flag: '7', read: Number },
  sandboxIdle: { default: '12h', file: 0, variable: '90m', flag: '1d' },
  seed: { default: 'momock', file: 'file', variable: 'variable', flag: 'flag' }
}

t.test('a flag overrides the variable, the variable the file, the file the default', async (t) => {
  t.same(
    settings.map(({ name }) => name),
    [...Object.keys(sources), 'config'],
    'the table below has every setting'
  )
  for (const { name, flag, variable } of settings.filter(({ name }) => name !== 'config')) {
    const source = sources[name]
    const read = source.read ?? ((text: string) => text)
    const file = `${name}: ${JSON.stringify(source.file)}`
    const env = { [variable]: source.variable }
    t.same((await load(t, {}))[name], source.default, `${name} by default`)
    t.same((await load(t, { file }))[name], source.file, `${name} in the file`)
    t.same((await load(t, { file, env }))[name], read(source.variable), `${variable} over the file`)
    t.same(
      (await load(t, { file, env, args: [flag, source.flag] }))[name],
      read(source.flag),
      `${flag} over ${variable}`
    )
    t.same(
      (await load(t, { env, args: [`${flag}=${source.flag}`] }))[name],
      read(source.flag),
      `${flag}= over ${variable}`
    )
    t.same(
      (await load(t, { file, env: { [variable]: '' } }))[name],
      source.file,
      `an empty ${variable} counts as not set`
    )
  }
})

t.test('the defaults are a valid configuration', async (t) => {
  t.same(createValidator(ConfigSchema).all(defaults()), [])
  t.same(await load(t, {}), defaults())
})

t.test('PORT and HOST are used if MOMOCK_PORT and MOMOCK_HOST are not set', async (t) => {
  const rows: Array<[env: Record<string, string>, args: string[], port: number, host: string]> = [
    [{ PORT: '8080', HOST: '0.0.0.0' }, [], 8080, '0.0.0.0'],
    [{ PORT: '8080', HOST: '0.0.0.0', MOMOCK_PORT: '9090', MOMOCK_HOST: '::1' }, [], 9090, '::1'],
    [{ PORT: '8080', HOST: '0.0.0.0', MOMOCK_PORT: '', MOMOCK_HOST: '' }, [], 8080, '0.0.0.0'],
    [{ PORT: '8080', HOST: '0.0.0.0' }, ['--port', '0', '--host', '::'], 0, '::'],
    [{ PORT: '', HOST: '' }, [], 1, 'file.example']
  ]
  for (const [env, args, port, host] of rows) {
    const config = await load(t, { args, env, file: 'port: 1\nhost: file.example\n' })
    t.match(config, { port, host }, JSON.stringify({ ...env, args }))
  }
})

t.test('variables of a container platform are ignored', async (t) => {
  const rows: Array<Record<string, string>> = [
    { MOMOCK_PORT: 'tcp://10.0.0.1:7070' },
    {
      MOMOCK_SERVICE_HOST: '10.0.0.1',
      MOMOCK_SERVICE_PORT: '7070',
      MOMOCK_SERVICE_PORT_HTTP: '7070'
    },
    {
      MOMOCK_PORT_7070_TCP: 'tcp://10.0.0.1:7070',
      MOMOCK_PORT_7070_TCP_PROTO: 'tcp',
      MOMOCK_PORT_7070_TCP_PORT: '7070',
      MOMOCK_PORT_7070_TCP_ADDR: '10.0.0.1'
    },
    { MOMOCK_NAME: '/shop/momock', MOMOCK_ENV_NODE_VERSION: '24' },
    {
      MOMOCK_DB_SERVICE_HOST: '10.0.0.1',
      MOMOCK_DB_PORT: 'tcp://10.0.0.1:5432',
      MOMOCK_DB_PORT_5432_TCP_ADDR: '10.0.0.1'
    }
  ]
  for (const env of rows) t.same(await load(t, { env }), defaults(), Object.keys(env).join(', '))
  t.match(
    await load(t, { env: { MOMOCK_PORT: 'tcp://10.0.0.1:7070', PORT: '8080' } }),
    { port: 8080 },
    'PORT still counts'
  )
})

t.test('paths in the file are relative to its folder', async (t) => {
  const home = folder(t)
  mkdirSync(join(home, 'shop'))
  const rows: Array<[file: string, settings: { scenarios?: string; db?: string }]> = [
    ['scenarios: stories\ndb: ledger.db', { scenarios: 'shop/stories', db: 'shop/ledger.db' }],
    ['scenarios: ../stories\ndb: ":memory:"', { scenarios: 'stories', db: ':memory:' }],
    ['scenarios: /stories', { scenarios: '/stories', db: 'data/momock.db' }]
  ]
  for (const [file, expected] of rows) {
    writeFileSync(join(home, 'shop/momock.yaml'), file)
    t.match(await loadConfig(['--config', 'shop/momock.yaml'], {}, home), expected, file)
  }
})

t.test('the configuration file is found by name or by --config', async (t) => {
  const home = folder(t)
  const write = (name: string, text: string): void => writeFileSync(join(home, name), text)
  mkdirSync(join(home, 'folder'))
  write('folder/named.yaml', 'seed: named')
  const rows: Array<
    [name: string, text: string, args: string[], env: Record<string, string>, seed: string]
  > = [
    ['momock.json', '{\n\t"seed": "json"\n}\n', [], {}, 'json'],
    ['momock.yml', 'seed: yml', [], {}, 'yml'],
    ['momock.yaml', '# the one people write\nseed: yaml', [], {}, 'yaml'],
    ['momock.yaml', 'seed: yaml', [], { MOMOCK_CONFIG: 'folder/named.yaml' }, 'named'],
    [
      'other.json',
      '{"seed":"other"}',
      ['--config', 'other.json'],
      { MOMOCK_CONFIG: 'folder/named.yaml' },
      'other'
    ],
    ['momock.yaml', '', [], {}, 'momock'],
    ['momock.yaml', '# only a comment\n', [], {}, 'momock'],
    ['momock.yaml', '\uFEFFseed: marked', [], {}, 'marked'],
    ['momock.yaml', 'seed: &word same\ntoken: *word', [], {}, 'same']
  ]
  for (const [name, text, args, env, seed] of rows) {
    write(name, text)
    t.equal(
      (await loadConfig(args, env, home)).seed,
      seed,
      `${name}: ${JSON.stringify(text)} ${args.join(' ')}`
    )
  }
})

const port = 'a port from 0 to 65535; 0 uses any free port'

/** Given settings, and the complete messages about them. */
const mistakes: Array<[what: string, given: Given, said: string[]]> = [
  ['an unknown flag', { args: ['--prot', '1'] }, ['--prot is not a flag; did you mean --port?']],
  [
    'an unknown flag with a sign',
    { args: ['--loglevel=debug'] },
    ['--loglevel is not a flag; did you mean --log-level?']
  ],
  ['a misspelt --help', { args: ['--hepl'] }, ['--hepl is not a flag; did you mean --help?']],
  ['an unknown letter', { args: ['-p', '80'] }, ['-p is not a flag; see momock --help']],
  ['a word', { args: ['start'] }, ["'start' is not a flag; see momock --help"]],
  [
    'a flag without a value',
    { args: ['--db'] },
    ['--db needs a value: the file of the ledger, :memory:, or postgres://USER@HOST/DATABASE']
  ],
  [
    'a flag with the next one for a value',
    { args: ['--db', '--port', '1'] },
    [
      '--db needs a value: the file of the ledger, :memory:, or postgres://USER@HOST/DATABASE',
      "'1' is not a flag; see momock --help"
    ]
  ],
  [
    'an empty name of a file',
    { args: ['--config='] },
    ["--config must be the configuration file, got ''"]
  ],
  [
    'an unknown variable',
    { env: { MOMOCK_PROT: '1' } },
    ['MOMOCK_PROT is not a variable of momock; did you mean MOMOCK_PORT?']
  ],
  [
    'a variable without its underscore',
    { env: { MOMOCK_LOGLEVEL: 'debug' } },
    ['MOMOCK_LOGLEVEL is not a variable of momock; did you mean MOMOCK_LOG_LEVEL?']
  ],
  [
    'a variable unlike any',
    { env: { MOMOCK_CONTINUOUS_INTEGRATION: '1' } },
    ['MOMOCK_CONTINUOUS_INTEGRATION is not a variable of momock; see momock --help']
  ],

  [
    'a port that is no number',
    { args: ['--port', 'http'] },
    [`--port must be ${port}, got 'http'`]
  ],
  [
    'a port too high',
    { env: { MOMOCK_PORT: '65536' } },
    [`MOMOCK_PORT must be ${port}, got '65536'`]
  ],
  ['a port below zero', { args: ['--port', '-1'] }, [`--port must be ${port}, got '-1'`]],
  ['a port with a fraction', { env: { PORT: '80.5' } }, [`PORT must be ${port}, got '80.5'`]],
  ['an empty host', { args: ['--host='] }, ["--host must be the address to listen on, got ''"]],
  [
    'a token with a space',
    { env: { MOMOCK_TOKEN: 'a b' } },
    ["MOMOCK_TOKEN must be the token of the default account, without spaces, got 'a b'"]
  ],
  [
    'a URL that is none',
    { args: ['--callback-url', 'localhost:3000'] },
    [
      '--callback-url must be an http or https URL that receives the callbacks of all kinds, got ' +
        "'localhost:3000'; did you mean http://localhost:3000?"
    ]
  ],
  [
    'a URL of another kind',
    { env: { MOMOCK_CALLBACK_URL: 'ftp://a.example/' } },
    [
      'MOMOCK_CALLBACK_URL must be an http or https URL that receives the callbacks of all ' +
        "kinds, got 'ftp://a.example/'"
    ]
  ],
  [
    'a public URL with a query',
    { args: ['--public-url', 'http://a.example/?a=1'] },
    [
      '--public-url must be the http or https URL that clients use, if it differs from the ' +
        "address it listens on; links begin with it, got 'http://a.example/?a=[hidden]'"
    ]
  ],
  [
    'a level that is none',
    { args: ['--log-level', 'verbose'] },
    ["--log-level must be one of silent, fatal, error, warn, info, debug, trace, got 'verbose'"]
  ],
  [
    'a clock that is none',
    { args: ['--clock', 'stopped'] },
    [
      "--clock must be 'running' like the system clock, or 'frozen' until a test advances it, " +
        "got 'stopped'"
    ]
  ],

  [
    'an unknown key',
    { file: 'prot: 1' },
    ['momock.yaml:1: prot is not supported here; did you mean port?']
  ],
  [
    'an unknown key that holds more',
    { file: 'seed: a\nacounts:\n  - name: a' },
    ['momock.yaml:2: acounts is not supported here; did you mean accounts?']
  ],
  [
    'the file in itself',
    { file: 'config: other.yaml' },
    ['momock.yaml:1: config is not supported here']
  ],
  [
    'a number in quotes',
    { file: 'port: "7070"' },
    [`momock.yaml:1: port must be ${port}, got "7070"`]
  ],
  [
    'a number for a text',
    { file: '\ntoken: 1234' },
    ['momock.yaml:2: token must be the token of the default account, without spaces, got 1234']
  ],
  [
    'a list for a number',
    { file: 'port: [1]' },
    [`momock.yaml:1: port must be ${port}, got a list of 1`]
  ],
  [
    'an account without a name',
    { file: 'accounts:\n  - name: a\n  - companyName: b' },
    [
      'momock.yaml:3: accounts.1.name is required: 1 to 128 letters, digits, dots, dashes or ' +
        'underscores, and not . or ..'
    ]
  ],
  [
    'an unknown key of a token',
    { file: 'accounts:\n  - name: a\n    tokens:\n      - token: b\n        allowed: []' },
    ['momock.yaml:5: accounts.0.tokens.0.allowed is not supported here; did you mean allow?']
  ],
  [
    'an unknown permission',
    {
      file:
        'accounts:\n  - name: a\n    tokens:\n      - token: b\n        allow:\n          - ' +
        'read\n          - write'
    },
    ['momock.yaml:7: accounts.0.tokens.0.allow.1 must be one of read, initiate, act, got "write"']
  ],
  [
    'a callback for an unknown kind',
    { file: 'accounts:\n  - name: a\n    callbacks:\n      deposit: http://a.example/' },
    ['momock.yaml:4: accounts.0.callbacks.deposit is not supported here; did you mean deposits?']
  ],
  [
    'a country code in small letters',
    { file: 'countries:\n  zmb: {}' },
    ['momock.yaml:2: countries.zmb is not supported here']
  ],

  [
    'a list for a file',
    { file: '- port: 1' },
    ['momock.yaml:1: the file must be a configuration, got a list of 1']
  ],
  [
    'a text for a file',
    { file: 'port 1' },
    ['momock.yaml:1: the file must be a configuration, got "port 1"']
  ],
  [
    'YAML that does not end',
    { file: 'port: [1\n' },
    [
      'momock.yaml:2: a { or [ is not closed, or what is in it is not indented; close it, or ' +
        'indent more'
    ]
  ],
  [
    'a key twice',
    { file: 'port: 1\nseed: a\nport: 2' },
    ['momock.yaml:3: this field is in the same object already; remove one of the two']
  ],
  [
    'two documents',
    { file: 'port: 1\n---\nport: 2' },
    ['momock.yaml:2: a second document begins here; a file can only contain one']
  ],
  [
    'an alias without an anchor',
    { file: 'seed: *word' },
    ['momock.yaml: Unresolved alias (the anchor must be set before the alias): word']
  ],

  [
    'all of them at once, those of the file by line',
    {
      args: ['--prot', '1', '--port', 'x'],
      env: { MOMOCK_TOKN: 'a', MOMOCK_CLOCK: 'b' },
      file: 'seeds: c\nlogLevel: d\nport: e'
    },
    [
      '--prot is not a flag; did you mean --port?',
      `--port must be ${port}, got 'x'`,
      'MOMOCK_TOKN is not a variable of momock; did you mean MOMOCK_TOKEN?',
      "MOMOCK_CLOCK must be 'running' like the system clock, or 'frozen' until a test advances " +
        "it, got 'b'",
      'momock.yaml:1: seeds is not supported here; did you mean seed?',
      'momock.yaml:2: logLevel must be one of silent, fatal, error, warn, info, debug, ' +
        'trace, got "d"',
      `momock.yaml:3: port must be ${port}, got "e"`
    ]
  ]
]

for (const [what, given, said] of mistakes) {
  t.test(`a mistake is named: ${what}`, async (t) => t.same(await problems(t, given), said))
}

t.test('a configuration file that cannot be read is named', async (t) => {
  const home = folder(t)
  writeFileSync(join(home, 'file'), '')
  const rows: Array<[name: string, said: RegExp]> = [
    ['nowhere.yaml', /\/nowhere\.yaml: there is no such file$/],
    ['.', /: this is a folder, not a file$/],
    ['file/momock.yaml', /\/file\/momock\.yaml: it cannot be read \(ENOTDIR/]
  ]
  for (const [name, said] of rows) {
    await t.rejects(
      loadConfig(['--config', name], {}, home),
      { name: 'ConfigError', message: said },
      name
    )
    await t.rejects(
      loadConfig([], { MOMOCK_CONFIG: name }, home),
      { message: said },
      `MOMOCK_CONFIG=${name}`
    )
  }
})
