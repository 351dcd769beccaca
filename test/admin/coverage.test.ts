import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { callbackFaultNames } from '../../src/domain/callback-faults.ts'
import { failures } from '../../src/domain/failures.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { statusesOf } from '../../src/domain/status.ts'
import { faults } from '../../src/domain/response-behaviour.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, folder, id, receiver, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { readJunit } from '../support/reports.ts'

type Groups = Record<string, { exercised: string[]; missing: string[] }>

async function coverage (
  { call }: Client,
  query = '',
  headers?: Record<string, string>
): Promise<any> {
  return (await call('GET', `/__admin/coverage${query}`, undefined, headers)).body
}

async function groupsOf (
  mock: Client,
  query = '',
  headers?: Record<string, string>
): Promise<Groups> {
  return Object.fromEntries(
    (await coverage(mock, query, headers)).groups.map((group: any) => [group.name, group])
  )
}

const idle = async ({ call }: Client) =>
  await call('POST', '/__admin/clock/advance', { until: 'idle' })

t.test('the coverage of a new account lists all items as missing', long, async (t) => {
  const mock = await openSandbox(t)
  const { covered, percent, total, groups } = await coverage(mock)
  t.strictSame([covered, percent], [0, 0])
  t.equal(
    total,
    groups.reduce((sum: number, group: any) => sum + group.total, 0)
  )
  const missing: Record<string, string[]> = Object.fromEntries(
    groups.map((group: any) => [group.name, group.missing])
  )
  t.strictSame(
    missing.statuses,
    Object.values(kinds).flatMap((kind) =>
      statusesOf(kind).map((status) => `${kind.name} ${status}`)
    )
  )
  t.strictSame(missing.failureCodes, Object.keys(failures))
  t.strictSame(missing.faults, faults)
  t.strictSame(missing.callbackFaults, callbackFaultNames)
  const { groups: earlier } = await coverage(mock, '?groups=callbackDrills')
  t.match(earlier, [{ name: 'callbackFaults', missing: callbackFaultNames }], 'its earlier name')
  t.equal(missing.kinds.length, 3 + 6)
  const { paths } = (await mock.call('GET', '/__admin/openapi.json')).body
  const operations = Object.values<object>(paths)
    .flatMap((item) => Object.values<{ operationId: string }>(item as any))
    .map(({ operationId }) => operationId)
    .filter((name) => /^v[12][A-Z]/.test(name))
  t.strictSame(
    [...missing.operations].sort(),
    operations.sort(),
    'every operation of the reference'
  )
  const codes = readFileSync(new URL('../../docs/codes.md', import.meta.url), 'utf8')
  // The refusal of checkouts is our decision: the public record has nothing about it.
  for (const name of missing.rejectionCodes.filter((name) => !name.includes('CHECKOUTS'))) {
    t.ok(codes.includes(`\`${name.split(' ')[1]}\``), `${name} is in the document of codes`)
  }
  t.ok(
    missing.rejectionCodes.includes('v1 INVALID_PAYER_FORMAT') &&
      missing.rejectionCodes.includes('v2 MISSING_PARAMETER')
  )
})

t.test('the coverage of payments includes kinds, statuses and failure codes', async (t) => {
  const merchant = await receiver(t, [500])
  const mock = await openSandbox(t, { clock: 'frozen', callbackUrl: merchant.url })
  for (const version of ['v1', 'v2'] as const) {
    await mock.call('POST', `${prefix[version]}/deposits`, requests[version].deposit!())
  }
  t.match(await groupsOf(mock), {
    kinds: { exercised: ['v1 deposit', 'v2 deposit'] },
    statuses: { exercised: ['deposit ACCEPTED'] },
    callbacks: { exercised: { length: 0 } }
  })
  await mock.call('POST', '/__admin/clock/advance', { by: '200ms' })
  t.match(
    await groupsOf(mock),
    { statuses: { exercised: ['deposit ACCEPTED', 'deposit PROCESSING'] } },
    'what is not recorded counts, too'
  )
  await idle(mock)
  t.match(await groupsOf(mock), {
    statuses: { exercised: ['deposit ACCEPTED', 'deposit PROCESSING', 'deposit COMPLETED'] },
    callbacks: { exercised: ['acknowledged', 'tried again'] }
  })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), {
    'x-momock-scenario': 'insufficient-balance'
  })
  await idle(mock)
  t.match(await groupsOf(mock), {
    statuses: {
      exercised: ['deposit ACCEPTED', 'deposit PROCESSING', 'deposit COMPLETED', 'deposit FAILED']
    },
    failureCodes: { exercised: ['INSUFFICIENT_BALANCE'] }
  })
})

