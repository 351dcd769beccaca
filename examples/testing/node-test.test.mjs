import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { createMomock } from 'momock'
import { openFor } from './shop.mjs'

/** One mock for the file. @type {import('momock').Momock} */
let mock
/** An account and a shop of its own for every test. @type {Awaited<ReturnType<typeof openFor>>} */
let own

before(async () => {
  mock = await createMomock({ clock: 'frozen' })
})
after(() => mock.close())

beforeEach(async ({ name }) => {
  own = await openFor(mock, name)
})
afterEach(() => own.close())

test('a customer pays', async () => {
  const { account, shop } = own
  const order = await shop.pay()
  assert.equal(shop.orders.get(order), 'ACCEPTED')
  // The clock is frozen. advance() returns after all work that is due until then, also callbacks.
  await account.advance('1m')
  assert.equal(shop.orders.get(order), 'COMPLETED')
  await account.expect(
    { request: { method: 'POST', path: '/v2/deposits', body: { amount: '15.00' } }, count: 1 },
    { callback: { paymentId: order, state: 'ACKNOWLEDGED' }, count: 1 },
    { payment: { id: order, status: 'COMPLETED' } }
  )
})

test('a customer has no money', async () => {
  const { account, shop } = own
  await account.scenario({
    when: { kind: 'deposit' },
    script: [
      { after: '1s', to: 'PROCESSING' },
      { after: '30s', to: 'FAILED', failureCode: 'INSUFFICIENT_BALANCE' }
    ]
  })
  const order = await shop.pay()
  await account.advance('10s')
  assert.equal(shop.orders.get(order), 'ACCEPTED')
  await account.advance('30s')
  assert.equal(shop.orders.get(order), 'INSUFFICIENT_BALANCE')
})

test('a shop that is down hears of it later', async () => {
  const { account, shop } = own
  const { url } = await account.orderSink('down', [503, 503])
  await account.configure({ callbacks: { deposits: url } })
  const order = await shop.pay()
  await account.advance({ until: 'idle' })
  const [callback] = await account.callbacks({ paymentId: order })
  assert.deepEqual(
    callback.attempts.map(({ status }) => status),
    [503, 503, 200]
  )
})

test('in real time', async () => {
  const { account, shop } = own
  await account.setClock({ mode: 'running' })
  const order = await shop.pay()
  // Returns when the shop has answered the callback.
  await account.wait('deposit', order, 'acknowledged')
  assert.equal(shop.orders.get(order), 'COMPLETED')
})
