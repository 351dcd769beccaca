import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadScenarios } from '../../src/scenarios/scenario-files.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build, folder, testMachine, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Scenarios that apply to some payments: every third, one after the other, for ten minutes. */

const start = '2026-01-31T12:00:00.000Z'

const table = [
  { version: 'v1', kind: 'deposit', path: 'deposits', number: 'payer.address.value' },
  { version: 'v1', kind: 'payout', path: 'payouts', number: 'recipient.address.value' },
  { version: 'v2', kind: 'deposit', path: 'deposits', number: 'payer.accountDetails.phoneNumber' },
  {
    version: 'v2',
    kind: 'payout',
    path: 'payouts',
    number: 'recipient.accountDetails.phoneNumber'
  },
  {
    version: 'v2',
    kind: 'remittance',
    path: 'remittances',
    number: 'recipient.accountDetails.phoneNumber'
  }
] as const

type Row = (typeof table)[number]

/** Makes a payment and returns its end: a status, a code of its failure, or an HTTP status. */
async function pay (mock: Client, { version, kind, path, number }: Row): Promise<string> {
  // It is no test number, so that files apply to it.
  const request = but(requests[version][kind]!(), number, '260763459993')
  const { status, body } = await mock.call('POST', `${prefix[version]}/${path}`, request)
  if (status !== 200) return String(status)
  if (body.status === 'REJECTED') {
    return body.failureReason?.failureCode ?? body.rejectionReason.rejectionCode
  }
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const payment = (await mock.call('GET', `/__admin/payments/${kind}/${request[`${kind}Id`]}`)).body
  return payment.history.at(-1).failureReason?.failureCode ?? payment.status
}

async function payTimes (mock: Client, row: Row, times: number): Promise<string[]> {
  const ends: string[] = []
  while (ends.length < times) ends.push(await pay(mock, row))
  return ends
}

const [ok, failed] = ['COMPLETED', 'UNKNOWN_ERROR']

const runs: Array<[what: string, scenario: object, ends: string[]]> = [
  ['fail', { fail: failed }, [failed, failed]],
  ['every', { fail: failed, every: 3 }, [ok, ok, failed, ok, ok, failed, ok]],
  ['every and times', { fail: failed, every: 2, times: 1 }, [ok, failed, ok, ok]],
  ['a sequence', { sequence: ['complete', 'fail', 'complete'] }, [ok, failed, ok, ok, ok]],
  [
    'a sequence that repeats',
    { sequence: ['complete', 'fail'], repeat: true },
    [ok, failed, ok, failed, ok]
  ],
  ['two rounds', { sequence: ['fail', 'complete'], repeat: 2 }, [failed, ok, failed, ok, ok, ok]],
  [
    'every and a sequence',
    { sequence: ['fail', { fail: 'OTHER_ERROR' }], every: 2 },
    [ok, failed, ok, 'OTHER_ERROR', ok, ok]
  ],
  [
    'a sequence with refusals',
    { sequence: [{ http: { status: 503 } }, { reject: 'INVALID_AMOUNT' }, 'fail'], repeat: true },
    ['503', 'INVALID_AMOUNT', failed, '503']
  ]
]

for (const [what, scenario, ends] of runs) {
  t.test(`${what}, added and as a file`, async (t) => {
    const scenarios = folder(t)
    for (const kind of new Set(table.map((row) => row.kind))) {
      const text = JSON.stringify({ when: { kind }, ...scenario })
      writeFileSync(join(scenarios, `${kind}.json`), text)
    }
    const filed = await build(t, { clock: 'frozen', scenarios }, testMachine(start))
    for (const row of table) {
      const name = `${row.version} ${row.kind}`
      const added = await openSandbox(t, { clock: 'frozen', start })
      const turns = { name: 'turns', when: { kind: row.kind }, ...scenario }
      await added.call('POST', '/__admin/scenarios', turns)
      t.strictSame(await payTimes(added, row, ends.length), ends, `${name}, added`)
      const call = filed.callAs(t, `sandbox-${row.version}-${row.kind}`)
      const account = { url: filed.url, call }
      t.strictSame(await payTimes(account, row, ends.length), ends, `${name}, as a file`)
    }
  })
}

