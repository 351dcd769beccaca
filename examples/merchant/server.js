import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createShop } from './shop.js'

/**
 * Starts the shop. It reads where the payments API is from the variables that `momock env` prints.
 */

const {
  HOST = '127.0.0.1',
  PORT = '3000',
  PAWAPAY_BASE_URL = 'http://127.0.0.1:7070',
  PAWAPAY_API_TOKEN = 'test-token',
  ORDERS_FILE,
  RECONCILE_SECONDS = '60'
} = process.env

/**
 * Every change of an order is a line of a file, if there is one. @param
 * {import('./orders.js').Order} order
 */
const save = (order) => {
  if (ORDERS_FILE !== undefined) appendFileSync(ORDERS_FILE, `${JSON.stringify(order)}\n`)
}

const shop = createShop({ baseUrl: PAWAPAY_BASE_URL, token: PAWAPAY_API_TOKEN, save })
const server = createServer(shop)
server.listen(Number(PORT), HOST, () => {
  const address = server.address()
  console.log(
    'The shop is open at ' +
      `http://${HOST}:${typeof address === 'object' ? address?.port : PORT}, paid through ` +
      `${PAWAPAY_BASE_URL}`
  )
})

// Callbacks can be lost: what is still open is asked about.
setInterval(
  () => {
    shop.reconcile().catch(console.error)
  },
  Number(RECONCILE_SECONDS) * 1000
).unref()

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    server.close(() => process.exit(0))
    server.closeAllConnections()
  })
}
