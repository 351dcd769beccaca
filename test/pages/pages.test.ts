import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createSay, texts } from '../../routes/pages/templates/texts.ts'
import { answer, form, good, html, pass, phonePath, shop } from '../support/customers.ts'
import { build, id, testMachine, until } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { oneServerOptions } from '../support/servers.ts'
import { serve } from '../support/process.ts'

t.test('both languages have the same texts', async (t) => {
  t.strictSame(Object.keys(texts.fr).sort(), Object.keys(texts.en).sort())
  const holes = (text: string | object): string[][] =>
    (typeof text === 'string' ? [text] : Object.values(text)).map((form) =>
      [...form.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()
    )
  for (const [name, text] of Object.entries(texts.en)) {
    t.strictSame(holes(texts.fr[name as keyof typeof texts.fr]), holes(text), name)
  }
})

t.test('plurals follow the rules of each language', async (t) => {
  const rows: Array<[language: 'en' | 'fr', seconds: number, says: string]> = [
    ['en', 0, 'in 0 seconds.'],
    ['en', 1, 'in 1 second.'],
    ['en', 2, 'in 2 seconds.'],
    ['fr', 0, 'dans 0 seconde.'],
    ['fr', 1, 'dans 1 seconde.'],
    ['fr', 2, 'dans 2 secondes.']
  ]
  for (const [language, seconds, says] of rows) {
    t.ok(
      createSay(language)('returningIn', { company: '1 Shop', seconds }).endsWith(`1 Shop ${says}`),
      says
    )
  }
  for (const [language, forms] of Object.entries(texts)) {
    for (const [name, text] of Object.entries(forms)) {
      const counted = typeof text === 'string' ? [] : Object.keys(text)
      if (counted.length > 0) t.strictSame(counted, ['one', 'other'], `${language} ${name}`)
    }
  }
  const { mock } = await shop(t)
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back',
      returnMethod: 'COUNTDOWN',
      defaultLanguage: 'fr'
    })
  ).body
  await mock.call('POST', `/checkout/${checkoutCode}/cancel`)
  t.match(
    (await html(mock, `/checkout/${checkoutCode}`)).body,
    new RegExp(
      String.raw`data-countdown="[^"]*dans 0 seconde\.[^"]*dans 1 seconde\.[^"]*dans 5 ` +
        String.raw`secondes\.&quot;\]">[^<]*dans 5 secondes\.<`
    )
  )
})

t.test('a page predicts the provider of a number', async (t) => {
  const { mock } = await shop(t, { accounts: [{ name: 'default', providers: ['ZMB', 'KEN'] }] })
  const session = new URL(
    (
      await mock.call('POST', '/v2/paymentpage', {
        depositId: id(),
        returnUrl: 'https://shop.example/back'
      })
    ).body.redirectUrl
  ).pathname
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back'
    })
  ).body
  const mtn = {
    status: 200,
    body: { country: 'ZMB', provider: 'MTN_MOMO_ZMB', displayName: 'MTN', phoneNumber: good }
  }
  for (const page of [session, `/checkout/${checkoutCode}`]) {
    const ask = (query: string) => mock.call('GET', `${page}/prediction?${query}`)
    t.match(await ask('phoneNumber=763456789&country=ZMB'), mtn)
    t.match(await ask('phoneNumber=0763%20456%20789&country=ZMB'), mtn)
    t.match(
      await ask('phoneNumber=%2B260763456789&country=KEN'),
      mtn,
      'with its country code, wherever'
    )
    t.match(await ask('phoneNumber=763456789'), { status: 400 })
    t.match(
      await ask('phoneNumber=221773456789'),
      { status: 400, body: { error: { message: /is not available here/ } } },
      'not offered'
    )
    t.match(await ask('phoneNumber=%20&country=ZMB'), {
      status: 400,
      body: { error: { code: 'MISSING_PARAMETER', message: /^phoneNumber is required/ } }
    })
    t.match(await ask('country=ZMB'), {
      status: 400,
      body: { error: { code: 'MISSING_PARAMETER' } }
    })
  }
})

