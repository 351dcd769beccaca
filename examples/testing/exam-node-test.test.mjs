import { after, before, test } from 'node:test'
import { createMomock, exam } from 'momock'
import { openShop } from './shop.mjs'

/** @type {import('momock').Momock} */
let mock
/** Your application, configured with the mock. @type {Awaited<ReturnType<typeof openShop>>} */
let shop

before(async () => {
  mock = await createMomock()
  shop = await openShop(mock)
})
after(async () => {
  await shop.close()
  await mock.close()
})

test('the callback endpoint passes the exam', async () => {
  // Findings make it throw. The message says what was seen, why it matters and how to fix it.
  await exam({
    callback: shop.callbackUrl,
    mock: { url: mock.url, token: mock.token },
    checks: ['END', 'SIG-07', 'SIG-09'],
    settle: '100ms'
  })
})
