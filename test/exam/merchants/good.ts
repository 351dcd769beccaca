import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The good merchant: everything the exam asks for, in one file. Every bad merchant is this one with
 * one thing changed.
 */

export interface Order {
  orderId: string
  kind: string
  amount: string
  currency: string
  phoneNumber: string
  provider: string
  paid: boolean
  failed: boolean
  effects: number
  refunded: boolean
  refunds: number
  paymentIds: string[]
}

export interface Payment {
  id: string
  kind: string
  order: Order
  state: 'pending' | 'completed' | 'failed'
  startedAt: number
}

export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** JSON of the API, as it comes. */
type Json = any

interface Answer {
  status: number
  json: Json
}

const covered = ['@method', '@authority', '@path', 'content-digest']
const final = ['COMPLETED', 'FAILED']

export class Merchant {
  /** Checks that must fail for this merchant, and those that may fail because of them. */
  static fails: string[] = []
  static also: string[] = []
  static warns: string[] = []
  /** The only checks worth running, where the others would take too long. */
  static only: string[] | undefined

  orders: Map<string, Order> = new Map()
  payments: Map<string, Payment> = new Map()
  keys: Array<{ id: string; key: string }> = []
  isBroken = false
  /** Pauses before the second, third … try of an initiation. */
  pauses = [150, 300, 600]
  jobEveryMs = 400
  version = '/v2'
  timer: NodeJS.Timeout | undefined
  server: Server | undefined
  readonly api: { baseUrl: string; token: string }

  constructor (api: { baseUrl: string; token: string }) {
    this.api = api
  }

  // --- the API ---