t.test('the coverage includes every callback fault', async (t) => {
  const merchant = createServer((_request, response) => response.end())
  await once(merchant.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    merchant.closeAllConnections()
    merchant.close()
  })
  const mock = await build(t, {
    clock: 'frozen',
    callbackUrl: `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/`
  })
  for (const [n, drill] of callbackFaultNames.entries()) {
    const value = drill === 'delay' ? '1s' : drill === 'duplicates' ? 1 : true
    await mock.call('POST', '/__admin/scenarios', {
      name: 'drill',
      when: { kind: 'payout' },
      callback: { [drill]: value }
    })
    await mock.call('POST', '/v2/payouts', requests.v2.payout!())
    if (drill !== 'beforeAnswer') {
      t.notOk(
        (await groupsOf(mock)).callbackFaults.exercised.includes(drill),
        `${drill}: not before there is a callback`
      )
    }
    await idle(mock)
    t.strictSame(
      (await groupsOf(mock)).callbackFaults.exercised,
      callbackFaultNames.slice(0, n + 1),
      drill
    )
  }
})

t.test('the coverage includes every flow, also without a payment', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const { call } = mock
  const payout = requests.v2.payout!() as any
  const redirecting = but(
    but(
      but(
        {
          ...(requests.v2.deposit!() as object),
          successfulUrl: 'https://shop.example/',
          failedUrl: 'https://shop.example/'
        },
        'payer.accountDetails.provider',
        'WAVE_SEN'
      ),
      'payer.accountDetails.phoneNumber',
      '221773456789'
    ),
    'currency',
    'XOF'
  )
  const enqueued = id()
  const rows: Array<[flow: string, act: () => Promise<unknown>]> = [
    ['redirect authorisation', async () => await call('POST', '/v2/deposits', redirecting)],
    [
      'waiting in the queue of a provider',
      async () => {
        await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
        await call('POST', '/v2/payouts', { ...payout, payoutId: enqueued })
        await call('POST', '/__admin/clock/advance', { by: '100ms' })
      }
    ],
    [
      'cancelled while enqueued',
      async () => {
        await call('POST', `/v2/payouts/fail-enqueued/${enqueued}`)
        await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' })
      }
    ],
    [
      'many in one request',
      async () => await call('POST', '/v2/payouts/bulk', [{ ...payout, payoutId: id() }])
    ],
    [
      'initiated twice',
      async () => {
        await call('POST', '/v2/payouts', payout)
        await call('POST', '/v2/payouts', payout)
      }
    ],
    [
      'callback sent again',
      async () => {
        await idle(mock)
        await call('POST', `/v2/payouts/resend-callback/${payout.payoutId}`)
      }
    ],
    [
      'split payment',
      async () => await call('POST', '/v2/split-payments', requests.v2.splitPayment!())
    ]
  ]
  for (const [flow, act] of rows) {
    t.ok((await groupsOf(mock)).flows.missing.includes(flow), `${flow} not yet`)
    await act()
    t.ok((await groupsOf(mock)).flows.exercised.includes(flow), flow)
  }
  await call('POST', `/v2/deposits/resend-callback/${id()}`)
  const { operations, rejectionCodes } = await groupsOf(mock)
  t.ok(
    operations.exercised.includes('v2CancelEnqueuedPayout') &&
      operations.missing.includes('v2ResendDepositCallback'),
    'what was rejected did not do it'
  )
  t.strictSame(rejectionCodes.exercised, ['v2 NOT_FOUND'])
})

t.test('the coverage includes rejections and faults', async (t) => {
  const mock = await build(t, { clock: 'frozen', journal: 0 })
  const rows: Array<[version: 'v1' | 'v2', body: object, code: string]> = [
    ['v2', but(requests.v2.deposit!(), 'currency', 'EUR'), 'v2 INVALID_CURRENCY'],
    ['v2', but(requests.v2.deposit!(), 'amount'), 'v2 MISSING_PARAMETER'],
    ['v1', but(requests.v1.deposit!(), 'payer.address.value', '1'), 'v1 INVALID_PAYER_FORMAT']
  ]
  for (const [version, body, code] of rows) {
    await mock.call('POST', `${prefix[version]}/deposits`, body)
    t.ok((await groupsOf(mock)).rejectionCodes.exercised.includes(code), code)
  }
  t.strictSame((await groupsOf(mock)).operations.exercised, [], 'none of them was accepted')
  await mock.call('POST', '/v2/payouts/bulk', [
    requests.v2.payout!(),
    but(requests.v2.payout!(), 'amount', '0.001')
  ])
  const { operations, rejectionCodes } = await groupsOf(mock)
  t.strictSame(
    operations.exercised,
    ['v2InitiatePayouts'],
    'one of many that is accepted is enough'
  )
  t.ok(rejectionCodes.exercised.includes('v2 INVALID_AMOUNT'), 'and one that is not is seen')
  const url = mock.url
  for (const fault of ['reset', 'lost'] as const) {
    await mock.call('POST', '/__admin/scenarios', {
      name: 'faulty',
      when: { kind: 'deposit' },
      fault
    })
    await t.rejects(
      fetch(`${url}/v2/deposits`, {
        method: 'POST',
        headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
        body: JSON.stringify(requests.v2.deposit!())
      })
    )
  }
  t.strictSame((await groupsOf(mock)).faults.exercised, ['reset', 'lost'])
  t.equal(
    (await coverage(mock, '', { authorization: 'Bearer sandbox-other' })).covered,
    0,
    'another account has done nothing'
  )
})

