import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { isGenuine } from '../../examples/verify/verify.mjs'

/** What `npm test` of a user may be: it starts the application, and waits for its callback. */

const { PAWAPAY_BASE_URL: base, PAWAPAY_API_TOKEN: token } = process.env
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const depositId = randomUUID()
const told = Promise.withResolvers()

const server = createServer(async (request, response) => {
  const body = await buffer(request)
  /** @type {any} */
  const keys = await (await fetch(`${base}/v2/public-key/http`, { headers })).json()
  told.resolve(isGenuine(request, body, keys) ? JSON.parse(body.toString()) : 'a forgery')
  response.end()
})
await once(server.listen(3000), 'listening')
const accountDetails = { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
const payer = { type: 'MMO', accountDetails }
const body = JSON.stringify({ depositId, amount: '15', currency: 'ZMW', payer })
const answer = await fetch(`${base}/v2/deposits`, { method: 'POST', headers, body })
if (!(await answer.text()).includes('"ACCEPTED"')) throw new Error('the deposit was refused')
setTimeout(() => told.resolve('no callback'), 5000).unref()
const callback = await told.promise
const isFine = callback.depositId === depositId && callback.status === 'COMPLETED'
process.stdout.write(isFine ? 'paid\n' : `${JSON.stringify(callback)}\n`)
process.exit(isFine ? 0 : 1)
