import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { build, folder, id, receiver, testMachine, until, type Mock } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { loadScenarios } from '../../src/scenarios/scenario-files.ts'
import { shippedFolder } from '../../src/scenarios/scenario-folders.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isNumberPattern } from '../../src/domain/number-pattern.ts'
import { toList } from '../../src/domain/scenario.ts'
import { payableKinds } from '../../src/domain/kinds.ts'

t.test('a duration is parsed or refused', async (t) => {
  const good: Array<[string | number, number]> = [
    ['50ms', 50],
    ['2s', 2000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['PT15M', 900_000],
    ['P1DT1H', 90_000_000],
    ['PT0.5S', 500],
    [250, 250],
    ['250', 250],
    [0, 0]
  ]
  for (const [text, ms] of good) t.equal(parseDuration(text), ms, String(text))
  for (const bad of [
    '',
    'x',
    '1s1s',
    '1s1m',
    '1m1h',
    '5 s',
    '-5s',
    '5y',
    'P1M',
    'PT',
    'P',
    '1s2',
    's',
    -1,
    Infinity,
    NaN
  ]) {
    t.equal(parseDuration(bad), undefined, String(bad))
  }
})

/** Writes scenario files, and returns the messages of the loader. */
async function problemsOf (
  t: Parameters<typeof folder>[0],
  files: Record<string, string>
): Promise<string[]> {
  const path = folder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return (await loadScenarios([path])).problems.map((problem) => problem.replace(`${path}/`, ''))
}

t.test('a wrong scenario is refused with its file and line', async (t) => {
  const wrongs: Array<[yaml: string, line: number, says: RegExp]> = [
    ['script:\n  - { after: 1s, to: COMPLETED }', 2, /cannot go from ACCEPTED to COMPLETED/],
    [
      'when: { kind: deposit }\nscript:\n  - { after: 1s, to: ENQUEUED }',
      3,
      /a deposit cannot go from ACCEPTED to ENQUEUED/
    ],
    ['script:\n  - { after: 1s, to: ENQUEUED }', 2, /say when\.kind/],
    [
      'script:\n  - { after: 1s, to: PROCESSING }\n  - { after: 1s, to: FAILED }',
      3,
      /FAILED needs a failureCode/
    ],
    [
      'when: { kind: payout }\nscript:\n  - { after: 1s, to: FAILED, failureCode: ' +
        'PAYMENT_NOT_APPROVED }',
      3,
      /not a failure of a payout/
    ],
    [
      'script:\n  - { after: 1s, to: PROCESSING, failureCode: UNKNOWN_ERROR }',
      2,
      /only FAILED has a failureCode/
    ],
    [
      'script:\n  - { after: 1s, to: FAILED, failureCode: UNKNOWN_ERROR }\n  - { after: 1s, ' +
        'to: COMPLETED }',
      3,
      /nothing comes after FAILED/
    ],
    [
      'script:\n  - { after: 5 minutes, to: PROCESSING }',
      2,
      /script\.0\.after must be a duration: .*PT15M/
    ],
    ['script:\n  - { after: 40d, to: PROCESSING }', 2, /at most 31 days/],
    ['script:\n  - { after: 1s, to: PROCESING }', 2, /script\.0\.to/],
    [`script:\n${'  - { after: 1s, to: PROCESSING }\n'.repeat(21)}`, 1, /at most 20 steps/],
    ['description: nothing', 1, /this one has none/],
    ['reject: INVALID_AMOUNT\nhttp: { status: 500 }', 2, /reject and http/],
    ['reject: NOPE', 1, /'NOPE' is not a code/],
    ['http: { status: 404 }', 1, /500, 503 or 429/],
    ['reject: INVALID_AMOUNT\nprobability: 0.5', 2, /needs a seed/],
    ['reject: INVALID_AMOUNT\ncallback: { delay: 1s }', 2, /there is no callback/],
    ['reject: INVALID_AMOUNT\nwhen: { phoneNumber: "26[9-0]" }', 2, /smaller digit/],
    [
      `reject: INVALID_AMOUNT\nwhen: { phoneNumber: "${'26'.repeat(51)}" }`,
      2,
      /'26262626262626262626…' has 102 characters; a pattern has at most 100/
    ],
    ['reject: INVALID_AMOUNT\nwhen: { phonenumber: "26" }', 2, /did you mean phoneNumber\?/],
    ['reject: INVALID_AMOUNT\nwhn: {}', 2, /did you mean when\?/],
    [
      'reject: INVALID_AMOUNT\nwhen: { provider: MTN_MOMO_ZMD }',
      2,
      /no provider 'MTN_MOMO_ZMD'; did you mean MTN_MOMO_/
    ],
    ['reject: INVALID_AMOUNT\nwhen: { country: ZMA }', 2, /no country 'ZMA'/],
    ['reject: INVALID_AMOUNT\nwhen: { currency: EUR }', 2, /no currency 'EUR'/],
    [
      'reject: INVALID_AMOUNT\nwhen: { provider: MTN_MOMO_ZMB, country: UGA }',
      2,
      /never match: no provider is in that country/
    ],
    ['reject: INVALID_AMOUNT\nwhen: { country: ZMB, currency: UGX }', 2, /never match/],
    [
      'when: { kind: deposit }\nreject: DEPOSIT_ALREADY_REFUNDED',
      2,
      /a deposit is never rejected with 'DEPOSIT_ALREADY_REFUNDED', only a refund/
    ],
    [
      'reject: PAWAPAY_WALLET_OUT_OF_FUNDS',
      1,
      /a deposit is never rejected with .*say so in when\.kind/
    ],
    ['callback: { delay: 32d }', 1, /delay is at most 31 days/],
    ['callback: { stale: 999999999d }', 1, /stale is at most 31 days/],
    ['callback: { afterNext: true, delay: 1s }', 1, /both 'afterNext' and 'delay'/],
    ['latency: 30d', 1, /at most 1 hour/],
    ['latency: { from: 5s, to: 1s }\nseed: 5', 1, /from the shorter to the longer/],
    ['http: { status: 500 }\nper: payment', 2, /per goes with times/],
    ['http: { status: 500 }\nprobability: 0\nseed: 1', 2, /never match/],
    [
      'http: { status: 500 }\nwhen: { kind: remittance, version: v1 }',
      2,
      /never match: v1 has no remittances/
    ],
    [
      'when: { kind: checkout, version: v1 }\nfail: UNKNOWN_ERROR',
      1,
      /never match: v1 has no checkouts/
    ],
    ['for: 100000000d\nfault: lost', 1, /it applies for at most 366 days/],
    [
      'statusCheck: { status: 500, for: 100000000d }',
      1,
      /status checks are answered so for at most 366 days/
    ],
    ['callback: { drop: true, delay: 1s }\nscript: []', 1, /both 'drop' and 'delay'/],
    ['{', 1, /./]
  ]
  for (const [yaml, line, says] of wrongs) {
    const problems = await problemsOf(t, { 'story.yaml': yaml })
    t.match(problems[0], new RegExp(`^story\\.yaml:${line}: `), yaml)
    t.match(problems[0], says, yaml)
  }
  const many = await problemsOf(t, {
    'story.yaml':
      'when: { kind: deposit, amount: { from: 20, to: 10 } }\nhttp: { status: 500 ' +
      '}\nprobability: 0.5\nscript:\n  - { after: 40d, to: ENQUEUED }\n  - { after: 1s, to: ' +
      'FAILED }\n  - { after: 1s, to: COMPLETED }'
  })
  t.strictSame(
    many.map((problem) => /^story\.yaml:(\d+)/.exec(problem)?.[1]),
    ['1', '2', '3', '5', '5', '6', '6', '7'],
    'everything that is wrong with it'
  )
  t.strictSame(
    (
      await problemsOf(t, {
        'a.yaml': 'reject: NOPE',
        'b.yaml': 'http: { status: 1 }',
        'c.json': '{"reject":"INVALID_AMOUNT"}'
      })
    ).length,
    2,
    'all at once'
  )
})

/** Files with wrong form and wrong meaning, and the lines of the messages. */
const muddles: Array<[yaml: string, lines: number[]]> = [
  ['tmes: 3\nwhen: { provider: NOBODY }\nprobability: 0.5', [1, 2, 3]],
  [
    'times: many\nwhen: { kind: deposit }\nscript:\n  - { after: 1s, to: COMPLETED }\n  - { ' +
      'after: 1s, to: FAILED }',
    [1, 4, 5, 5]
  ],
  [
    'when: { kind: deposit }\nscript:\n  - { after: soon, to: ENQUEUED }\n  - { after: 1s, ' +
      'to: FAILED, failureCode: RECIPIENT_NOT_FOUND }',
    [3, 3, 4, 4]
  ],
  [
    'when: { kind: deposit }\nscript:\n  - { after: 1s, to: PROCESSING }\n  - { after: 1s, ' +
      'to: DONE }\n  - { after: 1s, to: ENQUEUED }',
    [4]
  ],
  [
    'when: { kind: gift }\nscript:\n  - { after: 1s, to: ENQUEUED }\nlatency: { from: 1s, to: 2s }',
    [1, 4]
  ],
  ['script: soon\nprobability: 0.5', [1, 2]],
  ['callback: { drop: yes please, delay: 1s }\nprobability: 0.5', [1, 2]],
  ['when: [deposit]\nreject: NOPE\nprobability: 2', [1, 2, 3]],
  ['when: { kind: deposit }\ncolour: red\nscript:\n  - { after: 1s, to: COMPLETED }', [2, 4]],
  [
    'when: { kind: deposit }\nscript:\n  - { after: 50ms, to: NONSENSE }\n  - { after: 1z, ' +
      'to: COMPLETED }',
    [3, 4]
  ],
  [
    'when: { kind: deposit }\nscript:\n  - { after: 50ms, to: PROCESSING }\n  - { after: 1, ' +
      'to: "[9-0]", failureCode: [{}] }',
    [4, 4]
  ],
  ['just a text', [1]]
]

t.test('schema problems and meaning problems are reported together', async (t) => {
  for (const [yaml, lines] of muddles) {
    const problems = await problemsOf(t, { 'story.yaml': yaml })
    t.strictSame(
      problems.map((problem) => Number(/^story\.yaml:(\d+)/.exec(problem)?.[1])),
      lines,
      `${yaml}\n${problems.join('\n')}`
    )
  }
  const { call } = await openSandbox(t)
  t.match(
    await call('POST', '/__admin/scenarios', {
      name: 'a b',
      tmes: 3,
      when: { kind: 'deposit', provider: 'NOBODY' },
      probability: 0.5,
      reject: 'NOPE'
    }),
    {
      status: 400,
      body: {
        error: {
          message: new RegExp(
            String.raw`tmes is not supported here; did you mean times\?; name must be ` +
              String.raw`.*.*probability needs a seed.*there is no provider 'NOBODY'`,
            's'
          )
        }
      }
    }
  )
})

t.test('patterns of numbers are not remembered for ever', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 50_000; n++) isNumberPattern(String(n).padStart(90, '[0-4]'))
  collect()
  const kept = process.memoryUsage().heapUsed - before
  t.ok(kept < 10 * 1024 * 1024, `${kept} bytes are kept`)
})