t.test('a browser gets errors as a page, other clients as JSON', async (t) => {
  const mock = await build(
    t,
    { adminToken: 'secret', accounts: [{ name: 'default', approval: 'phone' }] },
    testMachine()
  )
  const depositId = id()
  const admin = { 'x-momock-admin-token': 'secret' }
  const rows: Array<
    [
      name: string,
      method: 'GET' | 'POST',
      url: string,
      headers: Record<string, string>,
      status: number,
      code: string
    ]
  > = [
    ['a phone without a number', 'GET', '/__admin/phone/abc', admin, 400, 'BAD_REQUEST'],
    ['a phone without a key', 'GET', phonePath, {}, 401, 'UNAUTHORIZED'],
    ['a phone with a wrong key', 'GET', `${phonePath}?key=1.x`, {}, 401, 'UNAUTHORIZED'],
    ['a link about nothing', 'GET', `${phonePath}?about=nothing`, admin, 400, 'BAD_REQUEST'],
    [
      'a prompt that is not there',
      'POST',
      `${phonePath}/deposits/${depositId}`,
      admin,
      404,
      'NOT_FOUND'
    ],
    [
      'a form of another site',
      'POST',
      `${phonePath}/deposits/${depositId}`,
      { ...admin, 'sec-fetch-site': 'cross-site' },
      403,
      'FORBIDDEN'
    ],
    ['a payment page', 'GET', '/pay/nothing', {}, 404, 'NOT_FOUND'],
    ['a checkout', 'GET', '/checkout/nothing', {}, 404, 'NOT_FOUND'],
    ['an attempt', 'POST', '/checkout/nothing/attempts', {}, 404, 'NOT_FOUND'],
    ['a checkout to be cancelled', 'POST', '/checkout/nothing/cancel', {}, 404, 'NOT_FOUND'],
    ['an authorisation', 'GET', '/authorise/nothing', {}, 404, 'NOT_FOUND'],
    ['a decision', 'POST', '/authorise/nothing', {}, 404, 'NOT_FOUND']
  ]
  for (const [name, method, url, headers, status, code] of rows) {
    const answer =
      method === 'GET'
        ? await html(mock, url, headers)
        : await form(mock, url, { decision: 'approve' }, headers)
    t.match(
      answer,
      {
        statusCode: status,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': /script-src 'self'/,
          'cache-control': 'no-store'
        },
        body: new RegExp(`data-state="${code}"[\\s\\S]*In detail`)
      },
      name
    )
    if (headers['sec-fetch-site'] !== undefined) continue
    const twin = await mock.call(
      method,
      url,
      method === 'GET'
        ? undefined
        : url.includes('attempts') || url.includes('cancel')
          ? {}
          : { decision: 'approve' },
      { ...headers, accept: 'application/json' }
    )
    t.match(
      twin,
      {
        status,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: { error: { message: /./ } }
      },
      `${name}, as JSON`
    )
  }
  t.match(
    await html(mock, '/checkout/PPG12345678/attempts'),
    { statusCode: 303, headers: { location: '/checkout/PPG12345678' } },
    'the address that a form leaves in the bar leads to its page'
  )
})

t.test('the customer can change the language of the merchant', async (t) => {
  const { mock } = await shop(t)
  const rows: Array<[path: string, body: object, wanted: string]> = [
    [
      '/v2/paymentpage',
      { depositId: id(), returnUrl: 'https://shop.example/back', language: 'FR' },
      'fr'
    ],
    ['/v2/paymentpage', { depositId: id(), returnUrl: 'https://shop.example/back' }, 'en'],
    [
      '/v2/checkouts',
      { checkoutId: id(), returnUrl: 'https://shop.example/back', defaultLanguage: 'fr' },
      'fr'
    ],
    [
      '/v2/checkouts',
      { checkoutId: id(), returnUrl: 'https://shop.example/back', defaultLanguage: 'sw' },
      'en'
    ]
  ]
  for (const [path, body, wanted] of rows) {
    const page = new URL((await mock.call('POST', path, body)).body.redirectUrl).pathname
    t.match((await html(mock, page)).body, `<html lang="${wanted}">`)
    const other = wanted === 'fr' ? 'en' : 'fr'
    const chosen = await html(mock, `${page}?lang=${other}`)
    t.match(chosen.body, `<html lang="${other}">`)
    const [cookie] = String(chosen.headers['set-cookie']).split(';')
    t.match((await html(mock, page, { cookie })).body, `<html lang="${other}">`, 'and it stays')
    t.match((await html(mock, `${page}?lang=de`)).body, `<html lang="${wanted}">`)
  }
})

