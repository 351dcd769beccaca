import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import t from 'tap'
import { Histogram } from '../../src/monitoring/counters.ts'
import { createMomock } from '../../src/index.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build, id, receiver, testMachine, until, type Mock } from '../support/helper.ts'
import { oneServerOptions } from '../support/servers.ts'

const loaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('prom-client'))

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads the text format by hand: each line is a comment or a sample. */
function samples (text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, list = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === undefined) throw new Error(`not a sample: ${line}`)
      return {
        name,
        labels: Object.fromEntries(
          [...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text])
        ),
        value: Number(value)
      }
    })
}

async function metrics (
  { call }: Mock,
  headers?: Record<string, string>
): Promise<(name: string, labels?: Record<string, string>) => number | undefined> {
  const {
    status,
    headers: answered,
    body
  } = await call('GET', '/__admin/metrics', undefined, headers)
  if (status !== 200 || !String(answered['content-type']).startsWith('text/plain; version=0.0.4')) {
    throw new Error(`${status} ${String(answered['content-type'])}`)
  }
  const all = samples(body)
  return (name, labels = {}) =>
    all.find(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text)
    )?.value
}

t.test('the metrics library is loaded by the first call', oneServerOptions, async (t) => {
  const mock = await build(t)
  await mock.call('GET', '/v2/availability')
  t.equal(loaded(), false)
  t.equal(
    (await metrics(mock))('momock_http_requests_total', {
      route: '/v2/availability',
      status: '200'
    }),
    1
  )
  t.equal(loaded(), true)
})

t.test('the metrics count requests by route and status', oneServerOptions, async (t) => {
  const mock = await build(t, { adminToken: 'admin' })
  const steering = { 'x-momock-admin-token': 'admin' }
  const deposit = requests.v2.deposit!()
  const rows: Array<
    [
      method: string,
      path: string,
      body: unknown,
      headers: Record<string, string>,
      route: string,
      status: number
    ]
  > = [
    ['POST', '/v2/deposits', deposit, {}, '/v2/deposits', 200],
    ['POST', '/v2/deposits', but(deposit, 'amount', 'x'), {}, '/v2/deposits', 400],
    [
      'POST',
      '/deposits',
      requests.v1.deposit!(),
      { authorization: 'Bearer nobody' },
      '/deposits',
      401
    ],
    ['GET', `/v2/deposits/${id()}`, undefined, {}, '/v2/deposits/{depositId}', 200],
    ['GET', '/health', undefined, {}, '/health', 200],
    ['GET', '/__admin/clock', undefined, steering, '/__admin/clock', 200],
    ['GET', '/__admin/clock', undefined, {}, '/__admin/clock', 401],
    ['GET', '/pay/nope', undefined, {}, '/pay/{token}', 404],
    ['DELETE', '/__admin/clock', undefined, steering, '', 405],
    ['GET', '/v2/nothing', undefined, {}, '', 404],
    ['POST', '/nothing', '{', {}, '', 404]
  ]
  for (const [method, path, body, headers, route, status] of rows) {
    const labels = { method: route === '' ? '' : method, route, status: String(status) }
    const before = (await metrics(mock, steering))('momock_http_requests_total', labels) ?? 0
    t.equal((await mock.call(method, path, body, headers)).status, status, path)
    t.equal(
      (await metrics(mock, steering))('momock_http_requests_total', labels),
      before + 1,
      `${method} ${path} ${status}`
    )
  }
  for (const path of ['/__admin/events', '/__admin/ui/events']) {
    const { status, body } = await fetch(mock.url + path, { headers: steering })
    await body!.cancel()
    const labels = { method: 'GET', route: path, status: '200' }
    t.equal(status, 200, path)
    t.equal((await metrics(mock, steering))('momock_http_requests_total', labels), 1, path)
  }
  await until(
    async () => (await metrics(mock, steering))('momock_change_listeners'),
    (listeners) => listeners === 0
  )
  await mock.app.http.inject(`/v2/statements/${id()}/files/x.csv`)
  t.equal(
    (await metrics(mock, steering))('momock_http_requests_total', {
      route: '/v2/statements/{statementId}/files/{file}',
      status: '404'
    }),
    1,
    'what the reference does not have is counted, too'
  )
  t.equal(
    (await mock.call('GET', '/__admin/metrics')).status,
    401,
    'it is an admin call like any other'
  )
})