t.test('a scenario that can never match gets a note', async (t) => {
  const reject = 'reject: INVALID_AMOUNT\n'
  const pairs: Array<[string, string, boolean]> = [
    [reject, reject, true],
    [reject, `${reject}when: { kind: deposit }`, true],
    [
      `${reject}when: { kind: [deposit, payout] }`,
      `${reject}when: { kind: deposit, provider: MTN_MOMO_ZMB }`,
      true
    ],
    [
      `${reject}when: { metadata: { a: b } }`,
      `${reject}when: { metadata: { a: b }, amount: "5" }`,
      true
    ],
    [`${reject}times: 1`, reject, false],
    [`${reject}when: { kind: deposit }`, reject, false],
    [`${reject}when: { kind: deposit }`, `${reject}when: { kind: [deposit, payout] }`, false],
    [`${reject}when: { amount: { from: 1, to: 5 } }`, `${reject}when: { amount: "7" }`, false],
    [`${reject}when: { amount: { from: 1, to: 100 } }`, `${reject}when: { amount: "15" }`, true],
    [`${reject}when: { amount: "15" }`, `${reject}when: { amount: 15.0 }`, true],
    [
      `${reject}when: { amount: { from: 10 } }`,
      `${reject}when: { amount: { from: 5, to: 20 } }`,
      false
    ],
    [
      `${reject}when: { phoneNumber: "26076*" }`,
      `${reject}when: { phoneNumber: "260763456789" }`,
      true
    ],
    [`${reject}when: { phoneNumber: "26076*" }`, `${reject}when: { phoneNumber: "260763*" }`, true],
    [
      `${reject}when: { phoneNumber: "260763*" }`,
      `${reject}when: { phoneNumber: "26076*" }`,
      false
    ],
    [`${reject}when: { metadata: { a: b } }`, `${reject}when: { metadata: { a: b, c: d } }`, true],
    [`${reject}when: { metadata: { a: b, c: d } }`, `${reject}when: { metadata: { a: b } }`, false],
    [`${reject}when: { country: ZMB }`, `${reject}when: { provider: MTN_MOMO_ZMB }`, true],
    [`${reject}when: { country: UGA }`, `${reject}when: { provider: MTN_MOMO_ZMB }`, false],
    [`${reject}when: { kind: [deposit, payout, refund, remittance] }`, reject, true],
    [`${reject}when: { version: [v1, v2] }`, reject, true],
    [`${reject}probability: 1\nseed: a`, reject, true],
    [`${reject}probability: 0.5\nseed: a`, reject, false],
    ['latency: 200ms', 'when: { kind: checkout }\nfail: UNKNOWN_ERROR', false],
    ['latency: 200ms', 'when: { kind: statement }\nfail: UNKNOWN_ERROR', false],
    ['latency: 200ms', 'latency: 1s', true]
  ]
  for (const [first, second, isHidden] of pairs) {
    const path = folder(t)
    writeFileSync(join(path, '1.yaml'), first)
    writeFileSync(join(path, '2.yaml'), second)
    const { scenarios, problems, notes } = await loadScenarios([path])
    t.strictSame(problems, [], `${first} / ${second}`)
    t.strictSame(
      scenarios.map(({ name }) => name),
      ['1', '2'],
      'both can be named by a request'
    )
    t.equal(notes.length, isHidden ? 1 : 0, `${first} / ${second}`)
    if (isHidden) t.match(notes[0], /2\.yaml: this can never match: '1'/)
  }
})

