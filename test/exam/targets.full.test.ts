import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcp, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { catalogue, select } from '../../src/exam/catalogue.ts'
import { TargetProblem } from '../../src/exam/check.ts'
import type { ExamConfig } from '../../src/exam/config.ts'
import { examine } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import { refuseStrangers } from '../../src/exam/targets.ts'
import { isNearAddress } from '../../src/lib/hosts.ts'
import { createMomock } from '../../src/index.ts'
import { limitEachTest } from '../support/limits.ts'
import Merchant from './merchants/good.ts'
import { configOf } from './museum.ts'

/**
 * Targets that do not answer as they should: a clear error, and never a report that looks like a
 * pass.
 */

limitEachTest()

const limits = { callbackTimeoutMs: 500, requestTimeoutMs: 3000, slowMs: 200, pollMs: 300 }

async function listen (t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const addresses: Array<[address: string, near: boolean]> = [
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['10.1.2.3', true],
  ['172.16.0.1', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['169.254.1.1', true],
  ['8.8.8.8', false],
  ['::1', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['2001:db8::1', false],
  ['::ffff:127.0.0.1', true],
  ['::ffff:8.8.8.8', false]
]

t.test('only what is near is examined, unless somebody says that it is theirs', async (t) => {
  for (const [address, near] of addresses) t.equal(isNearAddress(address), near, address)
  const far = { callback: 'http://8.8.8.8/callbacks' }
  await t.rejects(refuseStrangers(far), {
    isUsage: true,
    message:
      /8\.8\.8\.8 is neither this machine nor in a private network.*--this-host-is-mine 8\.8\.8\.8/
  })
  await t.resolves(refuseStrangers({ ...far, hostsThatAreMine: ['8.8.8.8'] }))
  await t.rejects(
    refuseStrangers({
      callback: 'http://127.0.0.1/',
      observe: { http: { url: 'http://8.8.8.8/{{reference}}' } }
    }),
    { message: /neither this machine/ },
    'every URL is looked at'
  )
  await t.resolves(refuseStrangers({ callback: 'http://localhost:{{port}}/callbacks' }))
})

interface Trouble {
  what: string
  /** What is wrong, beside a merchant that is good. */
  config: (url: string, t: Test) => Promise<Partial<ExamConfig>>
  isUsage: boolean
  said: RegExp
}

const body = (url: string): ExamConfig['drive'] => configOf(url).drive
const withDrive =
  (deposit: NonNullable<ExamConfig['drive']>['deposit']) =>
    async (): Promise<Partial<ExamConfig>> => ({ drive: { deposit } })
const withObserve =
  (url: (good: string, t: Test) => Promise<string>) =>
    async (good: string, t: Test): Promise<Partial<ExamConfig>> => ({
      drive: body(good),
      observe: { http: { url: `${await url(good, t)}/{{reference}}` }, paid: '$.paid' }
    })

const troubles: Trouble[] = [
  {
    what: 'nothing listens',
    config: async () => ({ callback: `http://127.0.0.1:${await freePort()}/callbacks` }),
    isUsage: false,
    said: /callbacks cannot be reached: nothing listens there/
  },
  {
    what: 'a drive command fails',
    config: withDrive({ command: 'echo no money >&2; exit 3' }),
    isUsage: false,
    said: /drive\.deposit: \$ echo.*the command ended with 3: no money/
  },
  {
    what: 'a drive command hangs',
    config: withDrive({ command: 'sleep 60' }),
    isUsage: false,
    said: /did not end within 3 s/
  },
  {
    what: 'a drive command prints nonsense',
    config: withDrive({ command: 'printf "a\\nb\\n"' }),
    isUsage: true,
    said: /must print the reference of the payment on one line, got "a\\nb\\n"/
  },
  {
    what: 'a drive command does nothing',
    config: withDrive({ command: 'echo order-1' }),
    isUsage: false,
    said: /no request arrived at the mock. Configure the application with base URL/
  },
  {
    what: 'a drive does not answer',
    config: async (_, t) => ({
      drive: { deposit: { http: { url: await listen(t, () => {}) }, reference: '$.id' } }
    }),
    isUsage: false,
    said: /no answer within 3 s/
  },
  {
    what: 'a drive drops the connection',
    config: async (_, t) => ({
      drive: {
        deposit: {
          http: { url: await listen(t, ({ socket }) => socket.destroy()) },
          reference: '$.id'
        }
      }
    }),
    isUsage: false,
    said: /closed without an answer/
  },
  {
    what: 'a drive redirects to another host',
    config: async (_, t) => ({
      drive: {
        deposit: {
          http: {
            url: await listen(t, (_, response) =>
              response.writeHead(302, { location: 'http://shop.example/' }).end()
            )
          },
          reference: '$.id'
        }
      }
    }),
    isUsage: true,
    said: /redirected to another host, http:\/\/shop\.example\//
  },
  {
    what: 'a reference is not where it should be',
    config: async (url) => ({
      drive: { deposit: { ...body(url)?.deposit, reference: '$.nowhere' } }
    }),
    isUsage: true,
    said: /\$\.nowhere finds no reference/
  },
  {
    what: 'an observation does not know the reference',
    config: withObserve(async (good) => `${good}/nothing`),
    isUsage: true,
    said: /observe answers 404 for the reference/
  },
  {
    what: 'an observation is huge',
    config: withObserve(
      async (_, t) => await listen(t, (_, response) => response.end('x'.repeat(2_000_000)))
    ),
    isUsage: true,
    said: /more than 1024 KiB/
  },
  {
    what: 'an observation is no JSON',
    config: withObserve(async (_, t) => await listen(t, (_, response) => response.end('<html>'))),
    isUsage: true,
    said: /did not give JSON, but <html>/
  },
  {
    what: 'an observation is no truth',
    config: withObserve(
      async (_, t) => await listen(t, (_, response) => response.end('{"paid":"perhaps"}'))
    ),
    isUsage: true,
    said: /\$\.paid must be true or false, got "perhaps"/
  },
  {
    what: 'an observation has nothing there',
    config: withObserve(async (_, t) => await listen(t, (_, response) => response.end('{}'))),
    isUsage: true,
    said: /observe\.paid: \$\.paid finds nothing/
  },
  {
    what: 'an observation fails',
    config: withObserve(
      async (_, t) => await listen(t, (_, response) => response.writeHead(500).end())
    ),
    isUsage: false,
    said: /was answered with 500/
  },
  {
    what: 'a hook fails',
    config: async (url) => ({ drive: body(url), hooks: { before: { command: 'exit 1' } } }),
    isUsage: false,
    said: /hooks\.before/
  },
  {
    what: 'a start command ends',
    config: async () => ({
      start: { command: 'echo broken; exit 1', ready: 'http://127.0.0.1:1/' }
    }),
    isUsage: false,
    said: /start\.command ended with 1 before it was ready: it printed:\nbroken/
  },
  {
    what: 'a start command is never ready',
    config: async () => ({
      start: { command: 'exec sleep 60', ready: 'http://127.0.0.1:1/', timeout: '200ms' }
    }),
    isUsage: false,
    said: /does not answer after start\.command/
  },
  {
    what: 'no mock at the URL',
    config: async () => ({ mock: { url: `http://127.0.0.1:${await freePort()}` } }),
    isUsage: false,
    said: /cannot be steered/
  }
]

t.test('what is wrong before the first check ends the exam', async (t) => {
  for (const { what, config, isUsage, said } of troubles) {
    const port = await freePort()
    const merchant = new Merchant({ baseUrl: `http://127.0.0.1:${port}`, token: 'exam-token' })
    const url = await merchant.open()
    const whole: ExamConfig = {
      callback: `${url}/callbacks`,
      mock: { port },
      settle: '50ms',
      patience: '500ms',
      ...(await config(url, t))
    }
    const error: unknown = await examine({
      config: whole,
      createMock: createMomock,
      checks: select(['SIG-01']).checks,
      limits
    }).then(
      () => undefined,
      (error) => error
    )
    t.match(error, { isUsage, message: said }, what)
    t.ok(error instanceof TargetProblem, what)
    await merchant.close()
  }
})

t.test('an endpoint that answers with megabytes ends the exam', async (t) => {
  const url = await listen(t, (_, response) => response.end('x'.repeat(2_000_000)))
  const config = { callback: `${url}/callbacks`, mock: { port: 0 } }
  await t.rejects(examine({ config, createMock: createMomock, limits }), {
    isUsage: true,
    message: /answered a callback with more than 1024 KiB/
  })
})

t.test('an endpoint that never answers ends the exam after some callbacks', async (t) => {
  const config = {
    callback: `${await listen(t, () => {})}/callbacks`,
    mock: { port: 0 },
    settle: '20ms'
  }
  const { report, problem } = await examine({ config, createMock: createMomock, limits })
  t.match(problem?.message, /takes connections and answers none of \d callbacks: no answer within/)
  t.match(report.summary, { passed: 0, interrupted: /answers none/ })
  t.match(
    report.checks.find(({ id }) => id === 'END-01'),
    { verdict: 'FAILED' }
  )
})

t.test('a port that is taken is told', async (t) => {
  const server = createTcp().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const config = { callback: 'http://127.0.0.1:1/', mock: { port } }
  await t.rejects(examine({ config, createMock: createMomock }), {
    isUsage: true,
    message: /mock\.port/
  })
})

t.test('endpoints that never answer or drop connections are findings', async (t) => {
  const listeners: Array<
    [what: string, listener: RequestListener, verdicts: Record<string, string>]
  > = [
    ['never answers', () => {}, { 'END-01': 'FAILED', 'SIG-07': 'FAILED' }],
    [
      'drops connections',
      ({ socket }) => socket.destroy(),
      { 'END-01': 'FAILED', 'SIG-07': 'FAILED' }
    ],
    [
      'redirects elsewhere',
      (_, response) => {
        response.writeHead(301, { location: 'http://shop.example/' }).end()
      },
      { 'END-02': 'FAILED', 'SIG-07': 'FAILED' }
    ],
    [
      'takes everything',
      (_, response) => {
        response.end()
      },
      {
        'SIG-01': 'REVIEW',
        'SIG-05': 'REVIEW',
        'SIG-07': 'PASSED',
        'END-03': 'PASSED',
        'SIG-11': 'SKIPPED'
      }
    ],
    [
      'knows no such payment',
      (_, response) => {
        response.writeHead(404).end()
      },
      { 'SIG-01': 'REVIEW', 'SIG-07': 'REVIEW', 'TRU-05': 'PASSED', 'END-03': 'WARNING' }
    ]
  ]
  for (const [what, listener, verdicts] of listeners) {
    const config = {
      callback: `${await listen(t, listener)}/callbacks`,
      mock: { port: 0 },
      settle: '20ms',
      patience: '100ms'
    }
    const { report } = await examine({
      config,
      createMock: createMomock,
      checks: catalogue.filter(({ id }) => id in verdicts),
      limits
    })
    t.match(
      Object.fromEntries(report.checks.map(({ id, verdict }) => [id, verdict])),
      verdicts,
      what
    )
  }
})

t.test('an application that falls over in the middle is no pass', async (t) => {
  const port = await freePort()
  const merchant = new Merchant({ baseUrl: `http://127.0.0.1:${port}`, token: 'exam-token' })
  const config = { ...configOf(await merchant.open()), mock: { port }, hooks: {} }
  t.teardown(() => merchant.close())
  const checks = select(['SIG-01', 'SIG-02', 'SIG-03']).checks
  const { report, problem } = await examine({
    config,
    createMock: createMomock,
    checks,
    limits,
    progress: {
      ended: ({ id }) => {
        if (id === 'SIG-01') merchant.close().catch(t.fail)
      }
    }
  })
  t.match(problem?.message, /cannot be reached/)
  t.match(report.summary, { passed: 1, interrupted: /cannot be reached/ })
  t.same(
    report.checks.map(({ verdict }) => verdict === 'PASSED'),
    [true, false, false]
  )
})