t.test('the coverage from the ledger survives a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, clock: 'frozen' })
  await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await idle(first)
  await first.app.close()
  const { statuses, operations } = await groupsOf(await build(t, { db }))
  t.strictSame(statuses.exercised, ['deposit ACCEPTED', 'deposit PROCESSING', 'deposit COMPLETED'])
  t.strictSame(operations.exercised, [], 'what was only noted does not')
})

t.test('the coverage survives resets and restores, unless it is cleared', async (t) => {
  const { url } = await receiver(t)
  const mock = await build(t, { clock: 'frozen', callbackUrl: url })
  const other = { authorization: 'Bearer sandbox-other' }
  await mock.call('POST', '/__admin/snapshots', { name: 'empty' })
  await mock.call('POST', '/v2/deposits', { ...requests.v2.deposit!(), amount: '0.001' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), {
    'x-momock-scenario': 'insufficient-balance'
  })
  await idle(mock)
  const before = await coverage(mock)
  t.ok(before.covered > 5)
  t.match((await mock.call('POST', '/__admin/reset')).body, { kept: ['coverage'] })
  t.strictSame(await coverage(mock), before, 'after a reset')
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  await idle(mock)
  const more = await coverage(mock)
  t.ok(more.covered > before.covered, 'more is added')
  await mock.call('POST', '/__admin/snapshots/empty/restore')
  t.strictSame(await coverage(mock), more, 'after a restore')
  t.equal((await coverage(mock, '', other)).covered, 0, 'another account has done nothing')
  for (const [query, body] of [
    ['?forget=coverage', undefined],
    ['', { forget: ['coverage'] }]
  ] as const) {
    await mock.call('GET', '/v2/public-key/http')
    t.not((await coverage(mock)).covered, 0)
    t.strictSame((await mock.call('POST', `/__admin/reset${query}`, body)).body.kept, [])
    t.equal((await coverage(mock)).covered, 0, 'forgotten')
  }
  t.match((await mock.call('POST', '/__admin/reset?forget=clock')).body.error, {
    message: /forget must be 'coverage'/,
    hint: 'use coverage'
  })
})

t.test('the coverage is available as JUnit XML with a gate', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await idle(mock)
  const all = await coverage(mock)
  t.ok(all.percent > 0 && all.percent < 10, `${all.percent}`)
  const groups = await groupsOf(mock)
  const gate = `${all.percent} percent is covered, ${all.covered} of ${all.total}; `
  const rows: Array<[query: string, gate?: { name: string; failure?: string }]> = [
    [''],
    ['&min=0', { name: 'at least 0 percent' }],
    [`&min=${all.percent}`, { name: `at least ${all.percent} percent` }],
    ['&min=99.9', { name: 'at least 99.9 percent', failure: `${gate}99.9 is required` }],
    ['&min=100', { name: 'at least 100 percent', failure: `${gate}100 is required` }]
  ]
  for (const [query, gate] of rows) {
    const { status, headers, body } = await mock.call(
      'GET',
      `/__admin/coverage?format=junit${query}`
    )
    t.strictSame([status, headers['content-type']], [200, 'application/xml; charset=utf-8'])
    const cases = Object.entries(groups).flatMap(([suite, { exercised, missing }]) => [
      ...exercised.map((name) => ({ suite, name })),
      ...missing.map((name) => ({ suite, name, skipped: 'not exercised' }))
    ])
    const gates = gate === undefined ? [] : [{ suite: 'coverage', ...gate }]
    t.strictSame(readJunit(body).cases, [...gates, ...cases], query)
  }
  t.match(await coverage(mock, '?min=1'), { min: 1, passed: true })
  t.match(await coverage(mock, '?min=100'), { min: 100, passed: false })
})

t.test('the coverage can be limited to groups and a version', async (t) => {
  const mock = await openSandbox(t)
  const current = await groupsOf(mock, '?version=v2')
  t.strictSame(current, await groupsOf(mock, '?version=v2'), 'the earlier name')
  for (const { missing } of Object.values(current)) {
    t.notOk(missing.some((name) => name.startsWith('v1')))
  }
  t.strictSame(Object.keys(await groupsOf(mock, '?groups=faults,kinds')), ['kinds', 'faults'])
  t.match((await groupsOf(mock, '?groups=kinds&version=v1')).kinds.missing, [
    'v1 deposit',
    'v1 payout',
    'v1 refund'
  ])
  const rows: Array<[query: string, message: RegExp, hint?: RegExp]> = [
    ['groups=fault', /there is no group 'fault'/, /did you mean faults\?/],
    ['min=101', /min must be a number from 0 to 100/],
    ['format=xml', /format must be 'json', 'junit' or 'markdown'/],
    ['version=v3', /version must be 'v1' or 'v2'/],
    ['version=v3', /version must be 'v1' or 'v2'/],
    ['groop=1', /groop is not supported here; did you mean groups\?/]
  ]
  for (const [query, message, hint = /.*/] of rows) {
    const { status, body } = await mock.call('GET', `/__admin/coverage?${query}`)
    t.equal(status, 400, query)
    t.match(body.error.message, message)
    t.match(body.error.hint ?? '', hint)
  }
})