const deposit = table[2]
const add = (mock: Client, scenario: object, name = 'turns') =>
  mock.call('POST', '/__admin/scenarios', { name, when: { kind: 'deposit' }, ...scenario })

t.test('turns are counted per account, and anew after a reset or a replacement', async (t) => {
  const scenarios = folder(t)
  writeFileSync(
    join(scenarios, 'third.yaml'),
    `when: { kind: deposit }\nfail: ${failed}\nevery: 3\n`
  )
  const mock = await build(t, { clock: 'frozen', scenarios }, testMachine(start))
  const other: Client = {
    ...mock,
    call: (method, path, body, headers) =>
      mock.call(method, path, body, { ...headers, authorization: 'Bearer sandbox-other' })
  }
  t.strictSame(await payTimes(mock, deposit, 2), [ok, ok])
  t.strictSame(await payTimes(other, deposit, 3), [ok, ok, failed])
  await mock.call('POST', '/__admin/reset')
  t.strictSame(await payTimes(mock, deposit, 3), [ok, ok, failed])
  await add(mock, { sequence: ['complete', 'fail'], repeat: true })
  t.strictSame(await payTimes(mock, deposit, 3), [ok, failed, ok])
  await add(mock, { sequence: ['complete', 'fail'], repeat: true })
  t.strictSame(await payTimes(mock, deposit, 2), [ok, failed], 'replaced')
})

t.test('turns survive a restart, and a snapshot restores them', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { clock: 'frozen', db }, testMachine(start))
  await add(first, { fail: failed, every: 3 })
  t.strictSame(await payTimes(first, deposit, 2), [ok, ok])
  await first.app.close()
  const second = await build(t, { clock: 'frozen', db }, testMachine(start))
  await second.call('POST', '/__admin/snapshots', { name: 'two' })
  t.strictSame(await payTimes(second, deposit, 2), [failed, ok])
  await second.call('POST', '/__admin/snapshots/two/restore')
  t.strictSame(await payTimes(second, deposit, 2), [failed, ok])
})

t.test('per: payment starts a sequence anew for each payment', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen', start })
  const { status } = await add(mock, {
    sequence: [{ http: { status: 503 } }, { http: { status: 500 } }, 'complete'],
    per: 'payment'
  })
  t.equal(status, 201)
  for (const request of [requests.v2.deposit!(), requests.v2.deposit!()]) {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      statuses.push((await mock.call('POST', '/v2/deposits', request)).status)
    }
    t.strictSame(statuses, [503, 500, 200, 200])
  }
})

for (const row of table) {
  t.test(`${row.version} ${row.kind}: an added scenario ends after its time`, async (t) => {
    const mock = await openSandbox(t, { clock: 'frozen', start })
    const reject = 'PROVIDER_TEMPORARILY_UNAVAILABLE'
    const { body } = await mock.call('POST', '/__admin/scenarios', {
      name: 'down',
      when: { kind: row.kind, provider: 'MTN_MOMO_ZMB' },
      reject,
      for: '10m'
    })
    t.equal(body.until, '2026-01-31T12:10:00.000Z')
    await mock.call('POST', '/__admin/clock/advance', { by: '599s' })
    t.match(await pay(mock, row), /_TEMPORARILY_UNAVAILABLE$/)
    await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
    t.equal(await pay(mock, row), ok)
  })

  t.test(
    `${row.version} ${row.kind}: the time of a file begins with its first payment`,
    async (t) => {
      const scenarios = folder(t)
      const db = join(folder(t), 'ledger.db')
      writeFileSync(
        join(scenarios, 'down.yaml'),
        `when: { kind: ${row.kind} }\nhttp: { status: 503 }\nfor: 10m\n`
      )
      const first = await build(t, { clock: 'frozen', scenarios, db }, testMachine(start))
      await first.call('POST', '/__admin/clock/advance', { by: '1h' })
      t.equal(await pay(first, row), '503')
      await first.call('POST', '/__admin/clock/advance', { by: '599s' })
      t.equal(await pay(first, row), '503', 'a later payment does not prolong it')
      await first.app.close()
      const second = await build(t, { clock: 'frozen', scenarios, db }, testMachine(start))
      await second.call('POST', '/__admin/clock/advance', { by: '1s' })
      t.equal(await pay(second, row), ok)
      await second.call('POST', '/__admin/reset')
      t.equal(await pay(second, row), '503', 'after a reset')
    }
  )
}

