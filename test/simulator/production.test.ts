import t, { type Test } from 'tap'
import type { Version } from '../../src/domain/api-version.ts'
import { build, receiver, testMachine, type Client } from '../support/helper.ts'
import { requests } from '../support/examples.ts'

/** The profile 'production' of an account. docs/scenarios.md has the figures. */

const hour = 60 * 60_000

interface Seen {
  status: string
  code: string
  tookMs: number
}

/** An id of its own for each payment, the same in each run. */
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

async function start (t: Test, seed: string, options = {}): Promise<Client> {
  return await build(t, { clock: 'frozen', seed, profile: 'production', ...options }, testMachine())
}

type Kind = 'deposit' | 'payout'

/** Sends payments of a kind, a minute apart, and waits a day. Returns what became of each. */
async function day (
  { call }: Client,
  kind: Kind,
  count: number,
  version: Version = 'v2'
): Promise<Seen[]> {
  const ids = Array.from({ length: count }, (_, n) => idOf(n + 1))
  const answers: string[] = []
  for (const id of ids) {
    const body = { ...requests[version][kind]!(), [`${kind}Id`]: id }
    const path = version === 'v1' ? `/${kind}s` : `/v2/${kind}s`
    const answer = (await call('POST', path, body)).body
    const code = answer.failureReason?.failureCode ?? answer.rejectionReason?.rejectionCode
    answers.push(code ?? answer.status)
    await call('POST', '/__admin/clock/advance', { by: '1m' })
  }
  await call('POST', '/__admin/clock/advance', { by: '1h' })
  const seen: Seen[] = []
  for (const [n, id] of ids.entries()) {
    if (answers[n] !== 'ACCEPTED') {
      seen.push({ status: 'REJECTED', code: answers[n]!, tookMs: 0 })
      continue
    }
    const { status, history } = (await call('GET', `/__admin/payments/${kind}/${id}`)).body
    const { data } = (await call('GET', `/v2/${kind}s/${id}`)).body
    const tookMs = Date.parse(history.at(-1).at) - Date.parse(history[0].at)
    seen.push({ status, code: data.failureReason?.failureCode ?? '', tookMs })
  }
  return seen
}

for (const kind of ['deposit', 'payout'] as const) {
  t.test(`the same seed gives the same day, another seed another one: ${kind}`, async (t) => {
    const one = await day(await start(t, 'one'), kind, 80)
    const same = await day(await start(t, 'one'), kind, 80)
    const other = await day(await start(t, 'other'), kind, 80)
    t.strictSame(same, one)
    t.strictNotSame(other, one)
  })
}

t.test('v1 has the same day as v2, in its own words', async (t) => {
  const { url, received } = await receiver(t)
  const v2 = await day(await start(t, 'one'), 'deposit', 80)
  const v1 = await day(await start(t, 'one', { callbackUrl: url }), 'deposit', 80, 'v1')
  t.strictSame(
    v1.map(({ status, tookMs }) => [status, tookMs]),
    v2.map(({ status, tookMs }) => [status, tookMs])
  )
  t.ok(received.length >= v1.filter(({ status }) => status !== 'REJECTED').length)
  t.ok(received.every(({ body }) => body.requestedAmount === '15.0000'))
})

t.test('the mix is that of the documentation', async (t) => {
  const seen = await day(await start(t, 'mix'), 'deposit', 400)
  const accepted = seen.filter(({ status }) => status !== 'REJECTED')
  const share = (of: Seen[]): number => of.length / accepted.length
  const completed = accepted.filter(({ status }) => status === 'COMPLETED')
  // 82 % of 400, give or take four standard deviations.
  t.ok(Math.abs(share(completed) - 0.82) < 0.08, `${share(completed)} completed`)
  t.ok(completed.every(({ tookMs }) => tookMs >= 1000 && tookMs <= 61_000))
  t.ok(new Set(completed.map(({ tookMs }) => tookMs)).size > completed.length / 2)
  const codes = new Set(accepted.map(({ code }) => code))
  for (const code of ['PAYMENT_NOT_APPROVED', 'INSUFFICIENT_BALANCE']) t.ok(codes.has(code), code)
  const expired = accepted.filter(({ code }) => code === 'PAYMENT_NOT_APPROVED')
  t.ok(expired.every(({ tookMs }) => tookMs >= 5 * 60_000))
})

