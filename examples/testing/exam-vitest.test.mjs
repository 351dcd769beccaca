import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMomock, exam, ExamFailed } from 'momock'
import { openShop } from './shop.mjs'

/** @type {import('momock').Momock} */
let mock
/** Your application, configured with the mock. @type {Awaited<ReturnType<typeof openShop>>} */
let shop

beforeAll(async () => {
  mock = await createMomock()
  shop = await openShop(mock)
})
afterAll(async () => {
  await shop.close()
  await mock.close()
})

test('the callback endpoint passes the exam', { timeout: 60_000 }, async () => {
  // Findings make it throw. The message says what was seen, why it matters and how to fix it.
  const { summary } = await exam({
    callback: shop.callbackUrl,
    mock: { url: mock.url, token: mock.token },
    checks: ['END', 'SIG-07', 'SIG-09'],
    settle: '100ms'
  })
  expect(summary.failed).toBe(0)
})

test('a known finding that is fixed is an error', { timeout: 60_000 }, async () => {
  const asked = exam({
    callback: shop.callbackUrl,
    mock: { url: mock.url, token: mock.token },
    checks: ['END-01'],
    expect: { 'END-01': 'slow until March' }
  })
  await expect(asked).rejects.toThrow(ExamFailed)
})
