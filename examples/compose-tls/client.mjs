import { randomUUID } from 'node:crypto'

/**
 * A client as many SDKs are: its host is in the code, and it verifies certificates. It takes a
 * deposit, opens a checkout, and checks that the link has the origin of the service.
 */

const api = 'https://api.sandbox.pawapay.io'
const checkoutOrigin = 'https://checkout.sandbox.pawapay.io'

/**
 * Calls the API and returns the answer.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function call (path, body) {
  const response = await fetch(api + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${process.env.PAWAPAY_API_TOKEN ?? 'test-token'}`,
      'content-type': 'application/json'
    },
    body: JSON.stringify(body)
  })
  return await response.json()
}

const depositId = randomUUID()
const accepted = await call('/v2/deposits', {
  depositId,
  amount: '15',
  currency: 'ZMW',
  payer: {
    type: 'MMO',
    accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
  }
})
console.log(`deposit ${accepted.status}`)

const { redirectUrl } = await call('/v2/checkouts', {
  checkoutId: randomUUID(),
  returnUrl: 'https://shop.example/'
})
if (!redirectUrl.startsWith(`${checkoutOrigin}/`)) throw new Error(`wrong link: ${redirectUrl}`)
const page = await fetch(redirectUrl, { headers: { accept: 'text/html' } })
console.log(`checkout page ${page.status} of ${new URL(redirectUrl).host}`)

const { data } = await call(`/v2/deposits/${depositId}`)
console.log(`deposit of ${data.amount} ${data.currency} found`)
