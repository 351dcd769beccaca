import t from 'tap'
import { requests } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Hints for the mistakes that real clients make. */

t.test('a wrong address gets the right one', async (t) => {
  const { call } = await openSandbox(t)
  const paymentId = id()
  const rows: Array<[method: string, path: string, hint: string]> = [
    ['GET', '/v2/active-configuration', 'did you mean GET /v2/active-conf?'],
    ['POST', '/v1/deposits', 'v1 has no prefix, so use POST /deposits'],
    ['GET', `/v1/deposits/${paymentId}`, `v1 has no prefix, so use GET /deposits/${paymentId}`],
    ['POST', '/v1/payouts/bulk', 'v1 has no prefix, so use POST /payouts/bulk'],
    ['GET', '/v1/active-conf', 'v1 has no prefix, so use GET /active-conf'],
    ['POST', '/v2/deposit', 'did you mean POST /v2/deposits?'],
    ['GET', '/v1/nothing-like-it', 'did you mean GET ']
  ]
  for (const [method, path, hint] of rows) {
    const { status, body } = await call(method, path)
    t.equal(status, 404, path)
    t.match(JSON.stringify(body), hint, path)
  }
})

t.test('a body of the other version is recognised', async (t) => {
  const { call } = await openSandbox(t)
  const v2 = await call('POST', '/v2/deposits', requests.v1.deposit!())
  t.equal(v2.status, 400)
  t.match(
    v2.body.failureReason.failureMessage,
    /; this is a body of v1, which POST \/deposits takes/
  )
  const v1 = await call('POST', '/deposits', requests.v2.deposit!())
  t.equal(v1.status, 400)
  t.match(v1.body.errorMessage, /; this is a body of v2, which POST \/v2\/deposits takes/)
  const refund = { ...requests.v2.refund!(), metadata: [{ fieldName: 'orderId', fieldValue: '1' }] }
  t.match(
    (await call('POST', '/v2/refunds', refund)).body.failureReason.failureMessage,
    /This is the form of v1; in v2, write {"orderId":"1"}$/
  )
  const neither = await call('POST', '/v2/deposits', { depositId: id() })
  t.notMatch(neither.body.failureReason.failureMessage, /this is a body of/)
})

t.test('a wrong provider code gets the right one', async (t) => {
  const { call } = await openSandbox(t)
  for (const [wrong, right] of [
    ['ORANGE_MONEY_CMR', 'ORANGE_CMR'],
    ['MTN_GHA', 'MTN_MOMO_GHA'],
    ['AIRTEL_OAPI_COG', 'AIRTEL_COG'],
    ['mtn_zmb', 'MTN_MOMO_ZMB']
  ]) {
    const deposit = requests.v2.deposit!()
    deposit.payer.accountDetails.provider = wrong
    const { body } = await call('POST', '/v2/deposits', deposit)
    t.match(body.failureReason.failureMessage, `did you mean ${right}?`)
  }
  const deposit = requests.v2.deposit!()
  deposit.payer.accountDetails.provider = 'NOBODY_XXX'
  const { body } = await call('POST', '/v2/deposits', deposit)
  t.match(body.failureReason.failureMessage, /the active configuration lists/)
})
