import t from 'tap'
import type { Config } from '../../src/config/config.ts'
import { createMomock } from '../../src/index.ts'
import { id, until } from '../support/helper.ts'
import { serve } from '../support/process.ts'

/** All addresses that the server gives out, and their base. */

const settings: Array<[what: string, options: Partial<Config>, begins: (url: string) => string]> = [
  ['where it listens', {}, (url) => url],
  ['where others reach it', { publicUrl: 'https://mock.example' }, () => 'https://mock.example'],
  [
    'with a path, and a slash too many',
    { host: '0.0.0.0', publicUrl: 'http://localhost:8080/momock//' },
    () => 'http://localhost:8080/momock'
  ]
]

interface Answers {
  [field: string]: any
}

/** The requests that are answered with an address, and the field it is in. */
const links: Array<
  [
    what: string,
    method: string,
    path: string,
    body: () => object | undefined,
    pick: (answer: Answers) => string | undefined,
    rest: RegExp
  ]
> = [
  [
    'a payment page',
    'POST',
    '/v2/paymentpage',
    () => ({ depositId: id(), returnUrl: 'https://shop.example/' }),
    ({ redirectUrl }) => redirectUrl,
    /^\/pay\/\w+$/
  ],
  [
    'a payment page of v1',
    'POST',
    '/v1/widget/sessions',
    () => ({ depositId: id(), returnUrl: 'https://shop.example/' }),
    ({ redirectUrl }) => redirectUrl,
    /^\/pay\/\w+$/
  ],
  [
    'a checkout',
    'POST',
    '/v2/checkouts',
    () => ({ checkoutId: id(), returnUrl: 'https://shop.example/', countries: ['ZMB'] }),
    ({ redirectUrl }) => redirectUrl,
    /^\/checkout\/\w+$/
  ],
  [
    'a logo',
    'GET',
    '/v2/active-conf?country=ZMB',
    () => undefined,
    ({ countries }) => countries[0].providers[0].logo,
    /^\/static\//
  ]
]

for (const [what, options, begins] of settings) {
  t.test(`links begin with ${what}`, async (t) => {
    const mock = await createMomock(options)
    t.teardown(mock.close)
    t.match(
      mock.url,
      /^http:\/\/127\.0\.0\.1:\d+$/,
      'the program that started it is told where it listens'
    )
    const headers = { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' }
    for (const [of, method, path, body, pick, rest] of links) {
      const answer = (await (
        await fetch(mock.url + path, {
          method,
          headers,
          body: method === 'GET' ? undefined : JSON.stringify(body())
        })
      ).json()) as Answers
      const link = pick(answer) ?? JSON.stringify(answer)
      t.ok(link.startsWith(begins(mock.url)), `${of}: ${link}`)
      t.match(link.slice(begins(mock.url).length), rest, of)
    }
  })
}

t.test('the link of a statement begins with the public URL', async (t) => {
  const mock = await createMomock({ publicUrl: 'https://mock.example' })
  t.teardown(mock.close)
  const headers = { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' }
  const request = {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    startDate: '2026-01-01T00:00:00Z',
    endDate: '2026-01-02T00:00:00Z',
    callbackUrl: 'http://127.0.0.1:1/'
  }
  const { statementId } = (await (
    await fetch(`${mock.url}/v2/statements`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request)
    })
  ).json()) as Answers
  const found = await until(
    async () =>
      (await (
        await fetch(`${mock.url}/v2/statements/${statementId}`, { headers })
      ).json()) as Answers,
    ({ data }) => data?.status === 'COMPLETED'
  )
  t.match(found.data.downloadUrl, /^https:\/\/mock\.example\//)
})

t.test('the banner shows the public URL', async (t) => {
  const { ready } = await serve(t, [], { env: { MOMOCK_PUBLIC_URL: 'http://localhost:8080/' } })
  t.match(ready, {
    url: /^http:\/\/127\.0\.0\.1:\d+$/,
    publicUrl: 'http://localhost:8080',
    docs: 'http://localhost:8080/__admin/docs',
    curl: /^curl -s -X POST 'http:\/\/localhost:8080\/v2\/deposits' /
  })
})
