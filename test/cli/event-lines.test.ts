import t from 'tap'
import { formatEvent } from '../../src/cli/event-lines.ts'
import { EventPrinter } from '../../src/cli/event-printer.ts'
import type { MockEvent } from '../../src/monitoring/mock-event.ts'

/** Lines of events: their wording, their columns, and their summary under load. */

process.env.TZ = 'UTC'

type Of<Type extends MockEvent['type']> = MockEvent & { type: Type }

const payment = { kind: 'deposit', paymentId: '4e742c59-1568-4140-bf2d-eb77d2b2b639' }
const common = { time: '2026-01-31T14:54:07.250Z', account: 'default' }
const url = 'http://127.0.0.1:3000/callbacks'

const accepted: Of<'accepted'> = {
  ...common,
  type: 'accepted',
  ...payment,
  status: 'ACCEPTED',
  amount: '15.00',
  currency: 'ZMW',
  provider: 'MTN_MOMO_ZMB',
  origin: 'default',
  scenario: 'default'
}
const completed: Of<'status'> = {
  ...common,
  type: 'status',
  ...payment,
  status: 'COMPLETED',
  by: 'plan',
  cause: 'sandbox test number',
  origin: 'testNumber'
}
const sent: Of<'callback'> = {
  ...common,
  type: 'callback',
  ...payment,
  url,
  attempt: 1,
  httpStatus: 200,
  durationMs: 12,
  state: 'ACKNOWLEDGED'
}
const refused: Of<'answer'> = {
  ...common,
  type: 'answer',
  method: 'POST',
  path: '/v2/deposits',
  httpStatus: 400,
  code: 'MISSING_PARAMETER',
  message: 'depositId is required'
}

const noUrl = 'no callback: no URL is set (--callback-url or PATCH /__admin/account)'

/** Events and their lines. */
const lines: Array<[event: MockEvent, line: string, callback?: Of<'callback'>]> = [
  [accepted, '14:54:07Z  deposit 4e742c59  15.00 ZMW MTN_MOMO_ZMB     ACCEPTED'],
  [
    completed,
    `14:54:07Z  deposit 4e742c59  COMPLETED (test number)    callback 200 in 12 ms  ${url}`,
    sent
  ],
  [
    { ...completed, origin: 'default', noCallback: 'nowhere' },
    `14:54:07Z  deposit 4e742c59  COMPLETED                  ${noUrl}`
  ],
  [refused, '14:54:07Z  POST /v2/deposits 400 MISSING_PARAMETER      depositId is required'],
  [
    { ...refused, ...payment, code: 'AMOUNT_TOO_SMALL', httpStatus: 200, message: 'too small' },
    '14:54:07Z  deposit 4e742c59  AMOUNT_TOO_SMALL           too small  POST /v2/deposits 200'
  ],
  [
    { ...refused, path: '/v2/depsits', httpStatus: 404, code: 'NOT_FOUND', message: 'unknown' },
    '14:54:07Z  POST /v2/depsits 404 NOT_FOUND               unknown'
  ],
  [
    { ...refused, ...payment, httpStatus: 200, code: 'DUPLICATE_IGNORED', message: undefined },
    '14:54:07Z  deposit 4e742c59  DUPLICATE_IGNORED          this identifier was accepted ' +
      'before; nothing changed  POST /v2/deposits 200'
  ],
  [
    { ...refused, ...payment, httpStatus: 200, code: 'ACCEPTED', fault: 'lost' },
    '14:54:07Z  deposit 4e742c59  ACCEPTED                   the answer was lost by a scenario  ' +
      'POST /v2/deposits 200'
  ],
  [
    { ...accepted, origin: 'named', scenario: 'slow-approval' },
    '14:54:07Z  deposit 4e742c59  15.00 ZMW MTN_MOMO_ZMB     ACCEPTED  scenario slow-approval'
  ],
  [
    { ...accepted, kind: 'remittance', account: 'shop' },
    '14:54:07Z  remittance 4e742c59  15.00 ZMW MTN_MOMO_ZMB  ACCEPTED  [shop]'
  ],
  [
    {
      ...completed,
      status: 'FAILED',
      failureCode: 'PAYMENT_NOT_APPROVED',
      by: 'operator',
      cause: 'moved by an admin call',
      noCallback: 'dropped'
    },
    '14:54:07Z  deposit 4e742c59  FAILED PAYMENT_NOT_APPROVED (moved by an admin call)  ' +
      'no callback: the scenario drops it'
  ],
  [
    { ...completed, origin: 'file', cause: 'late', callback: { url, inMs: 90_000 } },
    `14:54:07Z  deposit 4e742c59  COMPLETED (scenario late)  callback in 90 s  ${url}`
  ],
  [
    { ...sent, attempt: 2, httpStatus: 500, state: 'PENDING', nextInMs: 2000 },
    `14:54:07Z  deposit 4e742c59  callback, attempt 2        500 in 12 ms, again in 2 s  ${url}`
  ],
  [
    {
      ...sent,
      attempt: 12,
      httpStatus: undefined,
      error: 'connection refused (ECONNREFUSED)',
      state: 'EXHAUSTED'
    },
    '14:54:07Z  deposit 4e742c59  callback, attempt 12       failed: connection refused ' +
      `(ECONNREFUSED), no more attempts  ${url}`
  ],
  [
    { ...sent, kind: 'statement', paymentId: undefined },
    `14:54:07Z  statement         callback, attempt 1        200 in 12 ms  ${url}`
  ]
]

