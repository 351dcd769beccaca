import t from 'tap'
import { catalogue, select } from '../../src/exam/catalogue.ts'
import type { Check } from '../../src/exam/check.ts'
import { examine, type Examined } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import type { Result } from '../../src/reports/exam/report.ts'
import { describeUnproved } from '../../src/reports/exam/outcome.ts'
import { createMomock } from '../../src/index.ts'
import { long } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'
import Merchant, { type Received } from './merchants/good.ts'
import { configOf, load } from './museum.ts'
import { configured, run } from './program.ts'

/** What a PASSED proves: a shop that does nothing passes no check that is about what it books. */

limitEachTest()

const limits = { slowMs: 1000, callbackTimeoutMs: 4000, pollMs: 300 }

async function examineShop (
  Shop: typeof Merchant,
  checks: readonly Check[],
  { depth = 2, token = 'exam-token' }: { depth?: number; token?: string } = {}
): Promise<Examined> {
  const port = await freePort()
  const shop = new Shop({ baseUrl: `http://127.0.0.1:${port}`, token })
  const { drive, observe, ...rest } = configOf(await shop.open())
  const config = {
    ...rest,
    ...(depth > 0 && drive !== undefined && { drive }),
    ...(depth > 1 && observe !== undefined && { observe }),
    mock: { port },
    patience: '1500ms',
    burst: 10
  }
  try {
    return await examine({ config, createMock: createMomock, checks, limits })
  } finally {
    await shop.close()
  }
}

/** What can be said of requests to the API alone, and of the form of answers. */
const requests = ['REC-01', 'REC-05', 'REQ-01', 'REQ-02']
const answers = ['END-01', 'END-02', 'END-03']

/** Shops that book nothing or nothing by callbacks, and the checks that they may pass. */
const idle: Array<[name: string, passes: string[]]> = [
  ['believes-and-books-nothing', [...requests, ...answers]],
  ['books-nothing', [...requests, ...answers]],
  ['answers-200', [...requests, ...answers]],
  // Their jobs ask the API, and book what it says.
  ['answers-500', [...requests, 'REC-03', 'STA-06', 'STA-07']],
  ['answers-401', [...requests, 'REC-03', 'STA-06', 'STA-07']]
]

const fast = select(['SIG-01', 'TRU-05', 'STA-01', 'END-01']).checks

for (const [checks, options] of [[fast, {}], [catalogue, long]] as const) {
  const what = `shops that book nothing pass none of ${checks.length} checks by it`
  t.test(what, options, async (t) => {
    for (const [name, passes] of idle) {
      const { report } = await examineShop(await load(name), checks)
      t.same(
        report.checks
          .filter(({ id, verdict }) => verdict === 'PASSED' && !passes.includes(id))
          .map(({ id, because }) => `${id}: ${because}`),
        [],
        name
      )
      t.match(describeUnproved(report), /^SIG-01, .* nothing\. SIG-01: .*see SIG-07/, name)
    }
    const { report } = await examineShop(Merchant, checks)
    t.same(
      report.checks.filter(({ verdict }) => verdict !== 'PASSED'),
      [],
      'a good shop passes them all'
    )
    t.equal(describeUnproved(report), undefined)
  })
}

t.test('a refusal counts without observe only if a genuine callback is acknowledged', async (t) => {
  const { checks } = select(['SIG-01', 'SIG-02'])
  for (const depth of [0, 1]) {
    for (const [name, verdict] of [
      ['answers-401', 'SKIPPED'],
      ['answers-500', 'SKIPPED'],
      ['good', 'PASSED']
    ] as const) {
      const { report } = await examineShop(await load(name), checks, { depth })
      t.match(report.checks, [{ verdict }, { verdict }], `${name} at depth ${depth}`)
      const unproved = describeUnproved(report)
      t.equal(unproved === undefined, verdict === 'PASSED', `${name} at depth ${depth}`)
    }
  }
})

t.test('a question to a person is asked only about a shop that books something', async (t) => {
  for (const id of ['TRU-03', 'REC-03']) {
    for (const [name, verdict] of [
      ['books-nothing', 'SKIPPED'],
      ['good', 'PASSED']
    ] as const) {
      const { report } = await examineShop(await load(name), select([id]).checks)
      t.match(report.checks, [{ verdict }], `${id} of ${name}: ${report.checks[0].because}`)
      t.equal(describeUnproved(report) === undefined, verdict === 'PASSED', `${id} of ${name}`)
    }
  }
  const { checks } = select(['TRU-03'])
  const { report } = await examineShop(await load('finds-by-reference'), checks)
  t.match(report.checks, [
    { verdict: 'REVIEW', because: /refuses a reference that is not its own/ }
  ])
})