t.test(
  'the metrics count initiations and payments of all accounts',
  oneServerOptions,
  async (t) => {
    const systemClock = testMachine()
    const mock = await build(t, { clock: 'frozen', journal: 0 }, systemClock)
    for (const version of ['v1', 'v2'] as const) {
      const deposit = requests[version].deposit!()
      for (const headers of [{}, {}, { authorization: 'Bearer sandbox-other' }] as Array<
        Record<string, string>
      >) {
        await mock.call('POST', `${prefix[version]}/deposits`, deposit, headers)
      }
      await mock.call(
        'POST',
        `${prefix[version]}/deposits`,
        but({ ...(requests[version].deposit!() as object) }, 'currency', 'EUR')
      )
      await mock.call('POST', '/__admin/scenarios', {
        name: 'no',
        reject: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
        times: 1
      })
      await mock.call('POST', `${prefix[version]}/deposits`, requests[version].deposit!())
      await mock.call('POST', '/__admin/scenarios', {
        name: 'broken',
        http: { status: 500 },
        times: 1
      })
      await mock.call('POST', `${prefix[version]}/deposits`, requests[version].deposit!())
    }
    const scripted = {
      v1: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      v2: 'PROVIDER_TEMPORARILY_UNAVAILABLE'
    }
    const first = await metrics(mock)
    for (const version of ['v1', 'v2'] as const) {
      for (const [outcome, code, count] of [
        ['ACCEPTED', '', 2],
        ['DUPLICATE_IGNORED', '', 1],
        ['REJECTED', 'INVALID_CURRENCY', 1],
        ['REJECTED', scripted[version], 1],
        ['ERROR', version === 'v2' ? 'UNKNOWN_ERROR' : '0', 1]
      ] as Array<[string, string, number]>) {
        t.equal(
          first('momock_initiations_total', { version, kind: 'deposit', outcome, code }),
          count,
          `${version} ${outcome} ${code}`
        )
      }
    }
    t.equal(first('momock_payments', { kind: 'deposit', status: 'ACCEPTED' }), 4)
    await mock.call('POST', '/__admin/clock/advance', { by: '200ms' })
    const second = await metrics(mock)
    t.strictSame(
      ['ACCEPTED', 'PROCESSING', 'COMPLETED'].map((status) =>
        second('momock_payments', { kind: 'deposit', status })
      ),
      [2, 2, undefined],
      'what is not recorded follows from the clock of its account'
    )
    await mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
    t.equal((await metrics(mock))('momock_payments', { kind: 'deposit', status: 'COMPLETED' }), 2)
    t.equal((await metrics(mock))('momock_journal_requests'), 0)
  }
)

t.test('the metrics count more payments than one page', oneServerOptions, async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  for (let n = 0; n < 105; n++) {
    await mock.call(
      'POST',
      '/v2/payouts/bulk',
      Array.from({ length: 20 }, () => ({
        ...(requests.v2.payout!() as object),
        payoutId: id(),
        amount: '1'
      }))
    )
  }
  t.equal((await metrics(mock))('momock_payments', { kind: 'payout', status: 'ACCEPTED' }), 2100)
})

t.test('the metrics count callbacks', oneServerOptions, async (t) => {
  const merchant = await receiver(t, [500])
  const mock = await build(t, { clock: 'frozen', callbackUrl: merchant.url })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('POST', '/__admin/clock/advance', { by: '900ms' })
  const refused = await metrics(mock)
  t.equal(refused('momock_outbox_depth'), 1)
  t.equal(refused('momock_callback_attempts_total', { result: 'refused' }), 1)
  t.equal(refused('momock_callback_lag_seconds_count'), 0)
  await mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
  const acknowledged = await metrics(mock)
  t.equal(acknowledged('momock_outbox_depth'), 0)
  t.equal(acknowledged('momock_callback_attempts_total', { result: 'acknowledged' }), 1)
  t.equal(
    acknowledged('momock_callback_lag_seconds_bucket', { le: '0.5' }),
    0,
    'it was tried again after a second'
  )
  t.equal(acknowledged('momock_callback_lag_seconds_bucket', { le: '5' }), 1)
  t.equal(acknowledged('momock_callback_lag_seconds_bucket', { le: '+Inf' }), 1)
  t.ok(acknowledged('momock_callback_lag_seconds_sum')! >= 1)
})

t.test('the metrics measure the ledger and the event loop', oneServerOptions, async (t) => {
  const mock = await build(t)
  await Promise.all(
    Array.from(
      { length: 30 },
      async () => await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
    )
  )
  await metrics(mock)
  const second = await metrics(mock)
  t.ok(second('momock_commit_batch_size_count')! > 0)
  t.ok(second('momock_commit_batch_size_sum')! >= 30)
  t.ok(
    second('momock_commit_batch_size_bucket', { le: '1' })! <
      second('momock_commit_batch_size_bucket', { le: '+Inf' })!,
    'some were done together'
  )
  const text = (await mock.call('GET', '/__admin/metrics')).body as string
  t.match(text, /^# TYPE momock_event_loop_delay_seconds gauge$/m)
  const document = readFileSync(new URL('../../docs/admin.md', import.meta.url), 'utf8')
  for (const name of new Set(
    samples(text).map((sample) => sample.name.replace(/_(bucket|sum|count)$/, ''))
  )) {
    t.match(text, new RegExp(`^# HELP ${name} .+\\.\\n# TYPE ${name} `, 'm'), name)
  }
  t.strictSame(
    [...document.matchAll(/^\| `(momock_\w+)` \|/gm)].map(([, name]) => name),
    [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name),
    'all of them are in the document'
  )
})

t.test('two servers in one process have separate metrics', oneServerOptions, async (t) => {
  const [one, other] = await Promise.all([createMomock(), createMomock()])
  await fetch(`${one.url}/health`)
  const counted = async (url: string) =>
    samples(await (await fetch(`${url}/__admin/metrics`)).text()).some(
      ({ labels }) => labels.route === '/health'
    )
  t.strictSame([await counted(one.url), await counted(other.url)], [true, false])
  await Promise.all([one.close(), other.close()])
})

t.test('a histogram has cumulative buckets', oneServerOptions, async (t) => {
  const histogram = new Histogram([1, 10])
  for (const value of [0, 1, 2, 10, 11]) histogram.observe(value)
  t.strictSame([histogram.counts, histogram.sum], [[2, 2, 1], 24])
})