t.test('the pages load only their own assets, with type and cache headers', async (t) => {
  const { mock } = await shop(t)
  const page = new URL(
    (
      await mock.call('POST', '/v2/paymentpage', {
        depositId: id(),
        returnUrl: 'https://shop.example/back',
        country: 'ZMB'
      })
    ).body.redirectUrl
  ).pathname
  const { body } = await html(mock, page)
  const loaded = [...body.matchAll(/(?:<(?:link|script|img)[^>]*?(?:href|src))="([^"]+)"/g)].map(
    ([, url]) => url
  )
  t.ok(loaded.length >= 5)
  for (const url of loaded) {
    const answer = await mock.app.http.inject(url)
    t.match(
      answer,
      {
        statusCode: 200,
        headers: {
          'cache-control': url.includes('?v=') ? /immutable/ : /max-age=\d+/,
          'content-type': /^(text\/css|text\/javascript|image\/svg\+xml)/
        }
      },
      url
    )
  }
  t.notMatch(
    body.replace('href="https://shop.example/back', ''),
    /\sstyle=|\son\w+=|<style|<script>|https?:\/\/(?!127)/
  )
  t.match(
    (await mock.app.http.inject('/static/pages/page.css')).headers['cache-control'],
    'max-age=3600'
  )
})

/** Events of a stream, in order. */
async function follow (
  t: Test,
  url: string
): Promise<{ events: any[]; response: IncomingMessage; ended: Promise<unknown> }> {
  const request = get(url)
  t.teardown(() => {
    request.destroy()
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  const events: any[] = []
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      if (part.includes('event: state')) events.push(JSON.parse(/^data: (.*)$/m.exec(part)![1]))
    }
  })
  return { events, response, ended: new Promise((resolve) => response.once('close', resolve)) }
}

t.test('a page streams every state on a frozen clock', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const url = mock.url
  const depositId = id()
  const terms = {
    returnUrl: 'https://shop.example/back',
    country: 'ZMB',
    amountDetails: { amount: '5', currency: 'ZMW' },
    phoneNumber: good
  }
  const page = new URL(
    (await mock.call('POST', '/v2/paymentpage', { depositId, ...terms })).body.redirectUrl
  ).pathname
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: terms.returnUrl,
      payer: {
        type: 'MMO',
        accountDetails: {
          phoneNumber: good,
          provider: 'MTN_MOMO_ZMB',
          allowCustomerToOverride: false
        }
      },
      amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }]
    })
  ).body
  const [one, other, phone] = [
    await follow(t, `${url}${page}/events`),
    await follow(t, `${url}/checkout/${checkoutCode}/events`),
    await follow(t, `${url}${phonePath}/events`)
  ]
  const reach = async (events: any[], state: string): Promise<void> => {
    await until(
      async () => events.map((event) => event.state),
      (states) => states.at(-1) === state
    )
  }
  t.match(one.response.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store'
  })
  await reach(one.events, 'WAITING_PAYMENT')
  await mock.call('POST', page, { provider: 'MTN_MOMO_ZMB' })
  await reach(one.events, 'ACCEPTED')
  await mock.call('POST', '/__admin/clock/advance', { by: '60ms' })
  await reach(one.events, 'PROCESSING')
  await until(
    async () => phone.events.at(-1),
    (event) => event.prompts.length === 1
  )
  await mock.call('POST', `/checkout/${checkoutCode}/attempts`, {})
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  await Promise.all([one.ended, other.ended])
  // A state is sent again if the clock has changed since.
  t.strictSame(
    [...new Set(one.events.map(({ state }) => state))],
    ['WAITING_PAYMENT', 'ACCEPTED', 'PROCESSING', 'COMPLETED']
  )
  t.strictSame([other.events[0].state, other.events.at(-1).state], ['WAITING_PAYMENT', 'COMPLETED'])
  t.strictSame(
    one.events.at(-1),
    (await mock.call('GET', page)).body,
    'an event is what the page shows'
  )
  await until(
    async () => phone.events.at(-1),
    (event) => event.messages.length === 2
  )
  const late = await follow(t, `${url}${page}/events`)
  await late.ended
  t.equal(late.events.length, 1, 'who comes after the end hears it, and that is all')
  const next = new URL(
    (await mock.call('POST', '/v2/paymentpage', { depositId: id(), ...terms })).body.redirectUrl
  ).pathname
  const expiring = await follow(t, `${url}${next}/events`)
  await mock.call('POST', '/__admin/clock/advance', { by: '15m' })
  await expiring.ended
  t.equal(expiring.events.at(-1).state, 'EXPIRED')
  t.match(await mock.call('GET', `${page.slice(0, -1)}x/events`), { status: 404 })
})

