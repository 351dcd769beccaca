import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createShop } from '../../examples/merchant/shop.js'
import { forgeryNames } from '../../src/domain/callback-faults.ts'
import type { Momock } from '../../src/index.ts'
import { chromiumPath, hasBrowser, launch } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { createMomock } from '../support/momock.ts'
import { startProgram } from '../support/program.ts'

/**
 * The example merchant, against a real mock: a customer's browser on one side, signed callbacks on
 * the other.
 */

const isRequired = process.env.BROWSER_TESTS === 'required'
const longOptions = makeLong({
  skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}`
})

interface Order {
  id: string
  state: string
  why?: string
  callbacks: number
}

interface Delivery {
  headers: IncomingHttpHeaders
  body: string
  status: number
}

interface Shop {
  url: string
  mock: Momock
  deliveries: Delivery[]
  /** Buys the first item with a phone number; where the browser is sent. */
  buy: (phone: string) => Promise<Response>
  /** The order, when it is in this state. */
  order: (path: string, state: string, callbacks?: number) => Promise<Order>
}

/**
 * A shop and a mock that know each other. `front` stands before the shop, and sees what it is sent.
 */
async function open (t: Test, now?: () => number): Promise<Shop> {
  const deliveries: Delivery[] = []
  let shop: RequestListener = (_, response) => response.end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    if (request.url === '/callbacks') {
      request.on('data', (chunk) => chunks.push(chunk))
      response.on('finish', () =>
        deliveries.push({
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
          status: response.statusCode
        })
      )
    }
    shop(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const mock = await createMomock({ callbackUrl: `${url}/callbacks` })
  t.teardown(async () => {
    await mock.close()
    server.closeAllConnections()
    server.close()
  })
  shop = createShop({ baseUrl: mock.url, token: mock.token, now, log: () => {} })
  return {
    url,
    mock,
    deliveries,
    buy: (phone) =>
      fetch(`${url}/orders`, {
        method: 'POST',
        body: new URLSearchParams({ item: '0', phone }),
        redirect: 'manual'
      }),
    order: (path, state, callbacks = 0) =>
      until(
        async () =>
          (await (
            await fetch(url + path, { headers: { accept: 'application/json' } })
          ).json()) as Order,
        (order) => order.state === state && order.callbacks >= callbacks
      )
  }
}

async function post (
  url: string,
  body: string,
  headers: Record<string, string>
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}

/** The headers of a callback, as somebody could send them again. */
function again ({ headers }: Delivery): Record<string, string> {
  const names = ['content-type', 'content-digest', 'signature', 'signature-input', 'signature-date']
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]))
}

/** Phone numbers, and what becomes of an order. */
const customers: Array<[phone: string, state: string, why: RegExp | undefined]> = [
  ['260763456789', 'paid', undefined],
  ['+260 763 456 789', 'paid', undefined],
  ['260763456039', 'failed', /approve/i],
  ['260763456019', 'failed', /limit/i]
]

t.test('a customer buys a product', async (t) => {
  const shop = await open(t)
  const home = await (await fetch(shop.url)).text()
  t.match(home, /<form class="card" method="post" action="\/orders">/)
  for (const [phone, state, why] of customers) {
    const sent = await shop.buy(phone)
    t.equal(sent.status, 303, phone)
    const path = sent.headers.get('location') ?? ''
    const order = await shop.order(path, state, 1)
    t.match(order.why ?? '', why ?? /^$/, `${phone}: ${state}`)
    t.match(
      await (await fetch(shop.url + path)).text(),
      `data-state="${state}"`,
      'and the page says so'
    )
  }
  t.same(
    [...new Set(shop.deliveries.map(({ status }) => status))],
    [200],
    'every callback was genuine'
  )
})

t.test('the pages of the shop list the orders and show the verified callback', async (t) => {
  const shop = await open(t)
  const text = async (path: string): Promise<string> => await (await fetch(shop.url + path)).text()
  t.match(await text('/orders'), 'Nobody has bought anything yet.')
  const paths: string[] = []
  for (const [phone, state] of customers.slice(1, 3)) {
    const path = (await shop.buy(phone)).headers.get('location') ?? ''
    await shop.order(path, state, 1)
    paths.push(path)
  }
  const [paid, failed] = await Promise.all(paths.map(text))
  const [{ headers }] = shop.deliveries
  const [, keyId] = /keyid="([^"]+)"/.exec(String(headers['signature-input'])) ?? []
  t.match(paid, `✓ signature verified</span> COMPLETED, key <code>${keyId}</code>`)
  t.match(failed, '✓ signature verified</span> FAILED')
  t.match(failed, `action="${paths[1]}/pay"`, 'a failed order can be paid again')
  for (const page of ['/orders', '/']) {
    const shown = await text(page)
    const states = [...shown.matchAll(/<td><span class="state \w+" data-state="(\w+)"/g)]
    t.strictSame(
      states.map(([, state]) => state),
      ['failed', 'paid'],
      `${page}: newest first`
    )
  }
})

t.test('an open page shows the callback after a status check', longOptions, async (t) => {
  const shop = await open(t)
  await shop.mock.delayCallback('deposit', '1s')
  const path = (await shop.buy('260763456789')).headers.get('location') ?? ''
  const browser = await launch()
  t.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
  page.setDefaultTimeout(20_000)
  await page.goto(shop.url + path)
  await page.getByText('Paid. Thank you!').waitFor()
  await page.getByText('✓ signature verified').waitFor()
  await page.goto(shop.url)
  await page.getByText('✓ verified').waitFor()
  const [wide, seen] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
  )
  t.ok(wide <= seen, `${wide} of ${seen} pixels`)
  const lines = await page.locator('th', { hasText: 'Status' }).evaluate((cell) => {
    const range = cell.ownerDocument.createRange()
    range.selectNodeContents(cell)
    return range.getClientRects().length
  })
  t.equal(lines, 1, 'a word of the table is not broken')
})

t.test('a wrong order is refused', async (t) => {
  const shop = await open(t)
  const bad = await shop.buy('12')
  t.match(
    { status: bad.status, text: await bad.text() },
    { status: 400, text: /check your phone number/ }
  )
  await shop.mock.close()
  const closed = await shop.buy('260763456789')
  t.match(
    { status: closed.status, text: await closed.text() },
    { status: 502, text: /nothing was paid/ }
  )
  t.equal((await fetch(`${shop.url}/orders/none`)).status, 404)
  t.equal((await fetch(`${shop.url}//`)).status, 404, 'whatever the path looks like')
  for (const path of ['/orders', '/callbacks']) {
    t.equal(
      (await fetch(shop.url + path, { method: 'POST', body: 'x'.repeat(100 * 1024) })).status,
      path === '/orders' ? 400 : 401,
      `${path}: as much as it takes`
    )
    t.equal(
      (await fetch(shop.url + path, { method: 'POST', body: 'x'.repeat(100 * 1024 + 1) })).status,
      413,
      `${path}: and a byte more`
    )
  }
})