/** A mock with its own scenario files. */
async function staged (
  t: Parameters<typeof build>[0],
  files: Record<string, string>
): Promise<Mock> {
  const path = folder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return await build(t, { scenarios: path }, testMachine())
}

t.test('a scenario matches by its conditions', async (t) => {
  const matches: Array<[when: string, deposit: boolean, v1Payout: boolean]> = [
    ['kind: deposit', true, false],
    ['kind: [payout, deposit]', true, true],
    ['version: v1', false, true],
    ['provider: MTN_MOMO_ZMB', true, true],
    ['provider: AIRTEL_OAPI_ZMB', false, false],
    ['country: ZMB', true, true],
    ['currency: [ZMW, USD]', true, true],
    ['currency: USD', false, false],
    ['phoneNumber: "26076345999[0-4]"', true, true],
    ['phoneNumber: "26076345999[5-9]"', false, false],
    ['phoneNumber: "260?6345999?"', true, true],
    ['phoneNumber: "260??6345999?"', false, false],
    ['phoneNumber: "260*"', true, true],
    ['amount: "15"', true, true],
    ['amount: 15', true, true],
    ['amount: { from: 10, to: 20 }', true, true],
    ['amount: { from: 15.01 }', false, false],
    ['metadata: { orderId: ORD-1 }', true, true],
    ['metadata: { orderId: ORD-2 }', false, false],
    ['clientReferenceId: INV-1', true, false]
  ]
  for (const [when, deposit, payout] of matches) {
    const files = { 'story.yaml': `when: { ${when} }\nreject: INVALID_AMOUNT` }
    const { app, call } = await staged(t, files)
    const first = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')
    t.equal(
      (await call('POST', '/v2/deposits', first)).body.status,
      deposit ? 'REJECTED' : 'ACCEPTED',
      when
    )
    const second = but(requests.v1.payout!(), 'recipient.address.value', '260763459993')
    t.equal(
      (await call('POST', '/payouts', second)).body.status,
      payout ? 'REJECTED' : 'ACCEPTED',
      when
    )
    await app.close()
  }
})