const outcomes: Array<[name: string, code: number, out: RegExp, err: RegExp]> = [
  [
    'good',
    0,
    /✓ SIG-01 unsigned callbacks are refused\n.*✓ SIG-02.*\n.*✓ SIG-10.*\n/,
    /3 of 3/
  ],
  ['believes-everything', 1, /✗ SIG-01 an unsigned callback is booked \[critical\]/, /3 of 3/],
  [
    'believes-and-books-nothing',
    3,
    /- SIG-01 .*\n.*SKIPPED: .*nothing was booked\. But an ordinary genuine callback was answered/,
    /is no success: SIG-01, SIG-02, SIG-10 prove nothing\. SIG-01: .*see SIG-07/
  ]
]

for (const [name, expected, said, warned] of outcomes) {
  t.test(`checks of forgeries end with ${expected} for the merchant ${name}`, async (t) => {
    const folder = await configured(t, name)
    const { code, out, err } = await run(t, ['SIG-01', 'SIG-02', 'SIG-10'], folder)
    t.equal(code, expected, err)
    t.match(out, said)
    t.match(err, warned)
  })
}

const reasons: Array<[name: string, id: string, row: Partial<Record<keyof Result, RegExp>>]> = [
  ['answers-401', 'SIG-07', { fix: /^Verify the RFC 9421 signature/ }],
  [
    'keeps-own-addresses',
    'SIG-07',
    { because: /from 3\.64\.89\.224 .* own list of addresses/, fix: /^Leave the list of add/ }
  ],
  ['answers-403', 'SIG-07', { because: /such as a list of addresses/, fix: /before the sig/ }],
  ['waits-for-hmac', 'SIG-07', { because: /a secret of its own, or .* from an earlier run/ }],
  ['answers-500', 'SIG-07', { fix: /^Look into the log of your application/ }],
  ['books-nothing', 'SIG-07', { fix: /acknowledged and not booked\. Look up the payment/ }],
  ['books-nothing', 'SIG-07', { again: /the signature expires in a minute; momock exam SIG-07/ }],
  ['believes-everything', 'SIG-01', { again: /^momock exam SIG-01 repeats the check$/ }],
  ['renews-on-retry', 'REC-05', { because: /^after 429 or 503 .* sent \d identifiers for one/ }]
]

t.test('reasons and fixes fit what was seen', async (t) => {
  for (const [name, id, row] of reasons) {
    const { report } = await examineShop(await load(name), select([id]).checks)
    t.match(report.checks, [row], `${name}: ${id}`)
  }
})

t.test('an address list of a shop that answers 200 is told from slowness', async (t) => {
  class IgnoresOthers extends Merchant {
    override async onCallback (received: Received) {
      return received.headers['x-forwarded-for'] === undefined
        ? await super.onCallback(received)
        : 200
    }
  }
  class BooksTheSecond extends Merchant {
    readonly seen = new Set<string>()

    override async onCallback (received: Received) {
      const { depositId } = JSON.parse(received.body.toString())
      const isSecond = this.seen.has(depositId)
      this.seen.add(depositId)
      return isSecond ? await super.onCallback(received) : 200
    }
  }
  const { checks } = select(['SIG-07'])
  const rows = [
    [IgnoresOthers, /answered HTTP 200 and not booked, and from the address of the exam it was bo/],
    [BooksTheSecond, /and the merchant says/]
  ] as const
  for (const [shop, because] of rows) {
    const { report } = await examineShop(shop, checks)
    t.match(report.checks, [{ verdict: 'FAILED', because }], shop.name)
    t.equal(/list of addresses/.test(report.checks[0].because), shop === IgnoresOthers)
  }
})

t.test('a wrong token ends the exam before the first check', async (t) => {
  const { checks } = select(['SIG-07', 'TRU-05', 'STA-03'])
  for (const depth of [0, 1, 2]) {
    await t.rejects(examineShop(Merchant, checks, { depth, token: 'another-token' }), {
      isUsage: false,
      message: /the mock refuses the token of the application: .* 401 .*with the token exam-token/
    })
    const { report } = await examineShop(Merchant, checks, { depth })
    t.match(report.summary, { passed: 3 }, 'and with the right one it passes')
  }
})

