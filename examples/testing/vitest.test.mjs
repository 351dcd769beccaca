import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMomock } from 'momock'
import { openFor } from './shop.mjs'

/** One mock for the file. @type {import('momock').Momock} */
let mock
/** An account and a shop of its own for every test. @type {Awaited<ReturnType<typeof openFor>>} */
let own

beforeAll(async () => {
  mock = await createMomock({ clock: 'frozen' })
})
afterAll(() => mock.close())

beforeEach(async ({ task: { name } }) => {
  own = await openFor(mock, name)
})
afterEach(() => own.close())

test('a customer pays', async () => {
  const { account, shop } = own
  const order = await shop.pay()
  expect(shop.orders.get(order)).toBe('ACCEPTED')
  // The clock is frozen. advance() returns after all work that is due until then, also callbacks.
  await account.advance('1m')
  expect(shop.orders.get(order)).toBe('COMPLETED')
})

test('a customer has no money', async () => {
  const { account, shop } = own
  await account.fail('deposit', 'INSUFFICIENT_BALANCE')
  const order = await shop.pay()
  await account.advance('1m')
  expect(shop.orders.get(order)).toBe('INSUFFICIENT_BALANCE')
})