t.test('a failure without a kind is for the kinds that can have it', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen', start })
  const scenario = { name: 'poor', fail: 'INSUFFICIENT_BALANCE' }
  t.equal((await mock.call('POST', '/__admin/scenarios', scenario)).status, 201)
  for (const row of table) {
    const end = row.kind === 'deposit' ? 'INSUFFICIENT_BALANCE' : ok
    t.equal(await pay(mock, row), end, `${row.version} ${row.kind}`)
  }
})

t.test('a checkout and a statement can fail with the short form', async (t) => {
  const path = folder(t)
  for (const kind of ['checkout', 'statement']) {
    writeFileSync(join(path, `${kind}.yaml`), `when: { kind: ${kind} }\nfail: UNKNOWN_ERROR\n`)
  }
  const { scenarios, problems } = await loadScenarios([path])
  t.strictSame(problems, [])
  t.strictSame(
    scenarios.map(({ effect }) => effect),
    Array.from({ length: 2 }, () => ({
      steps: [{ after: 450, to: 'FAILED', failureCode: 'UNKNOWN_ERROR' }]
    }))
  )
})

const expiries: Array<[what: string, expires: string | number, after: number, countries?: object]> =
  [
    ['a duration', '2m', 120_000],
    ['milliseconds', 90_000, 90_000],
    ['the provider', 'provider', 300_000],
    [
      'the provider of the configuration',
      'provider',
      60_000,
      { ZMB: { providers: { MTN_MOMO_ZMB: { promptExpiresAfter: '1m' } } } }
    ]
  ]

for (const version of ['v1', 'v2'] as const) {
  for (const [what, expires, after, countries] of expiries) {
    t.test(`${version}: a prompt expires after the time of ${what}`, async (t) => {
      const options = { clock: 'frozen' as const, ...(countries && { countries }) }
      const mock = await build(t, options as never, testMachine(start))
      t.equal((await add(mock, { script: 'phone', expires })).status, 201)
      const made = async () => {
        const request = requests[version].deposit!()
        await mock.call('POST', `${prefix[version]}/deposits`, request)
        await mock.call('POST', '/__admin/clock/advance', { by: 50 })
        return request.depositId
      }
      const ignored = await made()
      const approved = await made()
      const phone = '/__admin/phone/260763456789'
      t.equal((await mock.call('GET', phone)).body.prompts.length, 2)
      await mock.call('POST', '/__admin/clock/advance', { by: after - 51 })
      const status = async (id: string) =>
        (await mock.call('GET', `/__admin/payments/deposit/${id}`)).body
      t.equal((await status(ignored)).status, 'PROCESSING')
      await mock.call('POST', `${phone}/deposits/${approved}`, { decision: 'approve' })
      await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
      t.equal((await status(approved)).status, 'COMPLETED')
      t.match((await status(ignored)).history.at(-1), {
        status: 'FAILED',
        failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' }
      })
      t.equal((await mock.call('GET', phone)).body.prompts.length, 0)
    })
  }
}

