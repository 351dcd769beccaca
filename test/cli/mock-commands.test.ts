import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { commands } from '../../src/cli/commands.ts'
import { formatCommandHelp, formatProgramHelp } from '../../src/cli/help.ts'
import { runProgram } from '../../src/cli/run.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { shippedCatalogue } from '../../src/domain/catalogue.ts'
import { createMomock, type Momock } from '../../src/index.ts'
import { runCommand, type CommandResult } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { folder, receiver, until } from '../support/helper.ts'
import { command, serve } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** Commands that use a running mock, and help texts. */

const sh = promisify(execFile)

async function mockOf (t: Test, options: Parameters<typeof createMomock>[0] = {}): Promise<Momock> {
  const mock = await createMomock(options)
  t.teardown(mock.close)
  return mock
}

const send = (t: Test, { url }: Momock, ...args: string[]): Promise<CommandResult> =>
  runCommand(t, ['send', ...args, '--url', url])

t.test('send makes a payment of each kind and follows it to its end', async (t) => {
  const merchant = await receiver(t)
  const mock = await mockOf(t, { callbackUrl: merchant.url })
  for (const kind of ['deposit', 'payout', 'refund', 'remittance'] as const) {
    const { code, stdout } = await send(t, mock, kind)
    const [post, answer, accepted, ended, ...rest] = stdout.trimEnd().split('\n')
    t.equal(post, `POST ${mock.url}/v2/${kinds[kind].path}`)
    t.match(answer, /^200 \{.*"status":"ACCEPTED"/)
    t.match(accepted, new RegExp(`^[\\d:]{8}Z  ${kind} [0-9a-f]{8} +15\\.00 ZMW .* ACCEPTED$`))
    t.match(ended, /COMPLETED \(test number\) +callback 200 in \d+ ms {2}http/)
    t.same(rest, [])
    t.equal(code, 0)
  }
})

t.test('send makes a split payment, and has a plural for its path', async (t) => {
  const { code, stdout } = await send(t, await mockOf(t), 'split-payments')
  t.match(stdout, /^POST \S+\/v2\/split-payments\n200 .*"ACCEPTED"[^]* COMPLETED /)
  t.equal(code, 0)
})

t.test('send shows a payment that fails, a refusal, and a customer who has to pay', async (t) => {
  const mock = await mockOf(t)
  t.match(await send(t, mock, 'deposit', '--phone-number', '260763456039'), {
    code: 1,
    stdout: /FAILED PAYMENT_NOT_APPROVED \(test number\) {2}no callback: no URL is set/
  })
  t.match(await send(t, mock, 'deposit', '--amount', '0.001'), {
    code: 1,
    stdout: /^POST .*\n(200|400) \{.*"REJECTED".*\}\n$/
  })
  t.match(await send(t, mock, 'refund'), { code: 0, stderr: /^no deposit has completed yet/ })
  const id = 'f4401bd2-1568-4140-bf2d-eb77d2b2b639'
  t.match(await send(t, mock, 'checkout', '--id', id, '--timeout', '50ms'), {
    code: 1,
    stdout:
      /The customer pays at http.*\/checkout\/\w+\n[^]*It is still WAITING_PAYMENT after 50 ms/
  })
})

t.test('send says what became of the answer, and follows what the mock has taken', async (t) => {
  const mock = await mockOf(t, { clock: 'running' })
  const rows: Array<[fault: 'lost' | 'truncated' | 'reset', answer: RegExp, isTaken: boolean]> = [
    ['lost', /no answer: the connection was closed without an answer/, true],
    ['truncated', /200, but the connection was closed in the middle of the answer/, true],
    ['reset', /no answer: the connection was closed without an answer/, false]
  ]
  for (const [fault, answer, isTaken] of rows) {
    await mock.scenario({ name: fault, fault })
    const { code, stdout, stderr } = await send(t, mock, 'deposit', '--scenario', fault)
    const lines = stdout.trimEnd().split('\n').slice(1)
    t.match(lines[0], answer, fault)
    t.equal(lines.length, isTaken ? 4 : 1, fault)
    if (isTaken) t.match(lines.slice(1), [/has the payment nevertheless/, /ACCEPTED/, /COMPLETED/])
    t.equal(code, isTaken ? 0 : 1, fault)
    t.equal(stderr, '')
  }
})

t.test('send says that the clock is frozen, and advance moves it', async (t) => {
  const mock = await mockOf(t, { clock: 'frozen' })
  const sent = await send(t, mock, 'deposit')
  t.match(sent, { code: 0, stdout: /The clock of this account is frozen at .*: momock advance 1m/ })
  t.match(await runCommand(t, ['advance', '1m', '--url', mock.url]), {
    code: 0,
    stdout: /^the clock shows \S+ and is frozen: 2 changes of status, 0 callbacks, 0 expiries\n$/
  })
  t.match((await mock.payments())[0], { status: 'COMPLETED' })
  t.match(await runCommand(t, ['advance', 'idle', '--url', mock.url]), { code: 0 })
})

t.test('send has a default of its own for every provider', long, async (t) => {
  const mock = await mockOf(t, { clock: 'frozen' })
  for (const country of Object.values(shippedCatalogue)) {
    for (const [code, { assumed }] of Object.entries(country.providers)) {
      // Assumed providers are off unless an account names them.
      if (assumed === true) continue
      const { stdout } = await send(t, mock, 'deposit', '--provider', code)
      t.match(stdout, '"status":"ACCEPTED"', code)
    }
  }
})

t.test('send --curl prints a request that works', async (t) => {
  const mock = await mockOf(t, { token: "it's" })
  const flags = ['--url', mock.url, '--token', mock.token]
  const { code, stdout } = await runCommand(t, ['send', 'deposit', '--curl', ...flags])
  t.equal(code, 0)
  t.same(await mock.payments(), [], 'nothing was sent')
  const { stdout: answer } = await sh('sh', ['-c', stdout])
  t.match(JSON.parse(answer), { status: 'ACCEPTED' })
})

t.test('payments lists the latest payments', async (t) => {
  const mock = await mockOf(t)
  t.match(await runCommand(t, ['payments', '--url', mock.url]), {
    code: 0,
    stdout: '',
    stderr: /momock send deposit makes one/
  })
  await send(t, mock, 'deposit')
  await send(t, mock, 'payout')
  const { stdout } = await runCommand(t, ['payments', '--url', mock.url])
  const [head, first, second] = stdout.trimEnd().split('\n')
  t.match(head, /^created +kind +identifier +status +amount +provider +scenario$/)
  t.match(first, / payout +[0-9a-f-]{36} +COMPLETED +15\.00 ZMW +MTN_MOMO_ZMB/)
  t.match(second, / deposit /)
  const painted = await runCommand(t, ['payments', '--url', mock.url], {
    env: { FORCE_COLOR: '1' }
  })
  t.match(painted.stdout, '\u001b[32mCOMPLETED')
  const json = await runCommand(t, ['payments', '--kind', 'payout', '--json', '--url', mock.url])
  t.match(JSON.parse(json.stdout), [{ kind: 'payout' }])
})

t.test('tail prints events until the mock stops', async (t) => {
  const mock = await createMomock({ adminToken: 'secret' })
  const [out, err] = [new PassThrough(), new PassThrough()]
  let [shown, said] = ['', '']
  out.on('data', (text) => (shown += text))
  err.on('data', (text) => (said += text))
  const flags = ['--url', mock.url, '--admin-token', 'secret']
  const ended = runProgram(['tail', ...flags], { out, err, env: {}, folder: folder(t) })
  await until(
    async () => said,
    (text) => text.includes('Ctrl-C stops it')
  )
  await runCommand(t, ['send', 'deposit', ...flags])
  await until(
    async () => shown,
    (text) => text.includes('COMPLETED')
  )
  await mock.close()
  t.equal(await ended, 1)
  t.match(shown, /^[\d:]{8}Z {2}deposit \w{8} {2}15\.00 ZMW MTN_MOMO_ZMB {5}ACCEPTED\n.*COMPLETED/)
  t.match(said, 'has stopped')
})

t.test('the end of a mock is told, however it ends', async (t) => {
  const waiting: Array<[args: string[], begun: RegExp, stream: 'stdout' | 'stderr', said: RegExp]> =
    [
      [['tail'], /Ctrl-C stops it/, 'stderr', /\nthe mock at \S+ has stopped\n$/],
      [
        ['send', 'checkout'],
        /The customer pays at/,
        'stdout',
        /^momock send cannot run: .*(no server listens there|there is no answer from) .*\n$/
      ]
    ]
  const { process: mock, ready } = await serve(t)
  const { url } = ready
  const followers = waiting.map(([args]) => startProgram(t, command([...args, '--url', url])))
  for (const [n, { prints }] of followers.entries()) await prints(waiting[n][1], waiting[n][2])
  mock.kill('SIGKILL')
  for (const [n, { end }] of followers.entries()) {
    t.match(await end(), { code: 1, stderr: waiting[n][3] }, waiting[n][0].join(' '))
  }
})

t.test('every command of a running mock says that there is none', async (t) => {
  for (const args of [['send', 'deposit'], ['tail'], ['payments'], ['advance', '1m']]) {
    t.match(await runCommand(t, [...args, '--url', 'http://127.0.0.1:1']), {
      code: 3,
      stderr: new RegExp(
        `^momock ${args[0]} cannot run: there is no momock at http://127.0.0.1:1 .*--url\n$`
      )
    })
  }
  const mock = await mockOf(t, { adminToken: 'secret' })
  t.match(await runCommand(t, ['payments', '--url', mock.url]), {
    code: 1,
    stderr: /^momock payments cannot run: .*X-Momock-Admin-Token header is missing or wrong/
  })
})

/** Wrong arguments, and the allowed values in their messages. */
const slips: Array<[args: string[], said: RegExp]> = [
  [['send'], /name a kind: .* the kinds are deposit, payout, refund, remittance, splitPayment, checkout\n/],
  [['send', 'coffee'], /'coffee' cannot be sent; the kinds are deposit, .*checkout\n/],
  [['send', 'deposit', 'x'], /only one kind can be sent, got 'x' too\n/],
  [['send', 'deposit', '--provider', 'MTN'], /there is no provider 'MTN'.*\n {2}it is one of MTN_/],
  [
    ['send', 'deposit', '--provider', 'VODACOM_COD'],
    /exists on the platform, not offered to merchants; did you mean VODACOM_MPESA_COD\?/
  ],
  [['send', 'deposit', '--id', '1'], /--id must be the identifier \(a UUID\)/],
  [['send', 'deposit', '--timeout', '2h'], /--timeout must be more than 0 and at most 1h/],
  [['send', 'refund', '--curl'], /--curl of a refund needs --deposit/],
  [['payments', '--kind', 'x'], /--kind must be one of deposit, .*checkout, got 'x'\n/],
  [['payments', '--status', 'x'], /--status must be one of ACCEPTED, .*got 'x'\n/],
  [['advance'], /name a time: momock advance 15m; it is a duration/],
  [['advance', 'x'], /'x' is not a time; .*or next, .*or idle/],
  [['sned'], /'sned' is not a command; did you mean send\?\nthe commands are start, .*help\n/]
]

t.test('messages list the allowed values', async (t) => {
  for (const [args, said] of slips) {
    t.match(await runCommand(t, args), { code: 2, stdout: '', stderr: said }, args.join(' '))
  }
})

t.test('help texts fit the terminal and have examples', async (t) => {
  for (const width of [60, 80, 100, 140]) {
    const texts = [
      formatProgramHelp(commands, width),
      ...commands.map((row) => formatCommandHelp(row, width))
    ]
    const examples = commands.flatMap((row) => row.examples)
    const long = texts
      .join('\n')
      .split('\n')
      .filter((line) => line.length > width && !examples.includes(line.trim()))
      .filter((line) => !line.includes(' # '))
    t.same(long, [], `${width} columns`)
  }
  for (const { name, examples } of commands) {
    t.ok(examples.length > 0, `${name} has examples`)
  }
  const [out, err] = [
    Object.assign(new PassThrough(), { isTTY: true, columns: 60 }),
    new PassThrough()
  ]
  await runProgram(['--help'], { out, err, env: {}, folder: '.' })
  const shown = String(out.read())
  t.ok(shown.split('\n').filter((line) => line.length > 60).length < 5, 'a real stream')
})
