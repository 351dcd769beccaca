import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMomock } from 'momock'
import { openShop } from './shop.mjs'

/** One mock for the file; an account and a shop of its own for every test. @type {import('momock').Momock} */
let mock
/** @type {import('momock').MomockClient} */
let account
/** @type {Awaited<ReturnType<typeof openShop>>} */
let shop

beforeAll(async () => { mock = await createMomock({ clock: 'frozen' }) })
afterAll(() => mock.close())

beforeEach(async ({ task: { name } }) => {
  account = mock.as(`sandbox-${name.replace(/\W+/g, '-')}`)
  shop = await openShop(account)
  await account.configure({ callbacks: { deposits: shop.callbackUrl } })
})
afterEach(async () => {
  await account.reset()
  await shop.close()
})

test('a customer pays', async () => {
  const order = await shop.pay()
  expect(shop.orders.get(order)).toBe('ACCEPTED')
  // The clock stands still until it is moved. What falls due on the way has happened when this returns, callbacks too.
  await account.advance('1m')
  expect(shop.orders.get(order)).toBe('COMPLETED')
  const { failed } = await account.verify([
    { request: { method: 'POST', path: '/v2/deposits', body: { amount: '15' } }, count: 1 },
    { callback: { paymentId: order, state: 'ACKNOWLEDGED' }, count: 1 }
  ])
  expect(failed).toEqual([])
})

test('a customer has no money', async () => {
  await account.scenario({
    when: { kind: 'deposit' },
    script: [{ after: '1s', to: 'PROCESSING' }, { after: '30s', to: 'FAILED', failureCode: 'INSUFFICIENT_BALANCE' }]
  })
  const order = await shop.pay()
  await account.advance('10s')
  expect(shop.orders.get(order)).toBe('ACCEPTED')
  await account.advance('30s')
  expect(shop.orders.get(order)).toBe('INSUFFICIENT_BALANCE')
})

test('in real time', async () => {
  await account.setClock({ mode: 'running' })
  const order = await shop.pay()
  // Returns the moment the shop has answered its callback.
  await account.wait('deposit', order, 'acknowledged')
  expect(shop.orders.get(order)).toBe('COMPLETED')
})
