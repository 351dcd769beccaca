import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { isGenuine } from '../verify/verify.mjs'

/**
 * The application under test: a shop that takes mobile money, and hears from callbacks how each
 * payment went. It believes genuine callbacks only.
 * @param {{ url: string, token: string }} api where the payments API is, and the token to pay with
 */
export async function openShop ({ url, token }) {
  /** State of each order. @type {Map<string, string>} */
  const orders = new Map()
  /** Public keys of the API. @type {Promise<any>} */
  const keys = fetch(`${url}/v2/public-key/http`, { headers: { authorization: `Bearer ${token}` } })
    .then((response) => response.json())
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (!isGenuine(request, body, await keys)) {
      response.writeHead(401).end()
      return
    }
    const { depositId, status, failureReason } = JSON.parse(body.toString())
    orders.set(depositId, failureReason?.failureCode ?? status)
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())

  return {
    port,
    callbackUrl: `http://127.0.0.1:${port}/callbacks`,
    orders,

    /** Asks a customer for money, and gives the number of the order. */
    async pay (amount = '15.00') {
      const depositId = randomUUID()
      const response = await fetch(`${url}/v2/deposits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          depositId,
          amount,
          currency: 'ZMW',
          payer: {
            type: 'MMO',
            accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
          }
        })
      })
      const { status } = /** @type {{ status: string }} */ (await response.json())
      orders.set(depositId, status)
      return depositId
    },

    async close () {
      server.closeAllConnections()
      await once(server.close(), 'close')
    }
  }
}

/**
 * Parts of one test: an account of the mock for this test only, and a shop that uses it and gets
 * its callbacks.
 * @param {import('momock').MomockClient} mock
 * @param {string} test its name
 */
export async function openFor (mock, test) {
  const account = mock.as(`sandbox-${test.replace(/\W+/g, '-')}`)
  const shop = await openShop(account)
  await account.configure({ callbacks: { deposits: shop.callbackUrl } })
  return {
    account,
    shop,
    async close () {
      await account.reset()
      await shop.close()
    }
  }
}
