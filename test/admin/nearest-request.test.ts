import t from 'tap'
import { but, requests } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The valid request that is nearest to a refused one. */

const deposit = requests.v2.deposit!
const payer = (phoneNumber: string, provider: string) => ({
  type: 'MMO',
  accountDetails: { phoneNumber, provider }
})
const good = '260763456789'

const refused: Array<
  [what: string, method: string, path: string, body: unknown, change: RegExp | string]
> = [
  ['a wrong path', 'POST', '/v2/deposit', deposit(), '/v2/deposits in place of /v2/deposit'],
  ['a wrong method', 'PUT', '/v2/payouts', requests.v2.payout!(), 'POST in place of PUT'],
  [
    'a misspelled field',
    'POST',
    '/v2/deposits',
    { ...but(deposit(), 'amount'), amuont: '15' },
    'amount in place of amuont'
  ],
  [
    'an unknown field',
    'POST',
    '/v2/deposits',
    { ...deposit(), colour: 'red' },
    'colour is left out'
  ],
  ['a missing object', 'POST', '/v2/deposits', but(deposit(), 'payer'), 'payer is added'],
  [
    'an amount that is a number',
    'POST',
    '/v2/deposits',
    { ...deposit(), amount: 15 },
    'amount is "15" in place of 15'
  ],
  [
    'an identifier that is no UUID',
    'POST',
    '/v2/deposits',
    { ...deposit(), depositId: '42' },
    /^depositId is ".{36}" in place of "42"$/
  ],
  ['no JSON', 'POST', '/v2/deposits', undefined, 'payer is added'],
  [
    'a number of another country',
    'POST',
    '/v2/deposits',
    { ...deposit(), payer: payer('254712345678', 'MTN_MOMO_ZMB') },
    /phoneNumber is "260\d{9}"/
  ],
  [
    'a misspelled provider',
    'POST',
    '/v2/deposits',
    { ...deposit(), payer: payer(good, 'MTN_MOMO_ZMBX') },
    /provider is "MTN_MOMO_ZMB"/
  ],
  [
    'another currency',
    'POST',
    '/v2/deposits',
    { ...deposit(), currency: 'KES' },
    'currency is "ZMW" in place of "KES"'
  ],
  [
    'an amount above the maximum',
    'POST',
    '/v2/deposits',
    { ...deposit(), amount: '999999999' },
    /^amount is "\d+(\.\d+)?" in place of "999999999"$/
  ],
  [
    'a wrong amount in v1',
    'POST',
    '/deposits',
    { ...requests.v1.deposit!(), amount: '0.001' },
    /^amount is/
  ],
  [
    'a misspelled correspondent',
    'POST',
    '/payouts',
    { ...requests.v1.payout!(), correspondent: 'MTN_MOMO_ZBM' },
    /correspondent is "MTN_MOMO_ZMB"/
  ]
]

t.test('the nearest request is accepted, and names its changes', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  for (const [what, method, path, body, change] of refused) {
    await call(method, path, body)
    const [entry] = (await call('GET', '/__admin/requests?nearest=true&limit=1')).body.requests
    t.ok(entry.nearest, what)
    t.ok(
      entry.nearest?.changes.some((text: string) =>
        typeof change === 'string' ? text === change : change.test(text)
      ),
      `${what}: ${entry.nearest?.changes.join('; ')}`
    )
    const answer = await call(entry.nearest.method, entry.nearest.path, entry.nearest.body)
    t.match(answer, { status: 200, body: { status: 'ACCEPTED' } }, what)
  }
})

t.test('a request that no change of its own can help has no nearest one', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const closed = { DEPOSIT: 'CLOSED' }
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', closed)
  await call('POST', '/v2/deposits', deposit())
  await call('GET', `/v2/deposits/${id()}`)
  const { requests: entries } = (await call('GET', '/__admin/requests?nearest=true')).body
  t.strictSame(
    entries.map(({ nearest }: { nearest?: object }) => nearest),
    [undefined, undefined]
  )
})

t.test('requests are listed by outcome', async (t) => {
  const { call } = await openSandbox(t)
  await call('POST', '/v2/deposits', deposit())
  await call('POST', '/v2/deposits', { ...deposit(), currency: 'KES' })
  await call('POST', '/v2/deposits', {})
  await call('GET', '/nowhere')
  const statuses = async (outcome: string): Promise<number[]> =>
    (await call('GET', `/__admin/requests?outcome=${outcome}`)).body.requests.map(
      ({ response }: { response: { status: number } }) => response.status
    )
  t.strictSame(await statuses('refused'), [404, 400, 200])
  t.strictSame(await statuses('accepted'), [200])
  t.match(await call('GET', '/__admin/requests?outcome=lost'), {
    status: 400,
    body: { error: { message: /outcome must be/ } }
  })
})
