import t, { type Test } from 'tap'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, id, receiver, testMachine, type Mock } from '../support/helper.ts'

/** Amounts in records, callbacks and verification. */

async function frozen (t: Test, options = {}): Promise<Mock> {
  return await build(t, { clock: 'frozen', ...options }, testMachine())
}

const advance = (call: Mock['call'], by = '5s') => call('POST', '/__admin/clock/advance', { by })

t.test('records and callbacks print amounts in the style of the account', long, async (t) => {
  const styles: Array<[amounts: unknown, sent: string, printed: string, called?: string]> = [
    [undefined, '15', '15.00'],
    ['two', '15.5', '15.50'],
    ['two', '15.0', '15.00'],
    ['four', '15', '15.0000'],
    ['sent', '15', '15'],
    ['sent', '15.0', '15.0'],
    [{ callbacks: 'four' }, '15', '15.00', '15.0000'],
    [{ records: 'sent' }, '15', '15', '15.00'],
    [{ records: 'four', callbacks: 'sent' }, '15', '15.0000', '15'],
    [{}, '15', '15.00']
  ]
  for (const [amounts, sent, printed, called = printed] of styles) {
    const title = `${JSON.stringify(amounts) ?? 'by default'}: ${sent}`
    const merchant = await receiver(t)
    const { call } = await frozen(t, { callbackUrl: merchant.url })
    if (amounts !== undefined) await call('PATCH', '/__admin/account', { amounts })
    const v2 = but(requests.v2.deposit!(), 'amount', sent)
    const v1 = but(requests.v1.deposit!(), 'amount', sent)
    const payout = but(requests.v1.payout!(), 'amount', sent)
    await call('POST', '/v2/deposits', v2)
    await call('POST', '/deposits', v1)
    await call('POST', '/payouts', payout)
    await advance(call)
    t.equal((await call('GET', `/v2/deposits/${v2.depositId}`)).body.data.amount, printed, title)
    const [record] = (await call('GET', `/deposits/${v1.depositId}`)).body
    t.equal(record.requestedAmount, printed, `${title}, requestedAmount of v1`)
    t.equal(record.depositedAmount, printed, `${title}, depositedAmount of v1`)
    t.equal((await call('GET', `/payouts/${payout.payoutId}`)).body[0].amount, printed)
    while (merchant.received.length < 3) await merchant.next()
    for (const { body } of merchant.received) {
      t.equal(body.amount ?? body.requestedAmount, called, `${title}, callback`)
    }
  }
})

t.test('the records of all kinds print two decimals', async (t) => {
  const { call } = await frozen(t)
  const [deposit, payout, remittance] = (['deposit', 'payout', 'remittance'] as const).map((kind) =>
    but(requests.v2[kind]!(), 'amount', '15')
  )
  const payoutId = id()
  const split = {
    splitPaymentId: id(),
    ...{ amount: '15', currency: 'ZMW', payer: deposit.payer },
    splits: [{ payoutId, amount: '5', recipient: payout.recipient }]
  }
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/v2/payouts', payout)
  await call('POST', '/v2/remittances', remittance)
  await call('POST', '/v2/split-payments', split)
  await advance(call)
  const refundId = id()
  const { depositId } = deposit
  await call('POST', '/v2/refunds', { refundId, depositId, amount: '5', currency: 'ZMW' })
  const rows: Array<[path: string, amount: string]> = [
    [`payouts/${payout.payoutId}`, '15.00'],
    [`remittances/${remittance.remittanceId}`, '15.00'],
    [`split-payments/${split.splitPaymentId}`, '15.00'],
    [`payouts/${payoutId}`, '5.00'],
    [`refunds/${refundId}`, '5.00']
  ]
  for (const [path, amount] of rows) {
    t.equal((await call('GET', `/v2/${path}`)).body.data.amount, amount, path)
  }
  const { data } = (await call('GET', `/v2/split-payments/${split.splitPaymentId}`)).body
  t.equal(data.splits[0].amount, '5.00')
  t.equal((await call('GET', `/refunds/${refundId}`)).body[0].amount, '5.00')
  t.equal(
    (await call('GET', `/__admin/payments/deposit/${depositId}`)).body.amount,
    '15.00',
    'the admin API'
  )
})

t.test('verification compares amounts as numbers', async (t) => {
  const { call } = await frozen(t)
  await call('POST', '/v2/deposits', but(requests.v2.deposit!(), 'amount', '15.0'))
  const rows: Array<[amount: unknown, passed: boolean]> = [
    ['15', true],
    ['15.00', true],
    ['15.0000', true],
    [15, true],
    [15.5, false],
    ['15.001', false],
    ['150', false],
    [true, false]
  ]
  for (const [amount, passed] of rows) {
    const request = { method: 'POST', path: '/v2/deposits', body: { amount } }
    const { body } = await call('POST', '/__admin/verify', { expectations: [{ request }] })
    t.equal(body.passed, passed, JSON.stringify(amount))
  }
})

t.test('the amounts of a checkout stay as sent, those of its attempts do not', async (t) => {
  const { call } = await frozen(t)
  const body = {
    checkoutId: id(),
    returnUrl: 'https://shop.example/back',
    amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '15' }]
  }
  const { checkoutCode } = (await call('POST', '/v2/checkouts', body)).body
  await call('POST', `/checkout/${checkoutCode}/attempts`, {
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763459993'
  })
  const { data } = (await call('GET', `/v2/checkouts/${body.checkoutId}`)).body
  t.strictSame(data.amounts, body.amounts)
  t.equal(data.deposit.amount, '15.00')
})

t.test('pages show two decimals', async (t) => {
  const { app, call } = await frozen(t)
  const show = async (url: string) => {
    const { pathname } = new URL(url, 'http://127.0.0.1')
    const page = await app.http.inject({ url: pathname, headers: { accept: 'text/html' } })
    return { html: page.body, json: (await call('GET', pathname)).body }
  }
  const returnUrl = 'https://shop.example/back'
  const opened = (
    await call('POST', '/v2/paymentpage', {
      ...{ depositId: id(), returnUrl, country: 'ZMB' },
      amountDetails: { amount: '15', currency: 'ZMW' }
    })
  ).body
  const paymentPage = await show(opened.redirectUrl)
  t.match(paymentPage.html, /class="price">15\.00 ZMW</)
  t.equal(paymentPage.json.amountDetails.amount, '15.00')

  const amounts = [{ country: 'ZMB', currency: 'ZMW', amount: '15' }]
  const { redirectUrl } = (
    await call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl, amounts })
  ).body
  t.match((await show(redirectUrl)).html, /Pay 15\.00 ZMW</)

  const deposit = {
    ...{ depositId: id(), amount: '500', currency: 'XOF' },
    payer: { type: 'MMO', accountDetails: { phoneNumber: '221773459993', provider: 'WAVE_SEN' } },
    ...{ successfulUrl: returnUrl, failedUrl: returnUrl }
  }
  await call('POST', '/v2/deposits', deposit)
  await advance(call, '100ms')
  const { data } = (await call('GET', `/v2/deposits/${deposit.depositId}`)).body
  const authorisation = await show(data.authorizationUrl)
  t.match(authorisation.html, /class="price">500\.00 XOF</)
  t.equal(authorisation.json.amount, '500.00')
})