t.test('the name of a scenario file has no meaning to the server', async (t) => {
  t.test('default.yaml is not the built-in script', async (t) => {
    const systemClock = testMachine()
    const path = folder(t)
    writeFileSync(
      join(path, 'default.yaml'),
      'script: [{ after: 0, to: PROCESSING }, { after: 1m, to: COMPLETED }]'
    )
    const { call } = await build(t, { scenarios: path }, systemClock)
    await call('PUT', '/__admin/clock', { mode: 'frozen' })
    const depositId = id()
    await call('POST', '/v2/deposits', {
      ...requests.v2.deposit!(),
      depositId,
      amount: '500',
      currency: 'XOF',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '221773459993', provider: 'WAVE_SEN' }
      },
      successfulUrl: 'https://shop.example/ok',
      failedUrl: 'https://shop.example/no'
    })
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    const { authorizationUrl } = (await call('GET', `/v2/deposits/${depositId}`)).body.data
    await call('POST', new URL(authorizationUrl).pathname, { decision: 'wait' })
    await call('POST', '/__admin/clock/advance', { by: '1h' })
    t.match((await call('GET', `/__admin/payments/deposit/${depositId}`)).body, {
      status: 'COMPLETED',
      scenario: 'default',
      why: 'its file matches'
    })
  })

  t.test('split payment.yaml does not stop a deposit from being moved', async (t) => {
    const { call } = await staged(t, {
      'split payment.yaml': 'script: [{ after: 1h, to: PROCESSING }]'
    })
    const number = '260763459993'
    const deposit = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
    await call('POST', '/v2/deposits', deposit)
    const path = `/__admin/payments/deposit/${deposit.depositId}`
    t.match((await call('GET', path)).body, { scenario: 'split payment' })
    t.match(await call('POST', `${path}/move`, { to: 'PROCESSING' }), {
      status: 200,
      body: { status: 'PROCESSING' }
    })
  })
})