t.test('a wrong token of some requests ends the exam at the first of them', async (t) => {
  class AsksWithOldToken extends Merchant {
    override async call (method: string, path: string, body?: unknown) {
      if (method !== 'GET' || path.includes('public-key')) {
        return await super.call(method, path, body)
      }
      const headers = { authorization: 'Bearer old-token' }
      const response = await fetch(this.api.baseUrl + path, { headers })
      return { status: response.status, json: await response.json() }
    }
  }
  const { checks } = select(['SIG-07', 'STA-06', 'REC-03', 'REQ-01'])
  const { report, problem } = await examineShop(AsksWithOldToken, checks)
  t.match(
    problem?.message,
    /the mock refuses the token .*: GET \/v2\/deposits\/.* was answered 401/
  )
  t.match(report.checks, [
    { id: 'SIG-07', verdict: 'PASSED' },
    { id: 'STA-06', verdict: 'SKIPPED', because: /refuses the token/, inconclusive: true },
    { id: 'REC-03', verdict: 'SKIPPED', because: 'the exam ended before this check' },
    { id: 'REQ-01', verdict: 'SKIPPED' }
  ])
  t.match(report.summary.interrupted, /refuses the token/)
  const { problem: none } = await examineShop(Merchant, checks)
  t.equal(none, undefined, 'and with one token for all it ends as usual')
})

t.test('an answer to each callback is no finding about unknown ones', async (t) => {
  const { checks } = select(['TRU-05', 'STA-03', 'SIG-07'])
  for (const depth of [0, 2]) {
    const { report } = await examineShop(await load('answers-500'), checks, { depth })
    t.match(
      report.checks.map(({ id, verdict }) => `${id} ${verdict}`),
      ['SIG-07 FAILED', 'TRU-05 SKIPPED', 'STA-03 SKIPPED']
    )
  }
  const { report } = await examineShop(await load('crashes-on-strangers'), checks)
  t.match(report.checks, [{ verdict: 'PASSED' }, { id: 'TRU-05', verdict: 'FAILED' }])
})

t.test('an answer of observe that does not fit costs one check, not the exam', async (t) => {
  class HidesAmounts extends Merchant {
    override async route (...given: Parameters<Merchant['route']>) {
      const answer = await super.route(...given)
      if (given[0] !== 'GET') return answer
      const { amount, ...rest } = answer as Record<string, unknown>
      return rest.paid === true ? rest : { ...rest, amount }
    }
  }
  const { checks } = select(['SIG-07', 'END-02', 'REQ-01'])
  const { report, problem } = await examineShop(HidesAmounts, checks)
  t.equal(problem, undefined)
  t.match(report.checks, [
    { id: 'SIG-07', verdict: 'SKIPPED', because: /observe\.amount: \$\.amount finds nothing/ },
    { id: 'END-02', verdict: 'PASSED' },
    { id: 'REQ-01', verdict: 'PASSED' }
  ])
  t.match(describeUnproved(report), /^SIG-07 proves nothing/)
})

/** Checks that need no drive, and a merchant that each of them must find without one. */
const shallow: Array<[id: string, bad: string, found?: Record<string, unknown>]> = [
  ['SIG-06', 'keeps-old-keys', { because: /\(\d tries\) was answered HTTP 401$/ }],
  ['SIG-07', 'waits-for-hmac', { because: /did not ask for the public keys during this exam/ }],
  ['SIG-08', 'refuses-clock-skew'],
  ['SIG-09', 'serialises-again'],
  // Without drive each payment is one that nobody ordered, so each callback gets this answer.
  ['TRU-05', 'crashes-on-strangers', { verdict: 'SKIPPED', inconclusive: true }],
  ['STA-03', 'crashes-on-unknown'],
  ['END-01', 'answers-too-late'],
  ['END-02', 'wants-a-login'],
  ['END-03', 'knows-deposits-only']
]

t.test('a check of depth 0 finds its bad merchant and passes the good one', long, async (t) => {
  t.same(
    shallow.map(([id]) => id),
    catalogue.filter(({ depth }) => depth[0] === 0).map(({ id }) => id)
  )
  for (const [id, bad, found] of shallow) {
    const { checks } = select([id])
    for (const [name, wanted] of [
      [bad, { verdict: 'FAILED', ...found }],
      ['good', { verdict: 'PASSED' }]
    ] as const) {
      const { report } = await examineShop(await load(name), checks, { depth: 0 })
      t.match(report.checks, [{ id, ...wanted }], `${name}: ${report.checks[0].because}`)
    }
  }
})
