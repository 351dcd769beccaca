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
    ['GET', '/v1/nothing-like-it', 'did you mean GET '],
    ['POST', '/v1/payments', 'each kind has its own path: /v2/deposits, /v2/payouts, /v2/refunds'],
    ['GET', `/v2/payments/${paymentId}`, 'each kind has its own path'],
    ['GET', '/v1/signing-keys', 'use GET /v2/public-key/http (v1: GET /public-key/http)'],
    ['POST', '/v2/name-lookups', 'POST /v2/predict-provider finds the provider'],
    ['POST', '/v1/standard/name-lookup', 'there is no lookup of names']
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
  const neither = await call('POST', '/v2/deposits', { depositId: id() })
  t.notMatch(neither.body.failureReason.failureMessage, /this is a body of/)
})

t.test('a wrong provider code gets the right one', async (t) => {
  const { call } = await openSandbox(t)
  const listed = 'exists on the platform, not offered to merchants; '
  const rows: Array<[wrong: string, hint: string]> = [
    ['ORANGE_MONEY_CMR', 'no such provider; did you mean ORANGE_CMR?'],
    ['MTN_GHA', 'no such provider; did you mean MTN_MOMO_GHA?'],
    ['AIRTEL_OAPI_COG', 'no such provider; did you mean AIRTEL_COG?'],
    ['mtn_zmb', 'no such provider; did you mean MTN_MOMO_ZMB?'],
    ['AIRTEL_UGA', `${listed}did you mean AIRTEL_OAPI_UGA?`],
    ['AIRTEL_ZMB', `${listed}did you mean AIRTEL_OAPI_ZMB?`],
    ['AIRTEL_KEN', `${listed}did you mean MPESA_KEN?`],
    ['VODACOM_COD', `${listed}did you mean VODACOM_MPESA_COD?`],
    ['TNM_MPAMBA_MWI', `${listed}did you mean TNM_MWI?`],
    ['TELEBIRR_ETH', `${listed}did you mean MPESA_ETH?`],
    ['MPESA_V2_KEN', `${listed}did you mean MPESA_KEN?`],
    ['MOOV_CIV', `${listed}did you mean MTN_MOMO_CIV, ORANGE_CIV or WAVE_CIV?`],
    ['EXPRESSO_SEN', `${listed}did you mean FREE_SEN, ORANGE_SEN or WAVE_SEN?`],
    ['AFRICELL_COD', 'did you mean VODACOM_MPESA_COD, AIRTEL_COD or ORANGE_COD?'],
    ['MPESA_COD', 'no such provider; did you mean VODACOM_MPESA_COD?'],
    ['MTN_MOMO_COD', 'did you mean VODACOM_MPESA_COD, AIRTEL_COD or ORANGE_COD?'],
    ['MOOV_NER', 'no such provider; the active configuration lists the codes'],
    ['AIRTEL_MDG', 'no such provider; the active configuration lists the codes'],
    ['TMONEY_TGO', 'no such provider; did you mean TOGOCOM_TGO or MOOV_TGO?'],
    ['MTN_MOMO_GIN', 'no such provider; the active configuration lists the codes'],
    ['VODACOM_LSO', 'no such provider; did you mean MPESA_LSO?'],
    ['ZAMTEL_MOMO_ZMB', 'no such provider; did you mean ZAMTEL_ZMB?'],
    ['NOBODY_XXX', 'no such provider; the active configuration lists the codes']
  ]
  for (const [wrong, hint] of rows) {
    const deposit = requests.v2.deposit!()
    deposit.payer.accountDetails.provider = wrong
    const v2 = await call('POST', '/v2/deposits', deposit)
    t.match(v2.body.failureReason.failureMessage, hint, wrong)
    const v1 = await call('POST', '/deposits', { ...requests.v1.deposit!(), correspondent: wrong })
    t.match(v1.body.rejectionReason.rejectionMessage, hint, `${wrong}, v1`)
  }
  const { findings } = (await call('GET', '/__admin/lint')).body
  const corrected = findings.filter(({ rule }: any) => rule === 'unknown-provider')
  t.ok(corrected.length >= rows.length)
  for (const { message, equivalent } of corrected) {
    t.match(message, equivalent.body.payer.accountDetails.provider, 'lint corrects as it says')
  }
})