t.test('a scenario is used up, and its probability is deterministic', async (t) => {
  const number = '260763459993'
  const story = async (text: string) => {
    const { app, call } = await staged(t, { 'story.yaml': text })
    const statuses = []
    for (let n = 0; n < 12; n++) {
      statuses.push(
        (
          await call(
            'POST',
            '/v2/deposits',
            but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
          )
        ).body.status
      )
    }
    await app.close()
    return statuses.map((status) => (status === 'REJECTED' ? 1 : 0)).join('')
  }
  t.equal(await story('reject: INVALID_AMOUNT\ntimes: 3'), '111000000000')
  const run = await story('reject: INVALID_AMOUNT\nprobability: 0.5\nseed: a')
  t.match(run, /1/)
  t.match(run, /0/)
  t.equal(await story('reject: INVALID_AMOUNT\nprobability: 0.5\nseed: a'), run)
  t.not(await story('reject: INVALID_AMOUNT\nprobability: 0.5\nseed: b'), run)
  t.equal(await story('reject: INVALID_AMOUNT\nprobability: 1\nseed: a\ntimes: 2'), '110000000000')
})

t.test('a scenario changes the callback', async (t) => {
  for (const [drill, at2s, at10s] of [
    ['delay: 3s', 0, 1],
    ['duplicates: 2', 3, 3],
    ['delay: 3s, duplicates: 1', 0, 2],
    ['drop: true', 0, 0]
  ] as const) {
    const merchant = await receiver(t)
    const path = folder(t)
    writeFileSync(join(path, 'story.yaml'), `callback: { ${drill} }`)
    const options = { scenarios: path, clock: 'frozen', callbackUrl: merchant.url } as const
    const { app, call } = await build(t, options)
    const body = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')
    await call('POST', '/v2/deposits', body)
    await call('POST', '/__admin/clock/advance', { by: '2s' })
    t.equal(merchant.received.length, at2s, drill)
    await call('POST', '/__admin/clock/advance', { by: '8s' })
    t.equal(merchant.received.length, at10s, drill)
    t.equal(
      new Set(merchant.received.map(({ body }) => JSON.stringify(body))).size,
      Math.min(1, at10s),
      'the same each time'
    )
    await call('POST', `/v2/deposits/resend-callback/${body.depositId}`)
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    t.equal(merchant.received.length, at10s + 1, 'a resend is sent')
    await app.close()
  }
})

