import t from 'tap'
import { compareRecords } from '../../routes/dashboard/templates/records.ts'
import { but, requests } from '../support/examples.ts'
import { build, id, receiver, until, type Client } from '../support/helper.ts'

/** The page of a payment: timeline, records, signatures, links and buttons. */

const markup = '"><script>alert(1)</script>'
const declined = '260763456039'

/** Returns a page without the escapes of quotes. */
async function show ({ url }: Client, path: string): Promise<string> {
  const response = await fetch(`${url}/__admin/ui${path}`, { headers: { accept: 'text/html' } })
  return (await response.text()).replaceAll('&quot;', '"')
}

const withNumber = (number: string): any =>
  but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)

t.test('fields of two records are compared by name and value', async (t) => {
  const lines = compareRecords(
    { id: '1', provider: 'MTN', type: 'MMO', list: [1, {}], extra: true },
    { id: '1', payer: { correspondent: 'MTN' }, type: 'MSISDN', list: [1, {}] }
  )
  t.strictSame(
    lines.map(({ text, relation, otherName }) => [text, relation, otherName]),
    [
      ['{', 'same', undefined],
      ['  "id": "1",', 'same', undefined],
      ['  "provider": "MTN",', 'renamed', 'payer.correspondent'],
      ['  "type": "MMO",', 'changed', undefined],
      ['  "list": [', 'same', undefined],
      ['    1,', 'same', undefined],
      ['    {}', 'same', undefined],
      ['  ],', 'same', undefined],
      ['  "extra": true', 'alone', undefined],
      ['}', 'same', undefined]
    ]
  )
})

t.test('the timeline tells the cause of every event in words', async (t) => {
  const merchant = await receiver(t, [500])
  const mock = await build(t, { clock: 'frozen', callbackUrl: merchant.url })
  const body = withNumber(declined)
  await mock.call('POST', '/v2/deposits', body)
  await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
  await mock.call('GET', `/v2/deposits/${body.depositId}`)
  const page = await show(mock, `/payments/deposit/${body.depositId}`)
  const [timeline] = /<ol class="timeline"[^]*?<\/ol>/.exec(page) ?? ['']
  for (const text of [
    'POST /v2/deposits',
    'the request of the merchant was accepted',
    `${declined} is a sandbox test number: PAYMENT_NOT_APPROVED`,
    'attempt 1: 500',
    'attempt 2: 200',
    `GET /v2/deposits/${body.depositId}`
  ]) {
    t.match(timeline, text)
  }
})

t.test('an answer on the phone is an event of the customer', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const body: any = { ...withNumber('260763459993'), metadata: [{ momock: 'phone' }] }
  await mock.call('POST', '/v2/deposits', body, { 'x-momock-scenario': 'phone' })
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const path = `/__admin/phone/260763459993/deposits/${body.depositId}`
  await mock.call('POST', path, { decision: 'approve' })
  const page = await show(mock, `/payments/deposit/${body.depositId}`)
  t.match(page, /lane-phone"[^]*COMPLETED[^]*customer/)
  const [, phone] = /href="(\/__admin\/phone\/[^"]*)"/.exec(page) ?? []
  t.match(await (await fetch(mock.url + phone.replaceAll('&amp;', '&'))).json(), {
    phoneNumber: '260763459993'
  })
})

t.test('signatures of callbacks are explained as of the time they were sent', async (t) => {
  const merchant = await receiver(t)
  const systemClock = { time: Date.now(), now: () => systemClock.time }
  const mock = await build(t, { callbackUrl: merchant.url, clock: 'frozen' }, systemClock)
  const body = withNumber('260763456789')
  await mock.call('POST', '/v2/deposits', body)
  const send = (order: object) =>
    mock.call('POST', `/__admin/payments/deposit/${body.depositId}/callbacks`, order)
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  for (const fault of ['tampered', 'wrongKey', 'otherHost', 'stale']) await send({ [fault]: true })
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  systemClock.time += 3_600_000
  const page = await show(mock, `/payments/deposit/${body.depositId}`)
  const explained = page.split('id="signature-').slice(1)
  t.match(explained, [
    /valid</,
    /digest/,
    /the signature does not match the signature base/,
    /the signature is for host other-shop.example, the request came to 127.0.0.1/,
    /expired \d+ s/
  ])
  t.notMatch(explained[0], /not valid/)
  for (const text of ['@authority', 'content-digest', '"@method": POST', 'Signature base']) {
    t.match(explained[0], text)
  }
  t.match(page, /POST \/[^\n]* HTTP\/1.1\nhost: 127.0.0.1/)
})