t.test('callbacks have four decimals, and some are late or come twice', async (t) => {
  const { url, received } = await receiver(t)
  const mock = await start(t, 'callbacks', { callbackUrl: url })
  await day(mock, 'payout', 200)
  t.ok(received.every(({ body }) => body.amount === '15.0000'))
  const times = new Map<string, number>()
  for (const { body } of received) times.set(body.payoutId, (times.get(body.payoutId) ?? 0) + 1)
  const twice = [...times.values()].filter((count) => count === 2)
  t.ok(twice.length > 0 && twice.length < 20, `${twice.length} of 200 came twice`)
  const { callbacks } = (await mock.call('GET', '/__admin/callbacks?limit=1000')).body
  const late = callbacks.filter(
    ({ created, attempts }: any) => Date.parse(attempts[0].at) - Date.parse(created) >= 60_000
  )
  t.ok(late.length > 0 && late.length < 40, `${late.length} of ${callbacks.length} were late`)
})

t.test('an outage begins with a payment that it refuses, and ends by itself', async (t) => {
  const { call } = await start(t, 'outages')
  const state = async (): Promise<string> => {
    const [{ providers }] = (await call('GET', '/v2/availability?country=ZMB')).body
    const { operationTypes } = providers.find((row: any) => row.provider === 'MTN_MOMO_ZMB')
    return operationTypes.DEPOSIT
  }
  await call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-02-01T00:00:00Z' })
  for (let n = 1; n <= 200; n++) {
    const body = { ...requests.v2.deposit!(), depositId: idOf(n) }
    const answer = (await call('POST', '/v2/deposits', body)).body
    if (answer.status === 'REJECTED') {
      t.match(answer, { failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' } })
      t.equal(await state(), 'CLOSED')
      await call('POST', '/__admin/clock/advance', { by: '10m' })
      t.equal(await state(), 'OPERATIONAL')
      t.match(await call('POST', '/v2/deposits', { ...body, depositId: idOf(n + 1000) }), {
        body: { status: 'ACCEPTED' }
      })
      return
    }
    await call('POST', '/__admin/clock/advance', { by: hour })
  }
  t.fail('there was no outage in 200 hours')
})

t.test('what a test asks for is not left to chance', async (t) => {
  const { call } = await start(t, 'asked')
  for (let n = 1; n <= 40; n++) {
    const body = { ...requests.v2.deposit!(), depositId: idOf(n) }
    const asked = { 'x-momock-scenario': 'happy-path' }
    t.match(await call('POST', '/v2/deposits', body, asked), { body: { status: 'ACCEPTED' } })
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    const { body: record } = await call('GET', `/v2/deposits/${idOf(n)}`)
    t.equal(record.data.status, 'COMPLETED')
  }
})

t.test('accounts of one server have their own profiles', async (t) => {
  const accounts = [
    { name: 'calm', tokens: [{ token: 'calm-token' }] },
    { name: 'busy', tokens: [{ token: 'busy-token' }], profile: 'production' as const }
  ]
  const mock = await build(t, { clock: 'frozen', accounts }, testMachine())
  const statuses = async (token: string): Promise<Set<string>> => {
    const seen = await day({ ...mock, call: mock.callAs(t, token) }, 'deposit', 40)
    return new Set(seen.map(({ status }) => status))
  }
  t.strictSame(await statuses('calm-token'), new Set(['COMPLETED']))
  t.ok((await statuses('busy-token')).has('FAILED'))
})