t.test('a request selects its scenario by name', async (t) => {
  const mock = await openSandbox(t)
  const named = (name: string, path = '/v2/deposits', body = requests.v2.deposit!()) =>
    mock.call('POST', path, body, { 'x-momock-scenario': name })
  t.match(await named('insuficient-balance'), {
    status: 400,
    body: {
      failureReason: {
        failureCode: 'INVALID_PARAMETER',
        failureMessage: /did you mean 'insufficient-balance'\?/
      }
    }
  })
  t.match(await named('enqueued-completed'), {
    status: 400,
    body: { failureReason: { failureMessage: /for payout, refund, remittance/ } }
  })
  const body = requests.v2.deposit!()
  await named('insufficient-balance', '/v2/deposits', body)
  t.match(
    await until(
      async () => (await mock.call('GET', `/v2/deposits/${body.depositId}`)).body.data,
      ({ status }) => status === 'FAILED'
    ),
    { failureReason: { failureCode: 'INSUFFICIENT_BALANCE' } }
  )
  const retried = requests.v2.deposit!()
  const tries = []
  for (let n = 0; n < 3; n++) tries.push(await named('error-then-success', '/v2/deposits', retried))
  t.strictSame(
    tries.map(({ status, body }) => body.status ?? status),
    [500, 'ACCEPTED', 'DUPLICATE_IGNORED'],
    'one that is used up is as good as not named'
  )
  t.match((await named('provider-closed')).body, {
    status: 'REJECTED',
    failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' }
  })
  t.match((await named('provider-closed', '/deposits', requests.v1.deposit!())).body, {
    status: 'REJECTED',
    rejectionReason: { rejectionCode: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE' }
  })
})

t.test('a retry succeeds after an error', async (t) => {
  const { call } = await build(t)
  for (const version of ['v1', 'v2'] as const) {
    const body = but(
      requests[version].deposit!(),
      'metadata',
      version === 'v2'
        ? [{ momock: 'error-then-success' }]
        : [{ fieldName: 'momock', fieldValue: 'error-then-success' }]
    )
    const number = version === 'v2' ? 'payer.accountDetails.phoneNumber' : 'payer.address.value'
    const headers = { authorization: `Bearer sandbox-${version}` }
    const path = `${prefix[version]}/deposits`
    const first = await call('POST', path, but(body, number, '260763459993'), headers)
    t.equal(first.status, 500)
    if (version === 'v2') {
      t.strictSame(Object.keys(first.body).sort(), ['depositId', 'failureReason'])
    } else t.match(first.body, { errorCode: 0 })
    t.equal(
      (await call('POST', path, but(body, number, '260763459993'), headers)).body.status,
      'ACCEPTED'
    )
  }
})

/**
 * End of each shipped scenario: the states of its payment within an hour, the answer to the
 * request, and the answer to a retry.
 */
const endings: Record<
  string,
  { through?: string[]; code?: string; door?: [status: number, code: string] }
> = {
  'happy-path': { through: ['PROCESSING', 'COMPLETED'] },
  'slow-approval': { through: ['PROCESSING', 'COMPLETED'] },
  declined: { through: ['PROCESSING', 'FAILED'], code: 'PAYMENT_NOT_APPROVED' },
  'not-approved': { through: ['PROCESSING', 'FAILED'], code: 'PAYMENT_NOT_APPROVED' },
  'insufficient-balance': { through: ['PROCESSING', 'FAILED'], code: 'INSUFFICIENT_BALANCE' },
  'limit-reached': { through: ['PROCESSING', 'FAILED'], code: 'PAYER_LIMIT_REACHED' },
  'wallet-limit': { through: ['PROCESSING', 'FAILED'], code: 'WALLET_LIMIT_REACHED' },
  'unknown-payer': { through: ['PROCESSING', 'FAILED'], code: 'PAYER_NOT_FOUND' },
  'unknown-recipient': { through: ['PROCESSING', 'FAILED'], code: 'RECIPIENT_NOT_FOUND' },
  'stuck-forever': { through: ['PROCESSING'] },
  phone: { through: ['PROCESSING'] },
  'reconciled-completed': { through: ['PROCESSING', 'IN_RECONCILIATION', 'COMPLETED'] },
  'reconciled-failed': {
    through: ['PROCESSING', 'IN_RECONCILIATION', 'FAILED'],
    code: 'UNSPECIFIED_FAILURE'
  },
  'enqueued-completed': { through: ['ENQUEUED', 'PROCESSING', 'COMPLETED'] },
  'enqueued-until-cancelled': { through: ['ENQUEUED'] },
  'provider-closed': { door: [200, 'PROVIDER_TEMPORARILY_UNAVAILABLE'] },
  'error-then-success': { door: [500, 'UNKNOWN_ERROR'] }
}

t.test('scenarios of subfolders are read, in the order of their paths', async (t) => {
  const path = folder(t)
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  write('20-last.yaml', 'when: { kind: deposit }\nfail: PAYMENT_NOT_APPROVED\n')
  write('10-mtn/poor.yaml', 'when: { amount: "7" }\nfail: INSUFFICIENT_BALANCE\n')
  write('10-mtn/deep/odd.yml', 'when: { amount: "9" }\nreject: INVALID_AMOUNT\n')
  for (const ignored of ['.git/a.yaml', 'node_modules/b.yaml', 'dist/c.yaml', 'data/d.yaml']) {
    write(ignored, 'no scenario')
  }
  write('1/2/3/4/5/deepest.yaml', 'when: { amount: "1" }\nreject: INVALID_AMOUNT\n')
  write('1/2/3/4/5/6/too-deep.yaml', 'no scenario')
  const { scenarios, problems } = await loadScenarios([path])
  t.strictSame(problems, [])
  t.strictSame(
    scenarios.map(({ name }) => name),
    ['deepest', 'odd', 'poor', '20-last']
  )
  const { call } = await build(t, { scenarios: path })
  for (const [amount, status] of [
    ['9', 'REJECTED'],
    ['7', 'ACCEPTED']
  ]) {
    const deposit = but(requests.v2.deposit!(), 'amount', amount)
    const body = but(deposit, 'payer.accountDetails.phoneNumber', '260763459993')
    t.equal((await call('POST', '/v2/deposits', body)).body.status, status, amount)
  }
})

t.test('every included scenario runs to its end for every kind', async (t) => {
  const { scenarios, problems } = await loadScenarios([shippedFolder])
  t.strictSame(problems, [])
  t.strictSame(scenarios.map(({ name }) => name).sort(), Object.keys(endings).sort())
  for (const scenario of scenarios) {
    t.strictSame(
      scenario.when.metadata,
      { momock: scenario.name },
      `${scenario.name} is chosen by its name only`
    )
    const { through, code, door } = endings[scenario.name]
    for (const name of payableKinds) {
      const about: readonly string[] = toList(scenario.when.kind) ?? payableKinds
      if (!about.includes(name)) continue
      const merchant = await receiver(t)
      const { call } = await openSandbox(t, { clock: 'frozen', callbackUrl: merchant.url })
      const kind = kinds[name]
      const path = `/v2/${kind.path}`
      const advance = () => call('POST', '/__admin/clock/advance', { by: '1h' })
      const body = but(requests.v2[name]!(), 'metadata', [{ momock: scenario.name }])
      const number = '260763459993'
      if (name === 'refund') {
        const deposit = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
        await call('POST', '/v2/deposits', deposit)
        await advance()
        body.depositId = deposit.depositId
      } else body[kind.party].accountDetails.phoneNumber = number
      merchant.received.length = 0
      const title = `${scenario.name}, a ${name}`
      const first = await call('POST', path, body)
      if (door !== undefined) {
        t.match(
          first,
          { status: door[0], body: { failureReason: { failureCode: door[1] } } },
          title
        )
        const retry = await call('POST', path, body)
        t.equal(retry.body.status, scenario.times === undefined ? 'REJECTED' : 'ACCEPTED', title)
        continue
      }
      t.equal(first.body.status, 'ACCEPTED', title)
      await advance()
      const told = (await call('GET', `/__admin/payments/${name}/${body[kind.idField]}`)).body
      t.strictSame(
        told.history.map(({ status }: any) => status),
        ['ACCEPTED', ...through!],
        title
      )
      t.match(
        told,
        {
          scenario: scenario.name,
          why: 'its file matches',
          status: through!.at(-1),
          record: { status: through!.at(-1) }
        },
        title
      )
      t.equal(told.history.at(-1).failureReason?.failureCode, code, title)
      const final = ['COMPLETED', 'FAILED'].includes(through!.at(-1)!)
      t.equal(merchant.received.length, final ? 1 : 0, `${title}: one callback, if it ends`)
      if (scenario.name === 'enqueued-until-cancelled') {
        await call('POST', `${path}/fail-enqueued/${body[kind.idField]}`)
        await advance()
        t.match(
          merchant.received[0].body,
          { status: 'FAILED', failureReason: { failureCode: 'MANUALLY_CANCELLED' } },
          title
        )
      }
    }
  }
})

t.test('the end of a scenario is shown, also where the clock cannot go', async (t) => {
  const { call } = await build(t, { clock: 'frozen' }, testMachine('9999-06-01T00:00:00Z'))
  for (const [time, until] of [
    ['1d', '9999-06-02T00:00:00.000Z'],
    ['365d', '9999-12-31T23:59:59.999Z']
  ]) {
    const added = await call('POST', '/__admin/scenarios', { name: 'x', fault: 'lost', for: time })
    t.match(added, { status: 201, body: { until } }, time)
  }
  const wrong = await call('POST', '/__admin/scenarios', { name: 'y', fault: 'lost', for: '999d' })
  t.equal(wrong.status, 400)
  const { body } = await call('GET', '/__admin/scenarios')
  t.strictSame(
    body.scenarios.map(({ name }: { name: string }) => name),
    ['x'],
    'y is not stored'
  )
})
