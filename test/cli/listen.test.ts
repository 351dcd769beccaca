import t, { type Test } from 'tap'
import { isGenuine } from '../../examples/verify/verify.mjs'
import { runCommand } from '../support/command-runner.ts'
import { but, requests } from '../support/examples.ts'
import { until } from '../support/helper.ts'
import { arrived, merchant, type Arrival } from '../support/merchant.ts'
import { command, serve, type Running } from '../support/process.ts'
import { startProgram, type Program } from '../support/program.ts'

/** `momock listen`, as its own process: the mock, the listener and the handler are three. */

const metadata = (value: string) => ({ metadata: [{ developer: value }] })

async function listen (t: Test, mock: Running, url: string, ...args: string[]): Promise<Program> {
  const words = command(['listen', url, '--url', mock.ready.url, ...args])
  const program = startProgram(t, words)
  await program.prints(/Ctrl-C stops it/, 'stderr')
  await until(
    async () => (await mock.call('GET', '/__admin/listeners')).body.listeners,
    (all: Array<{ isConnected: boolean }>) => all.every(({ isConnected }) => isConnected)
  )
  return program
}

async function pay (mock: Running, change: object = {}, kind: 'deposit' | 'payout' = 'deposit') {
  const request = { ...requests.v2[kind]!(), ...change }
  const answer = await mock.call('POST', `/v2/${kind}s`, request)
  if (answer.body.status !== 'ACCEPTED') throw new Error(JSON.stringify(answer.body))
  return String(request[`${kind}Id`])
}

const waitFor = async (mock: Running, id: string, kind = 'deposit') =>
  (await mock.call('POST', '/__admin/wait', { kind, id, until: 'acknowledged' })).body

async function keysOf (mock: Running): Promise<Array<{ id: string; key: string }>> {
  return (await mock.call('GET', '/v2/public-key/http')).body
}

const judge = async (mock: Running, { body, ...request }: Arrival): Promise<boolean> =>
  isGenuine(request, body, await keysOf(mock))

t.test('a callback reaches a handler over a listener, and its answer counts', async (t) => {
  const mock = await serve(t)
  const { url, arrivals } = await merchant(t, [500])
  const program = await listen(t, mock, url)
  const id = await pay(mock)
  t.match(await waitFor(mock, id), { status: 'COMPLETED' })
  t.equal(arrivals.length, 2, 'the 500 was tried again')
  for (const arrival of arrivals) {
    t.equal(arrival.url, '/callbacks/deposits')
    t.equal(arrival.headers.host, new URL(url).host)
    t.ok(await judge(mock, arrival), 'the handler can verify it')
  }
  const [{ attempts, state }] = (await mock.call('GET', '/__admin/callbacks')).body.callbacks
  t.equal(state, 'ACKNOWLEDGED')
  t.match(attempts, [{ status: 500 }, { status: 200 }])
  const outcome = await program.stop('SIGINT')
  t.equal(outcome.code, 0)
  t.match(outcome.stdout, new RegExp(
    `deposit ${id} COMPLETED → /callbacks/deposits 500 in \\d+ ms; its signature is valid\\n` +
      `deposit ${id} COMPLETED → /callbacks/deposits 200 in \\d+ ms; its signature is valid\\n`
  ))
  t.match((await mock.call('GET', '/__admin/listeners')).body, { listeners: { length: 0 } })
})

/** Callback URL, arguments, and what the handler sees. */
const aims: Array<[what: string, own: string, args: string[], path: string, host: string]> = [
  ['keeps host, path and query', '', [], '/hooks/in?shop=1', 'shop.example'],
  ['has a path of its own', '/mine?x=1', [], '/mine?x=1', 'shop.example'],
  ['expects another host', '', ['--host', 'local.test:8080'], '/hooks/in?shop=1', 'local.test:8080']
]
for (const [what, own, args, path, host] of aims) {
  t.test(`the signature fits a handler that ${what}`, async (t) => {
    const mock = await serve(t, ['--callback-url', 'https://shop.example/hooks/in?shop=1'])
    const { url, arrivals } = await merchant(t)
    await listen(t, mock, url + own, ...args)
    await waitFor(mock, await pay(mock))
    t.equal(arrivals[0].url, path)
    t.equal(arrivals[0].headers.host, host)
    t.ok(await judge(mock, arrivals[0]))
  })
}

t.test('several listeners share an account by kind and by metadata', async (t) => {
  const mock = await serve(t)
  const handlers = await Promise.all(['rest', 'payouts', 'anna', 'both'].map(() => merchant(t)))
  const conditions = [
    [],
    ['--kind', 'payout'],
    ['--metadata', 'developer=anna'],
    ['--metadata', 'developer=anna', '--kind', 'payout,refund']
  ]
  for (const [index, args] of conditions.entries()) {
    await listen(t, mock, handlers[index].url, ...args)
  }
  const paid = [
    await pay(mock, metadata('ben')),
    await pay(mock, {}, 'payout'),
    await pay(mock, metadata('anna')),
    await pay(mock, metadata('anna'), 'payout')
  ]
  for (const [index, { arrivals }] of handlers.entries()) {
    await arrived(arrivals, 1)
    t.match(arrivals[0].body.toString(), paid[index])
    t.equal(arrivals.length, 1)
  }
})

