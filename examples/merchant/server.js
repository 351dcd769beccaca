import { createServer } from 'node:http'
import { createShop } from './shop.js'

/**
 * Starts the shop. It reads where the payments API is from the variables that `momock env` prints.
 */

const {
  HOST = '127.0.0.1',
  PORT = '3000',
  PAWAPAY_BASE_URL = 'http://127.0.0.1:7070',
  PAWAPAY_API_TOKEN = 'test-token'
} = process.env

const server = createServer(createShop({ baseUrl: PAWAPAY_BASE_URL, token: PAWAPAY_API_TOKEN }))
server.listen(Number(PORT), HOST, () => {
  const address = server.address()
  console.log(
    'The shop is open at ' +
      `http://${HOST}:${typeof address === 'object' ? address?.port : PORT}, paid through ` +
      `${PAWAPAY_BASE_URL}`
  )
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    server.close(() => process.exit(0))
    server.closeAllConnections()
  })
}
