import t, { type Test } from 'tap'
import { createMomock, type ExamReport, type Momock } from '../../src/index.ts'

/** The last report of `momock exam`, as the admin API keeps and shows it. */

const report: ExamReport = {
  target: 'http://127.0.0.1:3000/callbacks?<b>',
  started: '2026-01-01T00:00:00.000Z',
  ended: '2026-01-01T00:00:09.000Z',
  summary: {
    depth: 0,
    passed: 0,
    failed: 1,
    warning: 0,
    review: 0,
    skipped: 0,
    seed: 'exam',
    version: '0.1.0'
  },
  checks: [
    {
      id: 'SIG-07',
      title: 'genuine callbacks are refused or ignored',
      severity: 'critical',
      depth: '0',
      verdict: 'FAILED',
      because: 'the honest callback was answered HTTP 401',
      sent: 'honest COMPLETED',
      received: 'HTTP 401 after 3 ms',
      booked: 'unknown',
      shouldBe: 'It is answered with 2xx.',
      why: 'Customers pay and get nothing.',
      fix: 'Verify the RFC 9421 signature.',
      curl: "curl -i -X POST 'http://127.0.0.1:3000/callbacks'",
      seed: 'exam/SIG-07',
      requirement: 'A signed callback is acknowledged. (API rules)',
      durationMs: 12,
      steps: [{ from: 'service', to: 'merchant', text: 'honest COMPLETED', answer: 'HTTP 401' }]
    }
  ]
}

async function openMock (t: Test): Promise<Momock> {
  const mock = await createMomock()
  t.teardown(() => mock.close())
  return mock
}

async function put (mock: Momock, body: object): Promise<{ status: number; error: any }> {
  const response = await fetch(`${mock.url}/__admin/exam/report`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  return { status: response.status, error: text === '' ? undefined : JSON.parse(text).error }
}

t.test('the last report of an account is kept, and a reset keeps it', async (t) => {
  const mock = await openMock(t)
  await t.rejects(mock.examReport(), { status: 404, message: /no exam report of the account/ })
  await mock.saveExamReport({ ...report, checks: [] })
  await mock.saveExamReport(report)
  await mock.reset({ forget: ['coverage'] })
  t.same(await mock.examReport(), report)
})

t.test('accounts have reports of their own', async (t) => {
  const mock = await openMock(t)
  await mock.call('POST', '/accounts', { name: 'shop', tokens: [{ token: 'shop-token' }] })
  const shop = { authorization: 'Bearer shop-token' }
  const show = async (query: string, headers = {}): Promise<number> =>
    (await fetch(`${mock.url}/__admin/exam${query}`, { headers })).status
  await fetch(`${mock.url}/__admin/exam/report`, {
    method: 'PUT',
    headers: { ...shop, 'content-type': 'application/json' },
    body: JSON.stringify(report)
  })
  t.equal(await show('', shop), 200)
  t.equal(await show(''), 404)
  t.equal(await show('?account=shop'), 200, 'a browser names the account')
  t.equal(await show('?account=nobody'), 404)
  await mock.call('DELETE', '/accounts/shop')
  await mock.call('POST', '/accounts', { name: 'shop', tokens: [{ token: 'shop-token' }] })
  t.equal(await show('', shop), 404, 'it goes with the account')
})

t.test('browsers get the page of the report', async (t) => {
  const mock = await openMock(t)
  await mock.saveExamReport(report)
  const response = await fetch(`${mock.url}/__admin/exam`, { headers: { accept: 'text/html' } })
  const page = await response.text()
  t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(response.headers.get('content-security-policy'), /default-src 'none'; style-src 'sha256-/)
  t.match(page, /<!DOCTYPE html>[^]*SIG-07[^]*Verify the RFC 9421 signature/)
  t.notMatch(page, /\?<b>/, 'texts are escaped')
})

const refused: Array<[body: object, status: number, message: RegExp]> = [
  [{}, 400, /target is required/],
  [{ ...report, summary: { ...report.summary, failed: -1 } }, 400, /summary\.failed/],
  [{ ...report, checks: [{ ...report.checks[0], verdict: 'FINE' }] }, 400, /checks\.0\.verdict/],
  [{ ...report, target: 'x'.repeat(2_000_000) }, 413, /larger than/]
]

t.test('a report that is none is refused, and the last one stays', async (t) => {
  const mock = await openMock(t)
  await mock.saveExamReport(report)
  for (const [body, status, message] of refused) {
    t.match(await put(mock, body), { status, error: { message } })
  }
  t.same(await mock.examReport(), report)
})