t.test('faults of callbacks work as they do without a listener', async (t) => {
  const mock = await serve(t)
  const { url, arrivals } = await merchant(t, [], { wrongBecause: 'they are forged' })
  const program = await listen(t, mock, url)
  const faults: Array<[callback: object, count: number, isGenuine: boolean, explained: RegExp]> = [
    [{ duplicates: 1 }, 2, true, /its signature is valid/],
    [{ tampered: true }, 1, false, /not valid: the sha-512 of the Content-Digest/],
    [{ wrongKey: true }, 1, false, /not valid: the signature does not match/],
    [{ otherHost: true }, 1, false, /not valid: the signature is for host other-shop\.example/],
    [{ unsigned: true }, 1, false, /not valid: the Signature-Input and the Signature header are/]
  ]
  for (const [callback, count, genuine, explained] of faults) {
    const before = arrivals.length
    await mock.call('POST', '/__admin/scenarios', {
      name: 'fault',
      when: { kind: 'deposit' },
      callback,
      times: 1
    })
    await waitFor(mock, await pay(mock))
    await arrived(arrivals, before + count)
    for (const arrival of arrivals.slice(before)) t.equal(await judge(mock, arrival), genuine)
    await program.prints(explained)
  }
})

t.test('a handler that is not there is a failed attempt with the reason', async (t) => {
  const mock = await serve(t)
  const program = await listen(t, mock, 'http://127.0.0.1:9')
  await pay(mock)
  await program.prints(/→ \/callbacks\/deposits .*\((ECONNREFUSED|UNKNOWN)\)/)
  const [{ attempts }] = (await mock.call('GET', '/__admin/callbacks')).body.callbacks
  t.match(attempts, [{ error: /no server listens there \(ECONNREFUSED\)/ }])
})

t.test('a callback waits while the listener is away, and comes when it is back', async (t) => {
  const mock = await serve(t)
  const { url, arrivals } = await merchant(t)
  const first = await listen(t, mock, url)
  await first.stop('SIGINT')
  await mock.call('PATCH', '/__admin/account', {
    callbacks: { deposits: 'http://listener.invalid/callbacks/deposits' }
  })
  const id = await pay(mock)
  await until(
    async () => (await mock.call('GET', '/__admin/callbacks')).body.callbacks[0]?.attempts ?? [],
    (attempts: unknown[]) => attempts.length > 0
  )
  const [{ attempts }] = (await mock.call('GET', '/__admin/callbacks')).body.callbacks
  t.match(attempts[0], { error: 'the account has no callback URL, and no listener' })
  await listen(t, mock, url)
  await waitFor(mock, id)
  t.match(arrivals[0].body.toString(), id)
})

t.test('a listener connects again when the mock has started again', async (t) => {
  const first = await serve(t)
  const { port } = new URL(first.ready.url)
  const { url, arrivals } = await merchant(t)
  const program = await listen(t, first, url)
  await first.stop('SIGTERM')
  const second = await serve(t, ['--port', port])
  await until(
    async () => (await second.call('GET', '/__admin/listeners')).body.listeners,
    (all: unknown[]) => all.length === 1
  )
  await waitFor(second, await pay(second))
  t.equal(arrivals.length, 1)
  t.match(program.written.stderr, /the connection to \S+ has ended; it is opened again/)
})

const mistakes: Array<[args: string[], message: RegExp, code: number]> = [
  [[], /name the http or https URL of your handler: momock listen URL/, 2],
  [['localhost:3000'], /name the http or https URL of your handler/, 2],
  [['http://127.0.0.1:1', '--kind', 'deposits'], /--kind/, 2],
  [['http://127.0.0.1:1', '--metadata', 'anna'], /--metadata must be pairs such as/, 2],
  [['http://127.0.0.1:1', '--url', 'http://127.0.0.1:9'], /there is no momock at/, 3]
]
for (const [args, message, code] of mistakes) {
  t.test(`momock listen ${args.join(' ')} is refused`, async (t) => {
    const result = await runCommand(t, ['listen', ...args])
    t.match(result.stderr, message)
    t.equal(result.code, code)
  })
}

t.test('wrong calls about listeners are refused, and change nothing', async (t) => {
  const mock = await serve(t)
  const path = '/__admin/listeners'
  const none = '00000000-0000-4000-8000-000000000000'
  const rows: Array<[method: string, path: string, body: unknown, status: number, is: RegExp]> = [
    ['POST', path, { url: 'ftp://x' }, 400, /url/],
    ['POST', path, { url: 'http://x', kinds: ['deposits'] }, 400, /kinds/],
    ['POST', path, { url: 'http://x', host: 'a b' }, 400, /host/],
    ['DELETE', `${path}/${none}`, undefined, 404, /there is no listener/],
    ['GET', `${path}/${none}/callbacks`, undefined, 404, /there is no listener/],
    ['POST', `${path}/${none}/answers`, { n: 1, status: 200 }, 404, /there is no listener/],
    ['POST', `${path}/${none}/answers`, { n: 1 }, 400, /both `status` and `error`, or neither/]
  ]
  for (const [method, target, body, status, message] of rows) {
    const answer = await mock.call(method, target, body)
    t.equal(answer.status, status, `${method} ${target}`)
    t.match(answer.body.error.message, message)
  }
  t.match((await mock.call('GET', path)).body, { listeners: { length: 0 } })
})

t.test('an answer counts once, and not after the time for it', async (t) => {
  const mock = await serve(t, ['--callback-timeout', '300ms'])
  const { body } = await mock.call('POST', '/__admin/listeners', { url: 'http://127.0.0.1:1' })
  await pay(mock, but(requests.v2.deposit!(), 'amount', '20'))
  const answers = `/__admin/listeners/${body.id}/answers`
  const [{ attempts }] = await until(
    async () => (await mock.call('GET', '/__admin/callbacks')).body.callbacks,
    ([first]: Array<{ attempts: unknown[] }>) => first?.attempts.length > 0
  )
  t.match(attempts, [{ error: 'no answer within 0.3 s' }])
  t.same((await mock.call('POST', answers, { n: 1, status: 200 })).body, { taken: false })
})
