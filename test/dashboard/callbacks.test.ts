import t from 'tap'
import { actAndSee, see } from '../support/dashboard.ts'
import { requests } from '../support/examples.ts'
import { build, type Client } from '../support/helper.ts'

/** The callbacks page: attempts, advice when nothing arrives, retry, and sinks. */

const deposit = requests.v2.deposit!

/** Sets the URL of the callbacks, and completes a deposit on a frozen clock. */
async function sendCallback ({ call }: Client, url: string): Promise<void> {
  await call('PATCH', '/__admin/account', { callbacks: { deposits: url } })
  await call('POST', '/v2/deposits', deposit())
  await call('POST', '/__admin/clock/advance', { by: '2s' })
}

t.test('without a URL, the page says so and sets one', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  mock.app.links.base = mock.url
  t.match(await see(mock, '/callbacks'), /No callbacks are sent for deposits, .*no URL is set/)
  const page = await actAndSee(mock, 'set-callback-url', { back: '/callbacks', sink: 'dashboard' })
  t.match(page, 'The callback URLs were changed.')
  t.match(page, /curl -s -X PATCH .*"callbacks":"http/s)
  t.notMatch(page, 'no URL is set')
  await mock.call('POST', '/v2/deposits', deposit())
  await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
  t.match(await see(mock, '/sinks/dashboard'), /Received: 1.*signature valid/s)
})

t.test('the page after a change of the URL does not show its secrets', async (t) => {
  const mock = await build(t)
  for (const url of ['http://shop:mtn4secret@host/x?token=mtn4secret', 'ftp://a:mtn4secret@host/']) {
    const page = await actAndSee(mock, 'set-callback-url', { back: '/callbacks', url })
    t.match(page, /curl -s -X PATCH .*:\[hidden\]@host/s)
    t.notMatch(page, 'mtn4secret')
  }
})

t.test('each reason why nothing arrives has its advice', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const sink = '/__admin/sink/shop'
  for (const [answer, advice] of [
    [302, /Redirects are not followed: set the final URL/],
    [401, /refuses the sender/],
    [404, /no such path/],
    [405, /POST requests/],
    [415, /application\/json/],
    [422, /Compare its checks/],
    [500, /Read its log/]
  ] as Array<[number, RegExp]>) {
    await mock.call('PUT', sink, { then: answer })
    await sendCallback(mock, mock.url + sink)
    const page = await see(mock, '/callbacks')
    t.match(page, advice, String(answer))
    t.match(page, `The answer was ${answer}.`)
  }
  for (const [url, advice] of [
    ['http://127.0.0.1:9/callbacks', /No server listens there.*host\.docker\.internal/],
    ['http://no-such-host.invalid/callbacks', /host name of the URL is unknown/]
  ] as Array<[string, RegExp]>) {
    await sendCallback(mock, url)
    t.match(await see(mock, '/callbacks'), advice, url)
  }
})

t.test('a pending callback is tried again now, and is then acknowledged', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  await mock.call('PUT', '/__admin/sink/shop', { then: 500 })
  await sendCallback(mock, `${mock.url}/__admin/sink/shop`)
  const before = await see(mock, '/callbacks?state=PENDING')
  t.match(before, 'Retry now')
  t.match(before, /Next attempt: .*The clock is frozen: advance it/)
  await mock.call('PUT', '/__admin/sink/shop', { then: 200 })
  const page = await actAndSee(mock, 'resend-callback', { back: '/callbacks', callback: '1' })
  t.match(page, 'The callback waits for the frozen clock: advance it')
  await mock.call('POST', '/__admin/clock/advance', { by: '1ms' })
  t.match(await see(mock, '/callbacks?state=ACKNOWLEDGED'), /callback-(?!1")\d+.*200/s)
  t.notMatch(await see(mock, '/callbacks?state=ACKNOWLEDGED'), 'callback-1"')
})

t.test('a sink shows its callbacks, takes answers and is emptied', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const back = '/sinks/shop'
  await sendCallback(mock, `${mock.url}/__admin/sink/shop`)
  t.match(await see(mock, back), /Received: 1/)
  const ordered = await actAndSee(mock, 'order-sink', {
    back,
    name: 'shop',
    answers: '500, 503 200'
  })
  t.match(ordered, 'The next callbacks are answered with 500, 503, 200')
  t.match(ordered, '[500,503,200]')
  t.match(
    await actAndSee(mock, 'order-sink', { back, name: 'shop', answers: '99' }),
    /toast wrong.*99/s
  )
  const empty = await actAndSee(mock, 'empty-sink', { back, name: 'shop' })
  t.match(empty, /The sink is empty.*Received: 0/s)
})
