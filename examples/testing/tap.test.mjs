import t from 'tap'
import { createMomock } from 'momock'
import { openFor } from './shop.mjs'

/** One mock for the file. @type {import('momock').Momock} */
let mock
/** An account and a shop of its own for every test. @type {Awaited<ReturnType<typeof openFor>>} */
let own

t.before(async () => {
  mock = await createMomock({ clock: 'frozen' })
})
t.teardown(() => mock.close())

t.beforeEach(async ({ name }) => {
  own = await openFor(mock, name)
})
t.afterEach(() => own.close())

t.test('a customer pays', async (t) => {
  const { account, shop } = own
  const order = await shop.pay()
  t.equal(shop.orders.get(order), 'ACCEPTED')
  // The clock is frozen. advance() returns after all work that is due until then, also callbacks.
  await account.advance('1m')
  t.equal(shop.orders.get(order), 'COMPLETED')
})

t.test('a customer has no money', async (t) => {
  const { account, shop } = own
  await account.fail('deposit', 'INSUFFICIENT_BALANCE')
  const order = await shop.pay()
  await account.advance('1m')
  t.equal(shop.orders.get(order), 'INSUFFICIENT_BALANCE')
})
