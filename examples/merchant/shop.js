import { Orders } from './orders.js'
import { items, orderPage, ordersPage, shopPage } from './pages.js'
import { NoAnswer, Payments } from './payments.js'
import { keyIdOf, Verifier } from './signature.js'

/**
 * The shop as a request listener for `http.createServer`.
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {import('./orders.js').Order} Order
 * @typedef {((request: Request, response: Response) => void) & { reconcile: () => Promise<void> }}
 * Shop `reconcile` asks about every open order
 * @typedef {{ orders: Orders, verifier: Verifier, now: () => number, log: (text: string) => void }}
 * Parts
 */

const bodyLimit = 100 * 1024

/** Error for a body that is longer than the limit. */
class TooLarge extends Error {}

/**
 * @param {{ baseUrl: string, token: string, now?: () => number, log?: (text: string) => void,
 * save?: (order: Order) => void }} options address of the payments API, and the shop's token for it
 * @returns {Shop}
 */
export function createShop ({
  baseUrl,
  token,
  now = Date.now,
  log = console.error,
  save = () => {}
}) {
  const payments = new Payments(baseUrl, token)
  const orders = new Orders(payments, { log, now, save })
  const verifier = new Verifier(() => payments.publicKeys())
  const parts = { orders, verifier, now, log }

  /** @type {(request: Request, response: Response) => void} */
  const listener = (request, response) => {
    route(parts, request, response).catch((error) => {
      if (error instanceof TooLarge) {
        return send(
          response.setHeader('connection', 'close'),
          413,
          'text/plain',
          `at most ${bodyLimit} bytes\n`
        )
      }
      log(error.stack)
      send(response, 500, 'text/plain', 'something went wrong\n')
    })
  }
  return Object.assign(listener, { reconcile: () => orders.reconcileAll() })
}

/**
 * @param {Parts} parts
 * @param {Request} request
 * @param {Response} response
 */
async function route (parts, request, response) {
  const { orders } = parts
  const [pathname] = (request.url ?? '/').split('?')
  const [, id, action] = /^\/orders\/([\w-]+)(\/refund|\/pay)?$/.exec(pathname) ?? []
  const order = id === undefined ? undefined : orders.get(id)
  switch (`${request.method} ${order === undefined ? pathname : `/orders/ID${action ?? ''}`}`) {
    case 'GET /':
      return send(response, 200, 'text/html', shopPage(orders.list()))
    case 'GET /orders':
      return send(response, 200, 'text/html', ordersPage(orders.list()))
    case 'GET /health':
      return send(response, 200, 'text/plain', 'open\n')
    case 'POST /callbacks':
      return await receiveCallback(parts, request, response)
    case 'POST /orders':
      return await buy(parts, request, response)
  }
  if (order === undefined) {
    return send(response, 404, 'text/html', shopPage(orders.list(), 'There is no such page.'))
  }
  if (action !== undefined && request.method === 'POST') {
    await (action === '/pay' ? orders.payAgain(order) : orders.refund(order))
    return show(request, response, order)
  }
  await orders.reconcile(order)
  if (wantsJson(request)) return show(request, response, order)
  send(response, 200, 'text/html', orderPage(order))
}

/**
 * Receives the result of a payment. Only a signed callback counts. After any answer but 200, the
 * payments API sends the callback again.
 * @param {Parts} parts
 * @param {Request} request
 * @param {Response} response
 */
async function receiveCallback ({ orders, verifier, now, log }, request, response) {
  const body = await read(request)
  const problem = await verifier.problem(
    { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body },
    now()
  )
  if (problem !== undefined) {
    log(`a callback was refused: ${problem}`)
    return send(response, 401, 'text/plain', `${problem}\n`)
  }
  // Parsed from the same bytes that were verified.
  orders.note(JSON.parse(body.toString()), keyIdOf(request.headers))
  send(response, 200, 'text/plain', 'noted\n')
}

/**
 * @param {Parts} parts
 * @param {Request} request
 * @param {Response} response
 */
async function buy ({ orders }, request, response) {
  const form = new URLSearchParams((await read(request)).toString())
  const item = items[Number(form.get('item') ?? NaN)]
  if (item === undefined) {
    return send(response, 400, 'text/html', shopPage(orders.list(), 'Please choose something.'))
  }
  try {
    show(request, response, await orders.place(item, form.get('phone') ?? ''))
  } catch (error) {
    if (error instanceof RangeError) {
      return send(response, 400, 'text/html', shopPage(orders.list(), error.message))
    }
    if (error instanceof NoAnswer) {
      const text = 'Payments are not possible now; nothing was paid. Please try again.'
      return send(response, 502, 'text/html', shopPage(orders.list(), text))
    }
    throw error
  }
}

/**
 * Sends an order to a program, and a browser to the page of the order.
 * @param {Request} request
 * @param {Response} response
 * @param {Order} order
 */
function show (request, response, order) {
  if (!wantsJson(request)) return redirect(response, `/orders/${order.id}`)
  const { state } = order
  send(
    response,
    200,
    'application/json',
    JSON.stringify({
      ...order,
      paid: state === 'paid',
      failed: state === 'failed',
      refunded: state === 'refunded'
    })
  )
}

/** @param {Request} request */
function wantsJson (request) {
  return request.headers.accept === 'application/json'
}

/** @param {Request} request */
async function read (request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {string} type
 * @param {string} text
 */
function send (response, status, type, text) {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text)
}

/**
 * @param {Response} response
 * @param {string} location
 */
function redirect (response, location) {
  response.writeHead(303, { location }).end()
}