t.test('an event is a line with aligned columns', async (t) => {
  for (const [event, line, callback] of lines) {
    t.equal(formatEvent(event, false, callback), line)
    const painted = formatEvent(event, true, callback)
    t.match(painted, '\u001b[2m14:54:07Z\u001b[22m', 'the time is dim')
    // eslint-disable-next-line no-control-regex
    t.equal(painted.replace(/\u001b\[\d+m/g, ''), line, 'colours change no text')
  }
})

t.test('an event of another account names it, unless all events are of one', async (t) => {
  for (const [account, accounts, wanted] of [
    ['default', 'all', false],
    ['shop', 'all', true],
    ['sandbox account 2', 'all', true],
    ['shop', 'own', false],
    ['sandbox account 2', 'own', false]
  ] as const) {
    const line = formatEvent({ ...accepted, account }, false, undefined, accounts)
    t.equal(line.endsWith(`  [${account}]`), wanted, `${account}, ${accounts}`)
  }
})

/** Printer whose time is moved by the test. */
function printer () {
  const written: string[] = []
  const work: Array<() => void> = []
  const made = new EventPrinter({
    write: (text) => written.push(text.trimEnd()),
    colours: false,
    schedule: (job) => {
      work.push(job)
      return () => work.splice(work.indexOf(job), 1)
    }
  })
  const pass = (): void => {
    for (const job of work.splice(0)) job()
  }
  return { made, written, pass }
}

t.test('a change of status shares a line with its callback', async (t) => {
  const { made, written, pass } = printer()
  const waiting = { ...completed, callback: { url, inMs: 0 } }
  made.print(waiting)
  t.same(written, [], 'it waits for the callback')
  made.print(sent)
  t.same(written, [
    `14:54:07Z  deposit 4e742c59  COMPLETED (test number)    callback 200 in 12 ms  ${url}`
  ])
  made.print({ ...sent, attempt: 2 })
  t.match(written[1], 'callback, attempt 2')
  made.print(waiting)
  t.equal(written.length, 2)
  pass()
  t.match(written[2], `COMPLETED (test number)    callback is sent  ${url}`, 'a slow receiver')
  made.print(waiting)
  made.flush()
  t.match(written[3], 'callback is sent', 'the end of the server')
})

t.test('many events of a second become one line, until they are few again', async (t) => {
  const { made, written, pass } = printer()
  for (let n = 0; n < 1244; n++) made.print(accepted)
  for (let n = 0; n < 3; n++) made.print(refused)
  t.equal(written.length, 40, 'the first ones are printed')
  pass()
  t.same(written.slice(40), ['14:54:07Z  1,204 deposits in 1 s                        3 refusals'])
  for (let n = 0; n < 100; n++) made.print(completed)
  made.print({ ...sent, httpStatus: 500, state: 'PENDING' })
  t.equal(written.length, 41, 'none is printed while it is busy')
  pass()
  t.match(written[41], /100 completed in 1 s +1 failed callback$/)
  made.print(accepted)
  pass()
  t.match(written[42], /1 deposit in 1 s$/)
  made.print(accepted)
  t.match(written[43], /ACCEPTED$/, 'it is quiet again')
})

t.test('an event long after a burst has its own line', async (t) => {
  const { made, written, pass } = printer()
  for (let n = 0; n < 41; n++) made.print(accepted)
  pass()
  pass()
  made.print(accepted)
  t.match(written.at(-1), /ACCEPTED$/)
  t.equal(written.length, 42)
})
