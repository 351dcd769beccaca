import t from 'tap'
import { connectMomock, MomockError } from '../../src/index.ts'
import { requests } from '../support/examples.ts'
import { build, id, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Every refusal of the admin API names the problem and the fix. */

interface Operation {
  method: string
  path: string
  parameters: Array<{ in: string; name: string; example?: string }>
  example?: unknown
}

/** Every admin call of the reference that a token is needed for, where one is. */
async function operations ({ call }: Client): Promise<Operation[]> {
  const { body: document } = await call('GET', '/__admin/openapi.json')
  return Object.entries<any>(document.paths)
    .filter(([path]) => path.startsWith('/__admin/'))
    .flatMap(([path, item]) =>
      Object.entries<any>(item)
        .filter(([, { security }]) => security.length > 0)
        .map(([method, { parameters = [], requestBody }]) => ({
          method: method.toUpperCase(),
          path,
          parameters,
          ...(requestBody !== undefined && {
            example: requestBody.content['application/json'].example
          })
        }))
    )
}

const addressOf = ({ path, parameters }: Operation) =>
  path.replace(
    /\{(\w+)\}/g,
    (_, name) => parameters.find((parameter) => parameter.name === name)?.example ?? 'x'
  )

t.test('a request that does not match the schema is refused', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const all = await operations(mock)
  t.ok(all.length > 40)
  const refused = async (
    method: string,
    path: string,
    body: unknown,
    message: RegExp
  ): Promise<void> => {
    const {
      status,
      body: { error }
    } = await mock.call(method, path, body)
    t.match(
      { status, error },
      { status: 400, error: { code: 'BAD_REQUEST', message, hint: /\w+ \w+/ } },
      `${method} ${path} ${JSON.stringify(body)}`
    )
  }
  for (const operation of all) {
    const { method, parameters, example } = operation
    const path = addressOf(operation)
    if (example !== undefined) {
      await refused(method, path, '{ "half', /the body is not valid JSON/)
      // Calls with exactly one field are tried without others.
      const others = Array.isArray(example) || path.endsWith('/advance') ? {} : (example as object)
      await refused(method, path, { stranger: 1, ...others }, /stranger is not supported/)
      await refused(method, path, '"a text"', /the body must be|the body is/)
    }
    // Browsers open the links to a phone with any query.
    if (!path.includes('/phone/') && parameters.some((parameter) => parameter.in === 'query')) {
      await refused(method, `${path}?stranger=1`, example, /stranger is not supported/)
    }
  }
})

const unknown = '11111111-1111-4111-8111-111111111111'

