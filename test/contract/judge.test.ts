import t from 'tap'
import { judgeAnswer, judgeCallback, readCallback } from './judge.ts'

/** The judge refuses what the contract does not have. */

const id = '0b5c6a5e-6d0f-4a51-9e5a-7a0d1c2b3a49'
const created = '2026-01-31T12:00:00Z'
const accepted = { depositId: id, status: 'ACCEPTED', nextStep: 'FINAL_STATUS', created }
const failureReason = { failureCode: 'INVALID_AMOUNT', failureMessage: 'too many decimals' }
const unknown = { failureCode: 'UNKNOWN_ERROR', failureMessage: 'an error of ours' }
const payer = {
  type: 'MMO',
  accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
}
const completed = {
  depositId: id,
  status: 'COMPLETED',
  amount: '15.00',
  currency: 'ZMW',
  country: 'ZMB',
  payer,
  customerMessage: 'Order 1234',
  created,
  providerTransactionId: 'T-1'
}
const notApproved = { failureCode: 'PAYMENT_NOT_APPROVED', failureMessage: 'no' }
const { providerTransactionId: _, ...open } = completed
const completedInV1 = {
  depositId: id,
  status: 'COMPLETED',
  requestedAmount: '15.00',
  depositedAmount: '15.00',
  currency: 'ZMW',
  country: 'ZMB',
  correspondent: 'MTN_MOMO_ZMB',
  payer: { type: 'MSISDN', address: { value: '260763456789' } },
  statementDescription: 'Order 1234',
  customerTimestamp: '2026-01-31T11:59:59.5+02:00',
  created,
  respondedByPayer: created,
  correspondentIds: { MTN_INIT: 'T-1' }
}

/** The object without a field. */
function without (body: object, name: string): object {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}

t.test('what keeps the contract passes', async (t) => {
  const error = { errorId: id, errorCode: 2, errorMessage: 'the token is not known' }
  for (const [method, path, status, body] of [
    ['POST', '/v2/deposits', 200, accepted],
    ['POST', '/v2/deposits', 200, { depositId: '', status: 'REJECTED', failureReason }],
    ['GET', `/v2/deposits/${id}?x=1`, 200, { status: 'FOUND', data: completed }],
    ['GET', `/v2/deposits/${id}`, 200, { status: 'NOT_FOUND' }],
    ['GET', `/deposits/${id}`, 200, [completedInV1]],
    ['GET', `/deposits/${id}`, 200, []],
    ['GET', `/deposits/${id}`, 401, error],
    ['GET', '/__admin/anything', 200, { not: 'judged' }]
  ] as const) {
    t.equal(judgeAnswer(method, path, status, body), undefined, `${method} ${path}`)
  }
  for (const body of [completed, { ...open, status: 'FAILED', failureReason: notApproved }]) {
    t.equal(judgeCallback('depositId', 'v2', body), undefined)
  }
  t.equal(judgeCallback('depositId', 'v1', completedInV1), undefined)
  t.same(readCallback(completed), ['depositId', 'v2'])
  t.same(readCallback(completedInV1), ['depositId', 'v1'])
})

t.test('each wrong answer is refused', async (t) => {
  const [initiate, lookup] = ['POST /v2/deposits', `GET /v2/deposits/${id}`]
  const found = (data: object): object => ({ status: 'FOUND', data })
  const rows: Array<[call: string, status: number, body: unknown, says: RegExp]> = [
    [initiate, 200, without(accepted, 'created'), /has no created/],
    [initiate, 200, without(accepted, 'status'), /status is undefined/],
    [initiate, 200, { ...accepted, status: 'ENQUEUED' }, /status is "ENQUEUED"/],
    [initiate, 200, { ...accepted, created: '2026-01-31T12:00:00.250Z' }, /no timestamp/],
    [initiate, 200, { ...accepted, created: '2026-01-31T12:00:00+00:00' }, /no timestamp/],
    [initiate, 200, { ...accepted, fee: '1' }, /a field fee/],
    [initiate, 200, { ...accepted, failureReason }, /a field failureReason/],
    [initiate, 200, { ...accepted, depositId: 'x' }, /no uuid/],
    [initiate, 200, { ...accepted, nextStep: 'WAIT' }, /nextStep is "WAIT"/],
    [initiate, 200, [accepted], /must be an object/],
    [initiate, 200, null, /must be an object/],
    [initiate, 200, { depositId: id, status: 'REJECTED', created }, /has no failureReason/],
    [
      initiate,
      200,
      { status: 'REJECTED', failureReason: { ...failureReason, failureCode: 'NO_LUCK' } },
      /failureCode is "NO_LUCK"/
    ],
    [
      'POST /v2/payouts',
      200,
      { depositId: id, status: 'ACCEPTED', created },
      /has no payoutId/
    ],
    [initiate, 201, accepted, /status 201/],
    [initiate, 500, { status: 'REJECTED', failureReason: unknown }, /a field status/],
    [lookup, 200, { status: 'FOUND' }, /has no data/],
    [lookup, 200, { status: 'NOT_FOUND', data: completed }, /a field data/],
    [lookup, 200, found({ ...completed, amount: 15 }), /amount is 15/],
    [lookup, 200, found({ ...completed, amount: '015.00' }), /no amount/],
    [lookup, 200, found({ ...completed, currency: 'zmw' }), /no currency/],
    [lookup, 200, found({ ...completed, failureReason: notApproved }), /a field failureReason/],
    [lookup, 200, found({ ...open, status: 'FAILED' }), /has no failureReason/],
    [lookup, 200, found({ ...completed, status: 'SUBMITTED' }), /status is "SUBMITTED"/],
    [lookup, 200, found({ ...completed, metadata: [{ a: 'b' }] }), /must be an object/],
    [lookup, 200, found({ ...completed, metadata: { a: 1 } }), /a is 1/],
    [lookup, 200, found({ ...completed, payer: { ...payer, type: 'MSISDN' } }), /"MSISDN"/],
    [`GET /deposits/${id}`, 200, [completedInV1, completedInV1], /has 2 elements/],
    [`GET /deposits/${id}`, 200, [{ ...completedInV1, status: 'PROCESSING' }], /"PROCESSING"/],
    [
      `GET /deposits/${id}`,
      401,
      { errorId: id, errorCode: 1, errorMessage: 'no token' },
      /errorCode is 1/
    ],
    ['POST /payouts/bulk', 200, [], /has 0 elements/],
    ['GET /v2/nothing', 200, {}, /answers 200/]
  ]
  for (const [call, status, body, says] of rows) {
    const [method, path] = call.split(' ')
    t.match(judgeAnswer(method, path, status, body) ?? '', says, `${call} ${says.source}`)
  }
})

t.test('each wrong callback is refused', async (t) => {
  for (const [body, says] of [
    [open, /has no providerTransactionId/],
    [{ ...open, status: 'ACCEPTED' }, /status is "ACCEPTED"/],
    [{ ...open, status: 'PROCESSING' }, /has no nextStep/],
    [{ ...open, status: 'FAILED' }, /has no failureReason/],
    [{ status: 'FOUND', data: completed }, /no callback that begins with 'status'/],
    [{ ...completed, bonus: 1 }, /a field bonus/],
    [without(completedInV1, 'respondedByPayer'), /has no respondedByPayer/],
    [{ ...completedInV1, amount: '15.00' }, /a field amount/]
  ] as const) {
    t.match(judgeCallback(...readCallback({ ...body }), body) ?? '', says)
  }
})
