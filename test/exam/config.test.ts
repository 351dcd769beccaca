import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { initialConfig } from '../../src/exam/init.ts'
import { checkConfig, readConfig, readExpectations } from '../../src/exam/read-config.ts'

/**
 * The configuration of an exam: what is wrong with a file is said all at once, each with its line.
 */

const good = `callback: http://127.0.0.1:3000/callbacks
drive:
  deposit:
    http: { method: POST, url: 'http://127.0.0.1:3000/pay', body: { amount: '{{amount}}' } }
    reference: $.orderId
  payout: { command: ./payout.sh }
observe:
  http: { url: 'http://127.0.0.1:3000/orders/{{reference}}' }
  paid: $.paid
settle: 1s
patience: 30s
hooks: { before: { http: { method: POST, url: 'http://127.0.0.1:3000/reset' } } }
expect: { SIG-05: accepted until the new gateway is live }
`

t.test(
  'the configuration of the documentation, and the one that init writes, are fine',
  async (t) => {
    const folder = t.testdir({ 'good.yaml': good, 'init.yaml': initialConfig })
    t.match(await readConfig(join(folder, 'good.yaml')), {
      callback: 'http://127.0.0.1:3000/callbacks',
      expect: { 'SIG-05': /gateway/ }
    })
    t.match(await readConfig(join(folder, 'init.yaml')), { settle: '1s', expect: {} })
  }
)

const problems: Array<[what: string, text: string, said: string[]]> = [
  [
    'several at once',
    `callback: nowhere
drive:
  deposit:
    http: { url: 'http://127.0.0.1/pay' }
observe:
  http: { url: 'http://127.0.0.1/orders' }
  payed: $.paid
settle: soon
expect: { SIG-99: none }
`,
    [
      '1: callback must be the http or https URL where the application takes callbacks, got ' +
        '"nowhere"',
      '3: drive.deposit.reference is required with http',
      '7: observe.payed is not supported here; did you mean paid?',
      '8: settle must be a duration',
      '9: expect.SIG-99 is not a check'
    ]
  ],
  [
    'what fits together only in form',
    `callback: http://127.0.0.1:3000/callbacks
drive:
  deposit:
    http: { url: 'http://127.0.0.1/pay', body: { a: '{{amuont}}' } }
    command: ./pay.sh
    reference: $.id
  payout:
    http: { url: 'http://127.0.0.1/payout' }
observe:
  http: { url: 'http://127.0.0.1/orders' }
  paid: $.[
hooks:
  break: { command: ./break.sh }
patience: 2h
expect:
  SIG-99: no such thing
`,
    [
      '4: drive.deposit.http has a variable {{amuont}} that has no value here',
      '5: drive.deposit.command stands beside http; leave one of them out',
      '7: drive.payout.reference is required with http',
      '10: observe.http must hold {{reference}}',
      '11: observe.paid is no JSONPath: $.[',
      '13: hooks.break needs the other one',
      '14: patience is at most 3600 s',
      '16: expect.SIG-99 is not a check'
    ]
  ],
  [
    'values in commands, which the shell would run',
    `callback: http://127.0.0.1:3000/callbacks
start:
  command: exec node shop.js {{port}} {{token}}
  ready: http://127.0.0.1:{{port}}/
drive:
  deposit: { command: './pay.sh "{{phoneNumber}}"' }
observe:
  command: echo {{reference}}
  payout: { command: 'echo {{ reference }}' }
hooks:
  before: { command: 'rm -f shop-{{port}}.log' }
`,
    [
      '3: start.command has a variable {{token}}, which the shell could run as a command; write ' +
        '"$MOMOCK_TOKEN"',
      '6: drive.deposit.command has a variable {{phoneNumber}}, which the shell could run as a ' +
        'command; write "$MOMOCK_PHONE_NUMBER" in its place',
      '8: observe.command has a variable {{reference}}, which the shell could run as a command; ' +
        'write "$MOMOCK_REFERENCE" in its place',
      '9: observe.payout.command has a variable {{reference}}'
    ]
  ],
  ['no YAML', 'callback: {', ['1: ']]
]

t.test('everything that is wrong is said, in the order of the lines', async (t) => {
  for (const [what, text, said] of problems) {
    const folder = t.testdir({ 'exam.yaml': text })
    const error: { problems?: string[] } = await readConfig(join(folder, 'exam.yaml')).then(
      () => ({}),
      (error) => error
    )
    const lines =
      error.problems?.map((line) => line.slice(join(folder, 'exam.yaml').length + 1)) ?? []
    t.equal(lines.length, said.length, `${what}: ${lines.join('\n')}`)
    for (const [n, start] of said.entries()) {
      t.ok(lines[n]?.startsWith(start), `${what}: ${lines[n]}`)
    }
  }
  await t.rejects(readConfig('/nowhere/exam.yaml'), { message: /there is no such file/ })
})

t.test('known findings in a file of their own', async (t) => {
  const folder = t.testdir({})
  const path = join(folder, 'known.yaml')
  writeFileSync(path, 'SIG-05: until March\n')
  t.same(await readExpectations(path), { 'SIG-05': 'until March' })
  writeFileSync(path, 'SIG-05: 3\nSIG-5: until March\n')
  await t.rejects(readExpectations(path), {
    message: /known.yaml:1: SIG-05 must be why it is accepted, got 3/
  })
  writeFileSync(path, 'SIG-05: until March\nSIG-5: until March\n')
  await t.rejects(readExpectations(path), { message: /known.yaml:2: SIG-5 is not a check/ })
})

t.test('a configuration in code is checked in the same way', async (t) => {
  t.throws(() => checkConfig({}), { message: /callback is required/ })
  t.throws(
    () =>
      checkConfig({
        callback: 'http://127.0.0.1/',
        drive: { deposit: { http: { url: 'http://127.0.0.1/' } } }
      }),
    { message: /drive.deposit.reference is required/ }
  )
  t.same(checkConfig({ callback: 'http://127.0.0.1/' }), { callback: 'http://127.0.0.1/' })
})
