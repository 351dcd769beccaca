import t from 'tap'
import { select } from '../../src/exam/catalogue.ts'
import { examine } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import { createMomock, exam, ExamFailed } from '../../src/index.ts'
import BelievesEverything from './merchants/believes-everything.ts'
import Merchant from './merchants/good.ts'
import { configOf } from './museum.ts'

/** `exam()`, for test runners. */

t.test('a good application gives a report', async (t) => {
  const port = await freePort()
  const merchant = new Merchant({ baseUrl: `http://127.0.0.1:${port}`, token: 'exam-token' })
  const { callback, drive, observe } = configOf(await merchant.open())
  t.teardown(() => merchant.close())
  const report = await exam({
    callback,
    ...(drive && { drive }),
    ...(observe && { observe }),
    mock: { port },
    settle: '50ms',
    checks: ['SIG-01', 'TRU']
  })
  t.match(report.summary, { passed: 7, failed: 0, depth: 2 })
})

t.test('a failure says what was found, and how to mend it', async (t) => {
  const mock = await createMomock()
  t.teardown(() => mock.close())
  const merchant = new BelievesEverything({ baseUrl: mock.url, token: 'sandbox-shop' })
  const config = configOf(await merchant.open())
  t.teardown(() => merchant.close())
  const error = await exam({
    ...config,
    mock: { url: mock.url, token: 'sandbox-shop' },
    checks: ['SIG-01', 'SIG-07']
  }).then(
    () => undefined,
    (error: unknown) => error
  )
  t.ok(error instanceof ExamFailed)
  t.match(error, {
    name: 'ExamFailed',
    message: new RegExp(
      String.raw`SIG-01 an unsigned callback is booked \[critical\][\s\S]*fix: {7}Refuse ` +
        String.raw`callbacks without Signature`
    ),
    findings: [{ id: 'SIG-01' }],
    report: { summary: { passed: 1, failed: 1 } }
  })
  await t.resolves(
    exam({
      ...config,
      mock: { url: mock.url, token: 'sandbox-shop' },
      checks: ['SIG-01'],
      expect: { 'SIG-01': 'known' }
    })
  )
})

t.test('the address of a report in a running mock shows it to a browser', async (t) => {
  const mock = await createMomock({ token: 'default-token' })
  t.teardown(() => mock.close())
  const named = await mock.createAccount({ name: 'shop', tokens: [{ token: 'shop-token' }] })
  for (const token of ['default-token', 'sandbox-exam', named.token]) {
    const merchant = new Merchant({ baseUrl: mock.url, token })
    const callback = `${await merchant.open()}/callbacks`
    const { report, shownAt = '' } = await examine({
      config: { callback, mock: { url: mock.url, token }, settle: '20ms' },
      createMock: createMomock,
      checks: select(['END-01']).checks
    })
    const shown = await fetch(shownAt, { headers: { accept: 'application/json' } })
    t.match(await shown.json(), { target: report.target, checks: [{ id: 'END-01' }] }, token)
    await merchant.close()
  }
})

t.test('bad requests are refused before anything starts', async (t) => {
  await t.rejects(exam({ callback: 'http://127.0.0.1:1/', checks: ['SIG-99'] }), {
    message: /'SIG-99' is neither a check nor a family/
  })
  await t.rejects(exam({ callback: 'nowhere' }), {
    message: /callback must be the http or https URL/
  })
  await t.rejects(exam({ callback: 'http://127.0.0.1:1/', mock: { port: 0 } }), {
    message: /cannot be reached/
  })
})
