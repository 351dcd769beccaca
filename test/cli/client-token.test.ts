import t from 'tap'
import { ConfigSchema, defaults, type Config } from '../../src/config/config.ts'
import { chooseClientToken } from '../../src/config/configured.ts'
import { createMomock } from '../../src/index.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { runCommand } from '../support/command-runner.ts'

/** Token that a command sends to a server. */

const reader = { token: 'reader', allow: ['read'] }

const rows: Array<[name: string, given: Partial<Config>, token: string]> = [
  ['the default', {}, 'test-token'],
  ['a given token', { token: 'mine' }, 'mine'],
  [
    'the read-only token of a default server',
    { token: 'test-token-readonly' },
    'test-token-readonly'
  ],
  [
    'a given token that only reads here',
    { token: 'reader', accounts: accountWith(reader) },
    'reader'
  ],
  [
    'a token of the file that can initiate',
    { accounts: accountWith(reader, { token: 'payer' }) },
    'payer'
  ],
  ['no token of the file can initiate', { accounts: accountWith(reader) }, 'sandbox-demo']
]

function accountWith (...tokens: object[]): Config['accounts'] {
  const given = { ...defaults(), accounts: [{ name: 'default', tokens }] }
  const validator = createValidator(ConfigSchema)
  if (!validator.check(given)) throw new Error(validator.first(given)?.message)
  return given.accounts
}

for (const [name, given, token] of rows) {
  t.test(`token of a command: ${name}`, async (t) => {
    t.equal(chooseClientToken({ ...defaults(), ...given } as Config), token)
  })
}

t.test('commands accept the read-only token of a default server', async (t) => {
  const mock = await createMomock()
  t.teardown(mock.close)
  const args = ['--url', mock.url, '--token', 'test-token-readonly']
  t.match(await runCommand(t, ['env', ...args]), { code: 0, stdout: /='test-token-readonly'\n/ })
  t.match(await runCommand(t, ['lint', ...args]), { code: 0 })
  const load = ['load', ...args, '--duration', '1s', '--rate', '5']
  t.match(
    await runCommand(t, load),
    { code: 1, stdout: /403/ },
    'the answers show that it only reads'
  )
})