t.test('an order is refunded once', async (t) => {
  const shop = await open(t)
  const path = (await shop.buy('260763456789')).headers.get('location') ?? ''
  await shop.order(path, 'paid', 1)
  await Promise.all(
    [1, 2].map(() => fetch(`${shop.url}${path}/refund`, { method: 'POST', redirect: 'manual' }))
  )
  await shop.order(path, 'refunded', 2)
  t.equal(
    shop.deliveries.filter(({ body }) => 'refundId' in JSON.parse(body)).length,
    1,
    'asked for twice, made once'
  )
  await fetch(`${shop.url}${path}/refund`, { method: 'POST', redirect: 'manual' })
  t.match(await shop.order(path, 'refunded', 2), { callbacks: 2 }, 'and not again')
})

t.test('forged and duplicate callbacks change nothing', async (t) => {
  const clock = { late: 0 }
  const shop = await open(t, () => Date.now() + clock.late)
  const path = (await shop.buy('260763456789')).headers.get('location') ?? ''
  await shop.order(path, 'paid', 1)
  const [delivery] = await until(
    async () => shop.deliveries,
    (deliveries) => deliveries.length === 1
  )
  const to = `${shop.url}/callbacks`
  const headers = again(delivery)
  t.match(await post(to, delivery.body, headers), { status: 200 }, 'the same one again is taken')
  t.match(await shop.order(path, 'paid', 2), { state: 'paid' }, 'and changes nothing')

  const failed = delivery.body.replace('COMPLETED', 'FAILED')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const anything = sign('sha256', Buffer.from('anything'), privateKey)
  const forged = `sig-pp=:${anything.toString('base64')}:`
  const input = headers['signature-input']
  const rows: Array<[what: string, body: string, changed: Record<string, string>, said: RegExp]> = [
    ['without a signature', delivery.body, { signature: '', 'signature-input': '' }, /not signed/],
    ['with another body', failed, {}, /body is not the one/],
    [
      'with a digest of our own',
      failed,
      { 'content-digest': 'sha-256=:AAAA:' },
      /body is not the one/
    ],
    ['without a digest', failed, { 'content-digest': '' }, /body is not the one/],
    ['signed by somebody else', delivery.body, { signature: forged }, /signature is wrong/],
    [
      'of an unknown key',
      delivery.body,
      { 'signature-input': input.replace(/keyid="[^"]*"/, 'keyid="MINE"') },
      /key MINE is not one/
    ],
    [
      'that does not cover the body',
      delivery.body,
      { 'signature-input': input.replace(' "content-digest"', '') },
      /does not cover content-digest/
    ],
    [
      'with a longer life',
      delivery.body,
      { 'signature-input': input.replace(/expires=\d+/, 'expires=4102444800') },
      /signature is wrong/
    ],
    [
      'of the future',
      delivery.body,
      { 'signature-input': input.replace(/created=\d+/, 'created=4102444800') },
      /of the future/
    ],
    [
      'of another algorithm',
      delivery.body,
      { 'signature-input': input.replace('ecdsa-p256-sha256', 'hmac-sha256') },
      /not signed/
    ]
  ]
  for (const [what, body, changed, said] of rows) {
    t.match(await post(to, body, { ...headers, ...changed }), { status: 401, text: said }, what)
  }
  clock.late = 61_000
  t.match(await post(to, delivery.body, headers), { status: 401, text: /expired/ }, 'too late')
  t.match(await shop.order(path, 'paid', 2), { callbacks: 2 }, 'none of them was counted')
})

/**
 * Callback faults, and the answers of the merchant. With every fault, the order is paid once.
 */
const drills: Array<[drill: object, answers: number[]]> = [
  [{ duplicates: 2 }, [200, 200, 200]],
  [{ beforeAnswer: true }, [200]],
  [{ extraFields: { bonus: 1 } }, [200]],
  [{ unsigned: true }, [401]],
  [{ wrongKey: true }, [401]],
  [{ otherHost: true }, [401]],
  [{ tampered: true }, [401]],
  [{ stale: true }, [401]],
  [{ drop: true }, []]
]

t.test('the merchant handles every callback fault', async (t) => {
  const shop = await open(t)
  for (const [drill, answers] of drills) {
    const what = JSON.stringify(drill)
    const story = {
      name: 'drill',
      script: [
        { after: '10ms', to: 'PROCESSING' },
        { after: '10ms', to: 'COMPLETED' }
      ],
      callback: drill
    }
    const added = await post(`${shop.mock.url}/__admin/scenarios`, JSON.stringify(story), {
      'content-type': 'application/json'
    })
    t.equal(added.status, 201, `${what}: ${added.text}`)
    const path = (await shop.buy('260763459993')).headers.get('location') ?? ''
    const mine = (): number[] =>
      shop.deliveries
        .filter(({ body }) => body.includes(path.slice('/orders/'.length)))
        .map(({ status }) => status)
    await until(
      async () => mine(),
      (seen) => seen.length >= answers.length
    )
    t.same(mine().slice(0, Math.max(1, answers.length)), answers, what)
    t.match(
      await shop.order(path, 'paid'),
      { callbacks: answers.filter((status) => status === 200).length },
      `${what}: what is not genuine is not counted, what is lost is asked for`
    )
    t.equal(
      (await fetch(`${shop.mock.url}/__admin/scenarios/drill`, { method: 'DELETE' })).status,
      204
    )
  }
})

t.test('the merchant believes no forged COMPLETED of an open payment', async (t) => {
  const shop = await open(t)
  await shop.mock.keepPending('deposit')
  const path = (await shop.buy('260763459993')).headers.get('location') ?? ''
  const { id } = await shop.mock.waitForPayment({ kind: 'deposit', status: 'PROCESSING' })
  for (const [n, fault] of forgeryNames.entries()) {
    await shop.mock.sendCallback('deposit', id, { status: 'COMPLETED', [fault]: true })
    const isNew = ({ length }: Delivery[]): boolean => length > n
    const deliveries = await until(async () => shop.deliveries, isNew)
    t.match(deliveries[n], { status: 401, body: /"status":"COMPLETED"/ }, fault)
  }
  t.match(await shop.order(path, 'unpaid'), { callbacks: 0 })
})

t.test('the merchant fetches a new key', async (t) => {
  const clock = { late: 0 }
  const shop = await open(t, () => Date.now() + clock.late)
  await shop.order((await shop.buy('260763456789')).headers.get('location') ?? '', 'paid', 1)
  t.equal((await fetch(`${shop.mock.url}/__admin/keys/rotate`, { method: 'POST' })).status, 200)
  // The keys are asked for again at most every ten seconds.
  clock.late = 11_000
  await shop.order((await shop.buy('260763456789')).headers.get('location') ?? '', 'paid', 1)
  const keys = new Set(
    shop.deliveries.map(
      ({ headers }) => /keyid="([^"]*)"/.exec(String(headers['signature-input']))?.[1]
    )
  )
  t.equal(keys.size, 2, 'two keys were used, and both believed')
})

t.test('the merchant runs as a program', async (t) => {
  const file = fileURLToPath(new URL('../../examples/merchant/server.js', import.meta.url))
  const { prints, stop } = startProgram(t, ['env', '-i', 'PORT=0', process.execPath, file])
  const [, url] = await prints(
    /open at (http:\/\/127\.0\.0\.1:\d+), paid through http:\/\/127\.0\.0\.1:7070/
  )
  t.equal((await fetch(`${url}/health`)).status, 200)
  t.match(await stop(), { code: 0, signal: null })
})

t.test('the merchant uses no package and no code of the mock', async (t) => {
  for (const name of ['server', 'shop', 'orders', 'payments', 'pages', 'style', 'signature']) {
    const text = readFileSync(
      new URL(`../../examples/merchant/${name}.js`, import.meta.url),
      'utf8'
    )
    for (const [, imported] of text.matchAll(/from '([^']+)'/g)) {
      t.match(imported, /^(node:|\.\/\w+\.js$)/, `${name}: ${imported}`)
    }
  }
})
