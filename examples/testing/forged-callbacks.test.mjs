import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMomock } from 'momock'
import { openFor } from './shop.mjs'

/** @type {import('momock').Momock} */
let mock

before(async () => {
  mock = await createMomock({ clock: 'frozen' })
})
after(() => mock.close())

const forgeries = /** @type {const} */ (['unsigned', 'wrongKey', 'otherHost', 'tampered', 'stale'])

for (const forgery of forgeries) {
  test(`my shop refuses a forged callback: ${forgery}`, async () => {
    const { account, shop, close } = await openFor(mock, forgery)
    const order = await shop.pay()
    // It claims COMPLETED while the payment is open: a shop that believes it gives goods away.
    await account.sendCallback('deposit', order, { status: 'COMPLETED', [forgery]: true })
    await account.advance(0)
    const state = shop.orders.get(order)
    // The genuine one is believed, so it was the forgery that was refused.
    await account.advance('1m')
    const end = shop.orders.get(order)
    await close()
    assert.equal(state, 'ACCEPTED', `${forgery} is believed`)
    assert.equal(end, 'COMPLETED', 'the genuine callback is not believed')
  })
}
