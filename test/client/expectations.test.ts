import t from 'tap'
import { ExpectationFailed, type MomockClient } from '../../src/index.ts'
import { but, requests } from '../support/examples.ts'
import { createMomock } from '../support/momock.ts'

const deposit = (amount: string) => but(requests.v2.deposit!(), 'amount', amount)

async function pay ({ url, token }: MomockClient, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await fetch(`${url}/v2/deposits`, { method: 'POST', headers, body: JSON.stringify(body) })
}

t.test('expect() throws with the nearest candidate and its differences', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  const body = deposit('15.00')
  await pay(mock, body)
  await mock.advance('1m')
  await mock.expect(
    { request: { path: '/v2/deposits' }, count: 1 },
    { payment: { kind: 'deposit', amount: 15, status: 'COMPLETED' } }
  )
  const error = await mock
    .expect(
      {
        name: 'the order is paid',
        payment: { kind: 'deposit', amount: '16', status: 'COMPLETED' }
      },
      { request: { path: '/v2/deposits', body: { amount: '2' } } },
      { request: { path: '/v2/deposits' }, atMost: 0 }
    )
    .catch((error: unknown) => error)
  t.ok(error instanceof ExpectationFailed)
  t.match(error, { failed: [{ index: 0 }, { index: 1 }, { index: 2 }] })
  const other = 'expectation 2: request {"path":"/v2/deposits","body":{"amount":"2"}}'
  t.equal(
    String(error),
    `ExpectationFailed: the order is paid: at least 1 payment expected, 0 seen
nearest: deposit ${body.depositId} 15.00 ZMW MTN_MOMO_ZMB COMPLETED
  amount: wanted "16", got "15.00"

${other}: at least 1 request expected, 0 seen
nearest: POST /v2/deposits 200
  body.amount: wanted "2", got "15.00"

expectation 3: request {"path":"/v2/deposits"}: exactly 0 requests expected, 1 seen`
  )
})

t.test('a matcher with a value that JSON leaves out is refused', async (t) => {
  await using mock = await createMomock({ clock: 'frozen', callbackUrl: 'http://127.0.0.1:9/' })
  await pay(mock, deposit('15.00'))
  await mock.advance('1m')
  const order: { id?: string; amount?: string } = {}
  const opposite = { id: (await mock.payments())[0].id, amount: '15.00' }
  /** Calls that nothing of the order may let pass, each with the field that is refused. */
  const calls: Array<[field: RegExp, call: (known: typeof order) => Promise<unknown>]> = [
    [
      /^verify\(\): expectations\.0\.payment\.id is undefined, /,
      ({ id }) => mock.expect({ payment: { kind: 'deposit', id, status: 'COMPLETED' } })
    ],
    [
      /^verify\(\): expectations\.0\.request\.body\.amount is undefined, /,
      ({ amount }) => mock.expect({ request: { path: '/v2/deposits', body: { amount } } })
    ],
    [
      /^verify\(\): expectations\.0\.inOrder\.1\.payment\.id is undefined, /,
      ({ id }) => mock.expect({ inOrder: [{ request: {} }, { payment: { id } }] })
    ],
    [
      /^verify\(\): expectations\.0\.request\.body\.amount is NaN, /,
      ({ amount }) =>
        mock.expect({
          request: { body: { amount: amount ?? Number.NaN } },
          [amount === undefined ? 'atMost' : 'count']: Number(amount !== undefined)
        })
    ],
    [
      /^verify\(\): expectations\.0\.request\.body\.amount is the function String, /,
      ({ amount = String }) => mock.expect({ request: { body: { amount } } })
    ],
    [/^waitForPayment\(\): matcher\.id is undefined, /, ({ id }) => mock.waitForPayment({ id })],
    [
      /^waitForCallback\(\): matcher\.paymentId is undefined, /,
      ({ id: paymentId }) => mock.waitForCallback({ paymentId })
    ],
    [
      /^waitForRequest\(\): matcher\.body\.amount is undefined, /,
      ({ amount }) => mock.waitForRequest({ body: { amount } })
    ],
    [
      /^count\(\): matcher\.body\.amount is undefined, /,
      ({ amount }) => mock.count({ body: { amount } })
    ],
    [
      /^requests\(\): matcher\.body\.amount is undefined, /,
      ({ amount }) => mock.requests({ body: { amount } })
    ]
  ]
  for (const [field, call] of calls) {
    await t.rejects(call(order), { message: field, code: 'BAD_REQUEST' })
    await t.resolves(call(opposite), String(field))
  }
  await t.resolves(mock.expect({ request: { body: { amount: '15.00' } }, count: undefined }))
  await t.rejects(mock.verify(undefined as never), /expectations is required/)
})
