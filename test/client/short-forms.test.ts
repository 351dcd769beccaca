import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { MomockClient, PayableKind } from '../../src/index.ts'
import { requests } from '../support/examples.ts'
import { receiver } from '../support/helper.ts'
import { createMomock } from '../support/momock.ts'

/** Answer to an initiation: an HTTP error, or the status of the payment. */
type Initiated = { id: string; http: number; status?: string; code?: string } | 'no answer'

async function initiate (
  { url, token }: MomockClient,
  kind: 'deposit' | 'payout' = 'deposit'
): Promise<Initiated> {
  const body = { ...(requests.v2[kind]!() as Record<string, unknown>), [`${kind}Id`]: randomUUID() }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v2/${kind}s`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body)
  }).catch(() => undefined)
  if (response === undefined) return 'no answer'
  const { status, failureReason } = (await response.json()) as {
    status?: string
    failureReason?: { failureCode: string }
  }
  const id = String(body[`${kind}Id`])
  return { id, http: response.status, status, code: failureReason?.failureCode }
}

/** What the next payment comes to, with the changes that a short form makes. */
const rows: Array<
  [
    name: string,
    affect: (mock: MomockClient) => Promise<unknown>,
    kind: 'deposit' | 'payout',
    expected: object | 'no answer',
    payments: object[]
  ]
> = [
  [
    'fail',
    (mock) => mock.fail('deposit', 'INSUFFICIENT_BALANCE', { after: '5s' }),
    'deposit',
    { status: 'ACCEPTED' },
    [{ status: 'FAILED', failureCode: 'INSUFFICIENT_BALANCE' }]
  ],
  [
    'complete',
    async (mock) => {
      await mock.fail('payout', 'RECIPIENT_NOT_FOUND')
      await mock.complete('payout', { when: { provider: 'MTN_MOMO_ZMB' } })
    },
    'payout',
    { status: 'ACCEPTED' },
    [{ status: 'COMPLETED' }]
  ],
  [
    'keepPending',
    (mock) => mock.keepPending('deposit'),
    'deposit',
    { status: 'ACCEPTED' },
    [{ status: 'PROCESSING' }]
  ],
  [
    'enqueue',
    (mock) => mock.enqueue('payout', '2h'),
    'payout',
    { status: 'ACCEPTED' },
    [{ status: 'ENQUEUED' }]
  ],
  [
    'reject',
    (mock) => mock.reject('payout', 'PAWAPAY_WALLET_OUT_OF_FUNDS'),
    'payout',
    { status: 'REJECTED', code: 'PAWAPAY_WALLET_OUT_OF_FUNDS' },
    []
  ],
  ['refuse', (mock) => mock.refuse('deposit', 503), 'deposit', { http: 503 }, []],
  [
    'delay',
    (mock) => mock.delay('deposit', '1ms'),
    'deposit',
    { status: 'ACCEPTED' },
    [{ status: 'COMPLETED' }]
  ],
  [
    'loseAnswer',
    (mock) => mock.loseAnswer('deposit'),
    'deposit',
    'no answer',
    [{ status: 'COMPLETED' }]
  ],
  [
    'outage',
    (mock) => mock.outage('MTN_MOMO_ZMB', { operations: ['DEPOSIT'] }),
    'deposit',
    { status: 'REJECTED', code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' },
    []
  ],
  [
    'outage that delays',
    (mock) => mock.outage('MTN_MOMO_ZMB', { state: 'DELAYED', for: '2h' }),
    'payout',
    { status: 'ACCEPTED' },
    [{ status: 'ENQUEUED' }]
  ]
]

t.test('short forms decide about the next payments', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  for (const [index, [name, affect, kind, expected, payments]] of rows.entries()) {
    const account = mock.as(`sandbox-${index}`)
    await affect(account)
    const initiated = await initiate(account, kind)
    if (expected === 'no answer') t.equal(initiated, expected, name)
    else t.match(initiated, expected, name)
    await account.advance('1h')
    t.equal((await account.payments()).length, payments.length, name)
    await account.expect(...payments.map((payment) => ({ name, payment })), {
      payment: {},
      count: payments.length
    })
  }
})

t.test('short forms decide about callbacks', async (t) => {
  const { url } = await receiver(t)
  await using mock = await createMomock({ clock: 'frozen', callbackUrl: url })
  const callbacks = async (): Promise<number> => {
    await initiate(mock)
    await mock.advance('1m')
    const sent = (await mock.callbacks()).filter(({ tries }) => tries > 0).length
    await mock.reset()
    return sent
  }
  t.equal(await callbacks(), 1)
  await mock.duplicateCallback('deposit', { duplicates: 2 })
  t.equal(await callbacks(), 3)
  await mock.dropCallback('deposit')
  t.equal(await callbacks(), 0)
  await mock.delayCallback('deposit', '10m')
  t.equal(await callbacks(), 0)
})

t.test('times and conditions limit a short form', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  await mock.reject('deposit', 'INVALID_AMOUNT', { times: 1, name: 'once' })
  await mock.reject('deposit', 'INVALID_CURRENCY', { when: { amount: { from: 1_000_000 } } })
  t.match(await initiate(mock), { code: 'INVALID_AMOUNT' })
  t.match(await initiate(mock), { status: 'ACCEPTED' })
  t.match(await mock.scenarios(), [{ used: 0 }, { name: 'once', used: 1, remaining: 0 }])
})

t.test('a checkout fails by a short form, too', async (t) => {
  await using mock = await createMomock()
  const kinds: PayableKind[] = ['deposit', 'payout', 'refund', 'remittance']
  for (const kind of kinds) await mock.fail(kind, 'UNSPECIFIED_FAILURE')
  t.match(await mock.fail('checkout', 'UNKNOWN_ERROR'), {
    when: { kind: 'checkout' },
    script: [{ to: 'FAILED', failureCode: 'UNKNOWN_ERROR' }]
  })
})

t.test("onUnmatched: 'throw' reports requests that matched nothing, once", async (t) => {
  const mock = await createMomock({ onUnmatched: 'throw', clock: 'frozen' })
  await mock.expect({ payment: {}, count: 0 })
  const get = async (path: string, token = mock.token): Promise<void> => {
    await fetch(mock.url + path, { headers: { authorization: `Bearer ${token}` } })
  }
  await get('/v2/depositz')
  await get('/deposits/1', 'unknown')
  await t.rejects(mock.expect({ payment: {}, count: 0 }), {
    code: 'UNMATCHED',
    message:
      'onUnmatched: 2 requests had no operation or no account:\n' +
      "GET /deposits/1 401: this token is not known; use the default account's token, or one of " +
      "your own: 'sandbox-' and 1 to 120 characters\n" +
      'GET /v2/depositz 404: GET /v2/depositz does not exist; did you mean POST /v2/deposits?'
  })
  await mock.expect({ payment: {}, count: 0 })
  await get('/v2/refundz')
  await t.rejects(mock.reset(), { message: /1 request had no .*\nGET \/v2\/refundz 404/ })
  const account = mock.as('sandbox-own')
  await get('/nothing', account.token)
  await mock.reset()
  await t.rejects(account.expectNoUnmatched(), /GET \/nothing/)
  await get('/v2/payoutz')
  await t.rejects(mock.close(), /GET \/v2\/payoutz/)
  await t.rejects(fetch(mock.url), 'it is stopped nevertheless')
})