const wrongs: Array<[yaml: string, line: number, says: RegExp]> = [
  [
    'when: { kind: [deposit, payout] }\nfail: INSUFFICIENT_BALANCE',
    2,
    /'INSUFFICIENT_BALANCE' is not a failure of a payout/
  ],
  ['when: { kind: payout }\nfail: NOPE', 2, /'NOPE' is not a failure of a payout/],
  ['fail: NOPE', 1, /'NOPE' is not a failure of a deposit/],
  ['fail: nope', 1, /fail must be the failure code/],
  [
    'fail: UNKNOWN_ERROR\nscript: []',
    1,
    /one of script, fail, sequence, reject and http; this one has script and fail/
  ],
  ['fail: UNKNOWN_ERROR\nfault: reset', 1, /with 'reset' nothing is stored/],
  ['sequence: []', 1, /sequence must be a list of 1 to 100 outcomes/],
  ['sequence:\n  - complete\n  - stop', 3, /sequence\.1 must be 'complete', 'fail', \{ fail \}/],
  [
    'when: { kind: deposit }\nsequence:\n  - fail\n  - { fail: NOPE }',
    4,
    /'NOPE' is not a failure/
  ],
  ['sequence:\n  - { reject: NOPE }', 2, /'NOPE' is not a code/],
  ['sequence:\n  - { fail: UNKNOWN_ERROR, reject: INVALID_AMOUNT }', 2, /sequence\.0 must be/],
  ['sequence: [fail]\ntimes: 2', 2, /for more rounds write repeat: 2/],
  ['sequence: [fail]\nfault: lost', 2, /a fault goes with a payment that is accepted/],
  ['fail: UNKNOWN_ERROR\nrepeat: true', 2, /repeat goes with a sequence/],
  ['sequence: [fail]\nrepeat: 0', 2, /repeat must be true .*number of rounds/],
  ['fail: UNKNOWN_ERROR\nevery: 1', 2, /every must be 2 or more \(3 means every third payment\), got 1/],
  [
    'fail: UNKNOWN_ERROR\nevery: 2\nprobability: 0.5\nseed: 1',
    2,
    /every does not go with probability/
  ],
  ['fail: UNKNOWN_ERROR\nevery: 2\nper: payment\ntimes: 1', 2, /every does not go with per/],
  ['fail: UNKNOWN_ERROR\nfor: 0', 2, /never match: it applies for no time/],
  ['fail: UNKNOWN_ERROR\nfor: soon', 2, /for must be how long it applies/],
  ['fail: UNKNOWN_ERROR\nexpires: 2m', 2, /expires goes with script: phone/],
  ['when: { kind: deposit }\nscript: phone\nexpires: 40d', 3, /at most 31 days/],
  ['when: { kind: deposit }\nscript: phone\nexpires: soon', 3, /expires must be the time/],
  ['when: { kind: statement }\nfail: UNKNOWN_ERROR\nevery: 2', 3, /a statement has no every/],
  ['when: { kind: statement }\nfail: UNKNOWN_ERROR\nfor: 1m', 3, /a statement has no for/],
  ['when: { kind: checkout }\nfail: NOPE', 2, /a scenario for a checkout has one step/],
  ['when: { kind: checkout }\nsequence: [fail]', 1, /a scenario for a checkout has one step/]
]

t.test('a wrong turn is refused with its file and line', async (t) => {
  for (const [yaml, line, says] of wrongs) {
    const path = folder(t)
    writeFileSync(join(path, 'wrong.yaml'), yaml)
    const { problems } = await loadScenarios([path])
    t.match(problems.join('\n'), says, yaml)
    t.match(problems[0] ?? '', new RegExp(`wrong\\.yaml:${line}\\b`), yaml)
  }
})

t.test('a scenario that applies only sometimes does not hide later ones', async (t) => {
  for (const limit of ['every: 2', 'for: 10m']) {
    const path = folder(t)
    writeFileSync(join(path, 'a.yaml'), `fail: UNKNOWN_ERROR\n${limit}\n`)
    writeFileSync(join(path, 'b.yaml'), 'fail: OTHER_ERROR\n')
    t.strictSame((await loadScenarios([path])).problems, [], limit)
  }
})

t.test('words of v1 are read in the short forms', async (t) => {
  const path = folder(t)
  writeFileSync(
    join(path, 'v1.yaml'),
    'when: { kind: deposit }\nsequence:\n  - { reject: BALANCE_INSUFFICIENT }\n'
  )
  const { problems, notes } = await loadScenarios([path])
  t.match([...notes, ...problems].join('\n'), /BALANCE_INSUFFICIENT/)
})