t.test('every attempt is explained: the latest at once, earlier ones by a link', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  await mock.call('PUT', '/__admin/sink/shop', { then: 500 })
  await mock.call('PATCH', '/__admin/account', {
    callbacks: { deposits: `${mock.url}/__admin/sink/shop` }
  })
  const body = withNumber('260763456789')
  const path = `/payments/deposit/${body.depositId}`
  await mock.call('POST', '/v2/deposits', body)
  await mock.call('POST', '/__admin/clock/advance', { by: '20m' })
  await mock.call('POST', `/__admin${path}/callbacks`, { wrongKey: true })
  await mock.call('POST', '/__admin/clock/advance', { by: '20m' })
  const { callbacks } = (await mock.call('GET', `/__admin${path}`)).body
  const attempts: string[] = callbacks.flatMap(({ id, attempts }: any) =>
    attempts.map((_attempt: unknown, n: number) => `signature-${id}-${n + 1}`)
  )
  const explained = (page: string): string[] =>
    [...page.matchAll(/id="(signature-\d+-\d+)"/g)].map(([, id]) => id)
  const page = await show(mock, path)
  t.ok(attempts.length > 20, `${attempts.length} attempts`)
  t.strictSame(explained(page), attempts.slice(-20))
  const links = page.match(/href="[^"]*\?callback=1#callback-1">Explain the signature/g) ?? []
  t.equal(links.length, attempts.length - 20)
  const linked = await show(mock, `${path}?callback=1`)
  t.strictSame(explained(linked), attempts)
  t.match(linked, /id="callback-1" open/)
})

t.test('buttons are the legal moves, and calls that the API has', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  await mock.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  const payout = requests.v2.payout!()
  await mock.call('POST', '/v2/payouts', payout)
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const queued = await show(mock, `/payments/payout/${payout.payoutId}`)
  for (const label of ['Process', 'Complete', 'Fail', 'Cancel', 'Send']) {
    t.match(queued, `<button>${label}`)
  }
  t.match(queued, /<option value="RECIPIENT_NOT_FOUND">/)
  t.notMatch(queued, /<button>(Refund|Enqueue)</)

  const deposit = withNumber('260763456789')
  await mock.call('POST', '/v2/deposits', deposit)
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const refund = { refundId: id(), depositId: deposit.depositId }
  await mock.call('POST', '/v2/refunds', refund)
  const paid = await show(mock, `/payments/deposit/${deposit.depositId}`)
  t.match(paid, /<button>Refund/)
  t.match(paid, `/__admin/ui/payments/refund/${refund.refundId}`)
  t.match(
    await show(mock, `/payments/refund/${refund.refundId}`),
    new RegExp(`Belongs to[^]*/payments/deposit/${deposit.depositId}`)
  )
})

t.test('pages of the customer are linked', async (t) => {
  const mock = await build(t)
  const checkoutId = id()
  const returnUrl = 'https://shop.example/back'
  const opened = await mock.call('POST', '/v2/checkouts', { checkoutId, returnUrl })
  t.match(await show(mock, `/payments/checkout/${checkoutId}`), opened.body.redirectUrl)
  const depositId = id()
  const { body } = await mock.call('POST', '/v2/paymentpage', { depositId, returnUrl })
  await mock.call('POST', '/v2/deposits', { ...withNumber('260763456789'), depositId })
  t.match(await show(mock, `/payments/deposit/${depositId}`), body.redirectUrl)
})

t.test('a payment full of markup is shown as text', async (t) => {
  const merchant = await receiver(t)
  const mock = await build(t, { callbackUrl: merchant.url })
  const body = {
    ...withNumber('260763456789'),
    clientReferenceId: markup,
    metadata: [{ note: markup }]
  }
  await mock.call('POST', `/v2/deposits?${encodeURIComponent(markup)}`, body, {
    'user-agent': markup
  })
  await until(
    async () => (await mock.call('GET', '/__admin/callbacks')).body.callbacks,
    ([callback]) => callback?.state === 'ACKNOWLEDGED'
  )
  for (const path of [
    `/payments/deposit/${body.depositId}`,
    `/payments?search=${encodeURIComponent(markup)}&provider=${encodeURIComponent(markup)}`
  ]) {
    const response = await fetch(`${mock.url}/__admin/ui${path}`, {
      headers: { accept: 'text/html' }
    })
    const page = await response.text()
    t.match(page, '&lt;script&gt;alert(1)')
    t.notMatch(page, '<script>alert', path)
  }
})

t.test('the slider shows record, wallets and callbacks of each moment', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  await mock.call('PATCH', '/__admin/account', {
    callbacks: { deposits: `${mock.url}/__admin/sink/shop` }
  })
  const body = withNumber('260763456789')
  await mock.call('POST', '/v2/deposits', body)
  await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
  const path = `/payments/deposit/${body.depositId}`
  for (const [moment, status, entries, callbacks] of [
    [0, 'ACCEPTED', 0, 0],
    [1, 'PROCESSING', 0, 0],
    [2, 'COMPLETED', 2, 1]
  ] as const) {
    const { body } = await mock.call('GET', `/__admin${path}?moment=${moment}`)
    t.match(body, { status, moments: 3, legalMoves: { length: 0 }, record: { status } })
    t.match([body.entries.length, body.callbacks.length], [entries, callbacks], status)
    const page = await show(mock, `${path}?moment=${moment}`)
    t.match(page, `Moment ${moment + 1} of 3`)
    t.notMatch(page, 'aria-label="Actions"', 'nothing can be changed')
  }
})