t.test('the number of live pages is limited', oneServerOptions, async (t) => {
  const mock = await openSandbox(t)
  const url = mock.url
  const streams = await Promise.all(
    Array.from({ length: 201 }, () => follow(t, `${url}${phonePath}/events`))
  )
  t.strictSame(
    streams
      .map(({ response }) => response.statusCode)
      .sort()
      .slice(-2),
    [200, 503]
  )
  t.equal(streams.filter(({ response }) => response.statusCode === 200).length, 200)
})

t.test('a closed live page is not counted', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const { port, origin } = new URL(mock.url)
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back'
    })
  ).body
  const path = `/checkout/${checkoutCode}/events`
  const leave: Record<string, (socket: Socket) => unknown> = {
    'closes it': (socket) => socket.destroy(),
    'breaks it off': (socket) => socket.resetAndDestroy(),
    'closes its own side': (socket) => socket.end()
  }
  for (const [way, go] of Object.entries(leave)) {
    for (let n = 0; n < 250; n++) {
      const socket = createConnection(Number(port), '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      socket.write(`GET ${path} HTTP/1.1\r\nhost: momock\r\n\r\n`)
      go(socket)
      if (!socket.destroyed) await once(socket.resume(), 'close')
    }
    t.equal(
      await until(
        async () => (await follow(t, origin + path)).response.statusCode,
        (status) => status === 200
      ),
      200,
      way
    )
  }
})

t.test('a live page does not prevent the stop of the server', async (t) => {
  const { ready, stop } = await serve(t)
  const { ended, response } = await follow(t, `${ready.url}${phonePath}/events`)
  const { code } = await stop()
  await ended
  t.equal(code, 0)
  t.ok(response.complete, 'the stream was ended, not cut off when patience was')
})

t.test('a checkout with an endless attempt says that its time is over', async (t) => {
  const here = await shop(t)
  const { mock } = here
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back',
      expiresAfter: 3,
      amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }]
    })
  ).body
  const page = `/checkout/${checkoutCode}`
  await mock.call('POST', `${page}/attempts`, {
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763456129'
  })
  await pass(here, 60_000)
  t.match((await mock.call('GET', page)).body, {
    state: 'PROCESSING',
    timeIsUp: false,
    returnUrl: undefined
  })
  await pass(here, 120_000)
  t.match((await mock.call('GET', page)).body, {
    state: 'PROCESSING',
    timeIsUp: true,
    returnUrl: `https://shop.example/back?checkoutCode=${checkoutCode}`
  })
  t.match(
    (await html(mock, page)).body,
    /The time is up, and a payment is still on its way[\s\S]*Back to Momock Demo Shop/
  )
  const {
    attempts: [{ depositId }]
  } = (await mock.call('GET', page)).body
  await answer(here, depositId, 'approve', '260763456129')
  t.match(
    (await mock.call('GET', page)).body,
    { state: 'COMPLETED' },
    'money that comes late still counts'
  )
})

t.test('an address with a broken escape is no page', async (t) => {
  const mock = await build(t)
  for (const path of ['/pay/%ff', '/checkout/%ff', '/checkout/%ff/prediction', '/authorise/%ff']) {
    t.match(await mock.call('GET', path), {
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: /%ff/, hint: /redirectUrl/ } }
    })
    t.match(await html(mock, path), { statusCode: 404, body: /<html lang="en"/ })
  }
})
