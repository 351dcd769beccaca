import t, { type Test } from 'tap'
import type { Momock } from '../../src/index.ts'
import { examReport as report } from '../support/exam-report.ts'
import { createMomock } from '../support/momock.ts'

/** The last report of `momock exam`, as the admin API keeps and shows it. */

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
