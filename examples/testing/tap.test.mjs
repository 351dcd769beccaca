import t from 'tap'
import { createMomock } from 'momock'
import { openShop } from './shop.mjs'

/** One mock for the file; an account and a shop of its own for every test. @type {import('momock').Momock} */
let mock
/** @type {import('momock').MomockClient} */
let account
/** @type {Awaited<ReturnType<typeof openShop>>} */
let shop

t.before(async () => { mock = await createMomock({ clock: 'frozen' }) })
t.teardown(() => mock.close())

t.beforeEach(async ({ name }) => {
  account = mock.as(`sandbox-${name.replace(/\W+/g, '-')}`)
  shop = await openShop(account)
  await account.configure({ callbacks: { deposits: shop.callbackUrl } })
})
t.afterEach(async () => {
  await account.reset()
  await shop.close()
})

t.test('a customer pays', async (t) => {
  const order = await shop.pay()
  t.equal(shop.orders.get(order), 'ACCEPTED')
  // The clock stands still until it is moved. What falls due on the way has happened when this returns, callbacks too.
  await account.advance('1m')
  t.equal(shop.orders.get(order), 'COMPLETED')
  const { failed } = await account.verify([
    { request: { method: 'POST', path: '/v2/deposits', body: { amount: '15' } }, count: 1 },
    { callback: { paymentId: order, state: 'ACKNOWLEDGED' }, count: 1 }
  ])
  t.same(failed, [])
})

t.test('a customer has no money', async (t) => {
  await account.scenario({
    when: { kind: 'deposit' },
    script: [{ after: '1s', to: 'PROCESSING' }, { after: '30s', to: 'FAILED', failureCode: 'INSUFFICIENT_BALANCE' }]
  })
  const order = await shop.pay()
  await account.advance('10s')
  t.equal(shop.orders.get(order), 'ACCEPTED')
  await account.advance('30s')
  t.equal(shop.orders.get(order), 'INSUFFICIENT_BALANCE')
})

t.test('in real time', async (t) => {
  await account.setClock({ mode: 'running' })
  const order = await shop.pay()
  // Returns the moment the shop has answered its callback.
  await account.wait('deposit', order, 'acknowledged')
  t.equal(shop.orders.get(order), 'COMPLETED')
})