  async call (method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.api.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.api.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers()
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(8000)
    })
    return { status: response.status, json: await response.json() }
  }

  headers (): Record<string, string> {
    return {}
  }

  /** The body of an initiation. */
  instruction ({ id, kind, order }: Payment): Record<string, unknown> {
    const { amount, currency, phoneNumber, provider } = order
    const party = { type: 'MMO', accountDetails: { phoneNumber, provider } }
    switch (kind) {
      case 'payout':
        return { payoutId: id, amount, currency, recipient: party }
      case 'refund':
        return { refundId: id, depositId: order.paymentIds[0], amount, currency }
      case 'checkout':
        return {
          checkoutId: id,
          returnUrl: 'https://shop.example/thanks',
          amounts: [{ country: 'ZMB', currency, amount }]
        }
      default:
        return { depositId: id, amount, currency, payer: party }
    }
  }

  path ({ kind }: Payment) {
    return `${this.version}/${kind}s`
  }

  /** The identifier is made and stored before it is sent. */
  store (order: Order, kind: string) {
    const payment: Payment = {
      id: randomUUID(),
      kind,
      order,
      state: 'pending',
      startedAt: Date.now()
    }
    this.payments.set(payment.id, payment)
    if (kind !== 'refund') order.paymentIds.push(payment.id)
    return payment
  }

  /** No answer, 429 and 5xx are tried again, later each time, with the same identifier. */
  async initiate (payment: Payment) {
    for (let n = 0; ; n++) {
      const answer = await this.call('POST', this.path(payment), this.instruction(payment)).catch(
        () => undefined
      )
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
        return await this.answered(payment, answer)
      }
      if (n === this.pauses.length) return await this.gaveUp(payment)
      await sleep(this.pauses[n])
    }
  }

  async answered (payment: Payment, { json }: Answer) {
    if (json.status === 'REJECTED') this.fail(payment)
  }

  /** The job asks later. */
  async gaveUp (_payment: Payment) {}

  // --- callbacks ---

  /** What is wrong with a callback. */
  async problemOf (received: Received): Promise<string | undefined> {
    const { headers, body } = received
    const [, input, list] =
      /^sig-pp=(\(([^)]*)\).*)$/.exec(String(headers['signature-input'])) ?? []
    const [, value] = /^sig-pp=:([^:]+):$/.exec(String(headers.signature)) ?? []
    if (input === undefined || value === undefined) return 'not signed'
    const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
    if (!covered.every((name) => names.includes(name))) return 'too little is signed'
    if (this.isExpired(Number(/;expires=(\d+)/.exec(input)?.[1]))) return 'expired'
    if (this.isAhead(Number(/;created=(\d+)/.exec(input)?.[1]))) return 'of the future'
    if (!this.isDigest(String(headers['content-digest']), body)) return 'another body'
    const key = await this.key(/;keyid="([^"]+)"/.exec(input)?.[1] ?? '')
    if (key === undefined) return 'unknown key'
    const derived: Record<string, string | undefined> = {
      '@method': received.method,
      '@authority': headers.host,
      '@path': received.url.split('?')[0]
    }
    const base = [
      ...names.map((name) => `"${name}": ${derived[name] ?? headers[name]}`),
      `"@signature-params": ${input}`
    ].join('\n')
    return this.isSigned(base, key, Buffer.from(value, 'base64')) ? undefined : 'wrong signature'
  }

  isExpired (expires: number) {
    return !(Date.now() / 1000 <= expires)
  }

  isAhead (created: number) {
    return created > Date.now() / 1000 + 5
  }

  isDigest (header: string, body: Buffer) {
    return header === `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
  }

  isSigned (base: string, key: string, value: Buffer) {
    return verify('sha256', Buffer.from(base), createPublicKey(key), value)
  }

  async key (id: string): Promise<string | undefined> {
    const known = () => this.keys.find((key) => key.id === id)?.key
    if (known() === undefined) this.keys = (await this.call('GET', '/v2/public-key/http')).json
    return known()
  }

  async onCallback (
    received: Received
  ): Promise<number | [status: number, headers: Record<string, string>]> {
    const problem = await this.problemOf(received)
    if (problem !== undefined) return 401
    const record = JSON.parse(received.body.toString())
    return await this.onRecord(record)
  }

  async onRecord (record: Json): Promise<number> {
    const payment = this.payments.get(this.idIn(record))
    if (payment === undefined) return await this.onUnknown(record)
    await this.apply(payment, record)
    return 200
  }

  idIn (record: Json) {
    return record.refundId ?? record.depositId ?? record.payoutId ?? record.checkoutId
  }

  async onUnknown (_record: Json): Promise<number> {
    return 200
  }

  // --- what is booked ---

  /** The database, which takes a moment. */
  async query () {
    await sleep(1)
    if (this.isBroken) throw new Error('the database is broken')
  }

  async apply (payment: Payment, record: Json) {
    await this.query()
    if (payment.state !== 'pending' || !final.includes(record.status)) return
    if (record.status === 'FAILED') return this.fail(payment)
    if (this.isPrice(payment, record)) this.book(payment)
  }

  isPrice ({ kind, order }: Payment, record: Json) {
    return (
      kind === 'checkout' ||
      (Number(record.amount ?? record.depositedAmount ?? record.requestedAmount) ===
        Number(order.amount) &&
        record.currency === order.currency)
    )
  }

  /** State and effect change together. */
  book (payment: Payment) {
    payment.state = 'completed'
    const { order } = payment
    if (payment.kind === 'refund') {
      order.refunded = true
      order.refunds++
    } else {
      order.paid = true
      order.failed = false
      order.effects++
    }
  }

  fail (payment: Payment) {
    payment.state = 'failed'
    if (payment.kind !== 'refund' && !payment.order.paid) payment.order.failed = true
  }

  // --- the job ---

  async job () {
    for (const payment of this.payments.values()) {
      if (payment.state === 'pending' && Date.now() - payment.startedAt >= this.jobEveryMs) {
        await this.ask(payment).catch(() => {})
      }
    }
  }

  async ask (payment: Payment) {
    const { json } = await this.call('GET', `${this.path(payment)}/${payment.id}`)
    await this.found(payment, json)
  }

  async found (payment: Payment, json: Json) {
    if (json.status === 'FOUND') await this.apply(payment, json.data)
  }

  // --- the shop ---

  async pay (kind: string, { amount, currency, phoneNumber, provider }: any) {
    const order: Order = {
      orderId: randomUUID().slice(0, 8),
      kind,
      amount,
      currency,
      phoneNumber,
      provider,
      paid: false,
      failed: false,
      effects: 0,
      refunded: false,
      refunds: 0,
      paymentIds: []
    }
    this.orders.set(order.orderId, order)
    await this.start(order, kind)
    return order
  }

  async start (order: Order, kind: string) {
    await this.initiate(this.store(order, kind))
  }

  async route (method: string, path: string, received: Received): Promise<unknown> {
    const [, name, id, action] = path.split('/')
    const body = () => JSON.parse(received.body.toString())
    const order = this.orders.get(id)
    switch (`${method} ${name}${action === undefined ? '' : `/${action}`}`) {
      case 'POST pay':
        return await this.pay('deposit', body())
      case 'POST payouts':
        return await this.pay('payout', body())
      case 'POST checkouts':
        return await this.pay('checkout', body())
      case 'POST orders/retry':
        return order && (await this.retry(order))
      case 'POST orders/refund':
        return order && (await this.start(order, 'refund').then(() => order))
      case 'GET orders':
        return order
      case 'POST reset':
        return this.reset()
      case 'POST break':
        return this.breakDown(true)
      case 'POST mend':
        return this.breakDown(false)
    }
  }

  breakDown (isBroken: boolean) {
    this.isBroken = isBroken
    return {}
  }

  reset () {
    this.orders.clear()
    this.payments.clear()
    return {}
  }

  async retry (order: Order) {
    order.failed = false
    await this.start(order, 'deposit')
    return order
  }

  /** Opens the shop on a free port; its URL. */
  async open (port = 0): Promise<string> {
    const server = (this.server = createServer(async (request, response) => {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      const received: Received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks)
      }
      const [path] = received.url.split('?')
      try {
        if (path === '/callbacks') {
          const answer = await this.onCallback(received)
          const [status, headers] = typeof answer === 'number' ? [answer, {}] : answer
          return response.writeHead(status, headers).end()
        }
        const json = await this.route(received.method, path, received)
        response
          .writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(json ?? {}))
      } catch {
        response.writeHead(500).end()
      }
    }))
    await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)))
    this.timer = setInterval(() => {
      this.job().catch(() => {})
    }, this.jobEveryMs)
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  async close () {
    clearInterval(this.timer)
    this.server?.closeAllConnections()
    await new Promise((resolve) => this.server?.close(resolve))
  }
}

export default Merchant