const rows: Array<[call: string, body: unknown, status: number, message: RegExp, hint: RegExp]> = [
  ['PUT /clock', {}, 400, /mode is required/, /such as "mode": "running"/],
  [
    'PUT /clock',
    { mod: 'frozen' },
    400,
    /mode is required/,
    /did you mean mode where you wrote mod\?/
  ],
  ['PUT /clock', { mode: 'frozn' }, 400, /mode must be/, /did you mean frozen\?/],
  ['PUT /clock', { mode: 'frozen', now: 'noon' }, 400, /now must be/, /such as "now": "2026-/],
  ['POST /clock/advance', { by: 'soon' }, 400, /by must be a duration/, /such as "by": "10s"/],
  ['POST /clock/advance', { by: '367d' }, 400, /at most 366 days/, /several times/],
  [
    'POST /clock/advance',
    { to: '2001-01-01T00:00:00Z' },
    400,
    /to is before the time of the clock/,
    /PUT \/__admin\/clock/
  ],
  ['POST /clock/advance', {}, 400, /the body must be one of/, /such as \{"by":"15m"\}/],
  [
    'POST /scenarios',
    { name: 'x', http: { status: '500' } },
    400,
    /http\.status must be 500, 503 or 429, got "500"/,
    /write 500 without quotes/
  ],
  ['POST /scenarios', { name: 'x' }, 400, /this one has none/, /such as \{"name":/],
  ['POST /scenarios', { name: '..', fault: 'lost' }, 400, /name must be .* not \. or \.\./, /./],
  [
    'POST /scenarios',
    { name: 'x', fault: 'lost', for: '100000000d' },
    400,
    /for: it applies for at most 366 days/,
    /such as/
  ],
  [
    'POST /scenarios',
    { name: 'x', rejct: 'PROVIDER_UNAVAILABLE' },
    400,
    /rejct is not supported/,
    /write reject in place of rejct/
  ],
  [
    'POST /scenarios',
    { name: 'x', script: [{ to: 'FINISHED' }] },
    400,
    /script.0.after is required.*script.0.to must be/,
    /such as "after": "10s"/
  ],
  [
    'DELETE /scenarios/nobody',
    undefined,
    404,
    /no added scenario 'nobody'/,
    /GET \/__admin\/scenarios/
  ],
  [
    'PUT /providers/MTN_MOMO_ZMBB',
    { DEPOSIT: 'CLOSED' },
    404,
    /no provider 'MTN_MOMO_ZMBB'/,
    /did you mean MTN_MOMO_ZMB\?/
  ],
  ['PUT /providers/nobody', { DEPOSIT: 'CLOSED' }, 404, /no provider 'nobody'/, /active-conf/],
  [
    'PUT /providers/MTN_MOMO_ZMB',
    { DEPOSIT: 'CLOSE' },
    400,
    /DEPOSIT must be one of/,
    /did you mean CLOSED\?/
  ],
  ['PUT /providers/MTN_MOMO_ZMB', {}, 400, /the body must be/, /such as \{"DEPOSIT":/],
  ['GET /payments?status=COMPLETD', undefined, 400, /status must be/, /did you mean COMPLETED\?/],
  ['GET /payments?limit=0', undefined, 400, /limit must be/, /such as \?limit=100/],
  ['GET /payments?since=x', undefined, 400, /since must be/, /such as \?since=2026/],
  ['GET /payments?kind=depost', undefined, 404, /no kind 'depost'/, /did you mean deposit\?/],
  [
    'GET /payments?kind=constructor',
    undefined,
    404,
    /no kind 'constructor'/,
    /use deposit or payout/
  ],
  ['GET /payments?kind=gift-card', undefined, 404, /no kind 'gift-card'/, /use deposit or payout/],
  ['GET /payments/deposit/5', undefined, 400, /id must be a UUID/, /such as \w{8}-/],
  [
    `GET /payments/deposit/${unknown}`,
    undefined,
    404,
    /there is no deposit/,
    /token of the account that created it/
  ],
  [
    `POST /payments/deposit/${unknown}/move`,
    { to: 'FAILED' },
    404,
    /there is no deposit/,
    /token of the account that created it/
  ],
  [
    `POST /payments/deposit/${unknown}/move`,
    { to: 'DONE' },
    400,
    /to must be one of/,
    /use ACCEPTED or/
  ],
  [
    `POST /payments/deposit/${unknown}/move`,
    { to: 'COMPLETED', failureCode: 'PAYER_LIMIT_REACHED' },
    400,
    /failureCode is only for FAILED/,
    /remove failureCode/
  ],
  [
    `POST /payments/payout/${unknown}/move`,
    { to: 'FAILED', failureCode: 'PAYER_NOT_FOUND' },
    400,
    /not a failure of a payout/,
    /use .*RECIPIENT_NOT_FOUND/
  ],
  [
    'POST /wait',
    { kind: 'deposit', id: unknown },
    404,
    /there is no deposit/,
    /token of the account that created it/
  ],
  ['POST /wait', { id: unknown }, 400, /kind is required/, /such as "kind": "deposit"/],
  [
    'POST /wait',
    { kind: 'deposit', id: unknown, timeout: '6m' },
    400,
    /at most 5m/,
    /such as "timeout": "5m"/
  ],
  [
    'POST /wait',
    { kind: 'deposit', id: unknown, until: 'finl' },
    400,
    /until must be/,
    /did you mean final\?/
  ],
  ['GET /callbacks?state=pending', undefined, 400, /state must be/, /did you mean PENDING\?/],
  [
    'GET /callbacks?paymentId=1',
    undefined,
    400,
    /paymentId must be a UUID/,
    /such as \?paymentId=/
  ],
  ['POST /callbacks/99/resend', undefined, 404, /no callback 99/, /GET \/__admin\/callbacks/],
  ['POST /callbacks/x/resend', undefined, 400, /id must be a number/, /such as 1/],
  ['PUT /sink/shop', [5], 400, /element 0 must be a status/, /such as 200/],
  ['PUT /sink/shop', { delay: 'soon' }, 400, /^delay must be a duration/, /such as "delay": "10s"/],
  [
    'PUT /sink/shop',
    { answers: [{ delay: 'soon' }] },
    400,
    /answers.0.delay must be a duration/,
    /such as "delay": "10s"/
  ],
  [
    'PUT /sink/shop',
    [{ stauts: 500 }],
    400,
    /0.stauts is not supported/,
    /write status in place of stauts/
  ],
  ['PUT /sink/shop', { delay: '61s' }, 400, /at most 60s/, /such as "delay"/],
  ['PUT /sink/a%20b', [500], 400, /name must be/, /such as shop/],
  ['GET /phone/nobody', undefined, 400, /phoneNumber must be/, /such as 260763456789/],
  [
    `POST /phone/260763456789/deposits/${unknown}`,
    { decision: 'approve' },
    404,
    /there is no deposit/,
    /token of the account that created it/
  ],
  [
    `POST /phone/260763456789/deposits/${unknown}`,
    { decision: 'aprove' },
    400,
    /decision must be/,
    /did you mean approve\?/
  ],
  ['GET /requests?before=x', undefined, 400, /before must be a number/, /such as \?before=1/],
  ['POST /requests/find', { pathh: '/v2' }, 400, /pathh is not supported/, /write path in place/],
  ['POST /requests/count', { status: 'x' }, 400, /status must be/, /such as "status": /],
  [
    'POST /verify',
    { expectations: [] },
    400,
    /expectations must be/,
    /such as "expectations": \[\{/
  ],
  [
    'POST /verify',
    { expectations: [{ request: {}, count: 1, atLeast: 1 }] },
    400,
    /expectations.0/,
    /such as \{ "request"/
  ],
  ['GET /coverage?min=lots', undefined, 400, /min must be/, /such as \?min=60/],
  ['GET /coverage?groups=kind', undefined, 400, /no group 'kind'/, /did you mean kinds\?/],
  [
    'POST /signatures/explain',
    { method: 'POST', url: 'ftp://x', headers: {} },
    400,
    /url must be/,
    /such as "url"/
  ],
  ['POST /signatures/explain', {}, 400, /method is required/, /such as \{"method":"POST"/],
  [
    'POST /signatures/sign',
    { url: 'http://shop.test/', body: '{}', key: 'forein' },
    400,
    /key must be one of own, foreign, got "forein"/,
    /did you mean foreign\?/
  ],
  [
    'POST /signatures/explain',
    { method: 'POST', url: '/', headers: {}, publicKey: 'x' },
    400,
    /publicKey/,
    /as PEM/
  ],
  ['POST /accounts', { nam: 'x' }, 400, /nam is not supported/, /write name in place of nam/],
  [
    'POST /accounts',
    { name: 'default' },
    409,
    /name 'default' is the name of another account/,
    /GET \/__admin\/accounts/
  ],
  [
    'POST /accounts',
    { wallets: [{ country: 'ZMBB', currency: 'ZMW', balance: '1' }] },
    400,
    /wallets.0.country/,
    /such as .*"country":"ZMB"/
  ],
  ['DELETE /accounts/nobody', undefined, 404, /no account 'nobody'/, /GET \/__admin\/accounts/],
  [
    'DELETE /accounts/default',
    undefined,
    409,
    /part of the configuration/,
    /POST \/__admin\/reset/
  ],
  [
    'PATCH /account',
    { callbacks: { deposits: 'shop' } },
    400,
    /callbacks.deposits must be/,
    /such as "deposits": "http:/
  ],
  [
    'PATCH /account',
    { publicKeys: [{ id: 'x', key: 'y' }] },
    400,
    /publicKeys.0.key/,
    /GET \/__admin\/account/
  ],
  ['PATCH /account', { name: 'other' }, 400, /name cannot be changed/, /POST \/__admin\/accounts/],
  ['POST /reset?keep=clok', undefined, 400, /'clok' is not a part/, /did you mean clock\?/],
  [
    'POST /reset?keep=payments',
    undefined,
    400,
    /payments and callbacks are kept only together/,
    /keep=payments,callbacks/
  ],
  ['POST /snapshots', {}, 400, /name is required/, /such as "name": "paid-once"/],
  ['GET /snapshots/nobody', undefined, 404, /no snapshot 'nobody'/, /GET \/__admin\/snapshots/],
  [
    'POST /snapshots/nobody/restore',
    undefined,
    404,
    /no snapshot 'nobody'/,
    /GET \/__admin\/snapshots/
  ],
  ['DELETE /snapshots/nobody', undefined, 404, /no snapshot 'nobody'/, /GET \/__admin\/snapshots/],
  ['GET /nothing', undefined, 404, /does not exist/, /GET \/__admin\/docs/],
  ['POST /metrics', undefined, 405, /does not support POST/, /use GET/],
  ['POST /snapshots', 'x'.repeat(1024 * 1024 + 1), 413, /larger than/, /split it/]
]

const codes: Record<number, string> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  413: 'TOO_LARGE'
}

t.test('a refusal names the field, the rule and the fix', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  for (const [called, body, status, message, hint] of rows) {
    const [method, path] = called.split(' ')
    const answer = await mock.call(method, `/__admin${path}`, body)
    t.match(
      { status: answer.status, ...answer.body },
      { status, error: { code: codes[status], message, hint } },
      `${called} ${JSON.stringify(body)?.slice(0, 80)}`
    )
  }
  const types = await mock.call('POST', '/__admin/snapshots', 'name=x', {
    'content-type': 'application/x-www-form-urlencoded'
  })
  t.match(types.body.error, {
    message: /Content-Type must be application\/json/,
    hint: /with Content-Type: application\/json/
  })
  for (const authorization of ['Basic x', 'Bearer nobody']) {
    const { status, body } = await mock.call('GET', '/__admin/clock', undefined, { authorization })
    t.match(
      { status, ...body },
      { status: 401, error: { code: 'UNAUTHORIZED', hint: /default account/ } },
      authorization
    )
  }
})

t.test('a refusal contains the possible moves and the payment as data', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const url = mock.url
  const client = connectMomock(url, mock.config.token)
  const refused = async (work: Promise<unknown>): Promise<MomockError> =>
    await work.then(
      () => t.fail('it was not refused'),
      (error) => error
    )
  const deposit = { ...requests.v2.deposit!(), depositId: id() }
  await mock.call('POST', '/v2/deposits', deposit)

  const {
    body: { error }
  } = await mock.call('POST', `/__admin/payments/deposit/${deposit.depositId}/move`, {
    to: 'ACCEPTED'
  })
  t.strictSame(error.legalMoves, ['PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'])
  t.match(error, {
    code: 'CONFLICT',
    message: /is ACCEPTED/,
    hint: `use "to": "${error.legalMoves[0]}"`,
    seen: { status: 'ACCEPTED', id: deposit.depositId, callbacks: { length: 0 } }
  })

  const frozen = await refused(client.wait('deposit', deposit.depositId))
  t.match(frozen, {
    status: 409,
    code: 'CONFLICT',
    hint: /clock\/advance/,
    seen: { status: 'ACCEPTED', history: [{ status: 'ACCEPTED' }] }
  })

  await client.setClock({ mode: 'running', speed: 0.001 })
  const late = await refused(client.wait('deposit', deposit.depositId, { timeout: '20ms' }))
  t.match(late, {
    status: 408,
    code: 'TIMEOUT',
    seen: { status: 'ACCEPTED' },
    legalMoves: undefined
  })

  await client.move('deposit', deposit.depositId, 'FAILED')
  const ended = await refused(client.move('deposit', deposit.depositId, 'COMPLETED'))
  t.match(ended, {
    status: 409,
    legalMoves: { length: 0 },
    seen: { status: 'FAILED' },
    hint: /FAILED is final/
  })
  const never = await refused(client.wait('deposit', deposit.depositId, 'COMPLETED'))
  t.match(never, { status: 408, seen: { status: 'FAILED' }, message: /never be COMPLETED/ })
})

t.test('a Content-Type that is none is named, also for a call without a body', async (t) => {
  const { call } = await openSandbox(t)
  for (const [method, url] of [
    ['POST', '/__admin/reset'],
    ['DELETE', '/__admin/requests']
  ] as const) {
    const headers = { 'content-type': 'a' }
    const { status, body } = await call(method, url, undefined, headers)
    t.equal(status, 400, url)
    t.match(body.error, {
      code: 'BAD_REQUEST',
      message: "the Content-Type must be application/json, got 'a'"
    })
  }
  const { paths } = (await call('GET', '/__admin/openapi.json')).body
  t.ok(paths['/__admin/requests'].delete.responses['400'], 'it is documented')
})
