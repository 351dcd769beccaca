import t from 'tap'
import type { MockEvent, Momock } from '../../src/index.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { MockEventSchema } from '../../src/monitoring/mock-event.ts'
import type { EventFeed } from '../../src/monitoring/event-feed.ts'
import { followEvents } from '../../src/monitoring/follow-events.ts'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { receiver } from '../support/helper.ts'
import { followEvents as followStream, type FollowedStream } from '../support/sse.ts'
import { createMomock } from '../support/momock.ts'
import { oneServerOptions } from '../support/servers.ts'

/** `GET /__admin/events`: what happens, while it happens. */

async function post (mock: Momock, path: string, body: object, token = mock.token) {
  const response = await fetch(mock.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  return response.status
}

/** Follows the events of a mock. The returned function waits for a number of them. */
async function follow (
  mock: Momock,
  accounts?: 'own' | 'all'
): Promise<(count: number) => Promise<MockEvent[]>> {
  const opened = Promise.withResolvers<void>()
  const stop = new AbortController()
  const events = mock.events({ accounts, signal: stop.signal, onOpen: opened.resolve })
  const first = events.next()
  await Promise.race([opened.promise, first])
  return async (count) => {
    const all = [(await first).value as MockEvent]
    while (all.length < count) all.push((await events.next()).value as MockEvent)
    stop.abort()
    t.same(await events.next(), { value: undefined, done: true }, 'the signal ends the stream')
    return all
  }
}

t.test('events tell of payments, callbacks and refused requests', async (t) => {
  const merchant = await receiver(t, [500])
  const mock = await createMomock({ clock: 'frozen', callbackUrl: merchant.url })
  t.teardown(mock.close)
  const collect = await follow(mock)
  const deposit = requests.v2.deposit!()
  await post(mock, '/v2/deposits', deposit)
  await post(mock, '/v2/deposits', deposit, 'sandbox-other')
  await post(mock, '/v2/deposits', deposit)
  await post(mock, '/v2/deposits', { ...requests.v2.deposit!(), amount: '0' })
  await post(mock, '/v2/nothing', {})
  await post(mock, '/__admin/wait', { kind: 'deposit', id: deposit.depositId })
  await mock.advance('1s')
  const events = await collect(8)
  const payment = { kind: 'deposit', paymentId: deposit.depositId }
  t.match(events, [
    { type: 'accepted', ...payment, status: 'ACCEPTED', currency: 'ZMW', account: 'default' },
    { type: 'answer', ...payment, httpStatus: 200, code: 'DUPLICATE_IGNORED' },
    { type: 'answer', kind: 'deposit', httpStatus: 200, code: /AMOUNT/, message: /amount/ },
    { type: 'answer', path: '/v2/nothing', httpStatus: 404, code: 'NOT_FOUND' },
    { type: 'answer', path: '/__admin/wait', httpStatus: 409, code: 'CONFLICT' },
    { type: 'status', ...payment, status: 'PROCESSING', by: 'plan' },
    { type: 'status', ...payment, status: 'COMPLETED', by: 'plan', callback: { inMs: 0 } },
    { type: 'callback', ...payment, attempt: 1, httpStatus: 500, state: 'PENDING', nextInMs: 1000 }
  ])
  const form = createValidator(MockEventSchema)
  for (const event of events) t.ok(form.check(event), `${event.type} is as documented`)
})

t.test('a stream that begins late names the payments of callbacks', async (t) => {
  const merchant = await receiver(t)
  const mock = await createMomock({ clock: 'frozen', callbackUrl: merchant.url })
  t.teardown(mock.close)
  const deposit = requests.v2.deposit!()
  await post(mock, '/v2/deposits', deposit)
  await mock.advance('1m')
  const refund = but(requests.v2.refund!(), 'depositId', deposit.depositId)
  await post(mock, '/v2/refunds', refund)
  await mock.advance('1m')
  const collect = await follow(mock)
  for (const { id } of await mock.callbacks()) await mock.call('POST', `/callbacks/${id}/resend`)
  await mock.advance('1m')
  const events = await collect(2)
  t.match(
    events.sort((a, b) => String(a.kind).localeCompare(String(b.kind))),
    [
      { type: 'callback', kind: 'deposit', paymentId: deposit.depositId },
      { type: 'callback', kind: 'refund', paymentId: refund.refundId }
    ]
  )
})

t.test('the callback of a statement has no payment', async (t) => {
  const merchant = await receiver(t)
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const collect = await follow(mock)
  await post(mock, '/v2/statements', {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: merchant.url,
    startDate: '2026-01-01T00:00:00',
    endDate: '2026-01-31T23:59:59'
  })
  await mock.advance('1m')
  const [event] = await collect(1)
  t.match(event, { type: 'callback', kind: 'statement', state: 'ACKNOWLEDGED' })
  t.notOk('paymentId' in event)
})

t.test('a stream can have the events of all accounts', oneServerOptions, async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const collect = await follow(mock, 'all')
  await post(mock, '/v2/deposits', requests.v2.deposit!(), 'sandbox-secret')
  await post(mock, '/v2/deposits', requests.v2.deposit!())
  const events = await collect(2)
  t.match(events, [{ account: /^sandbox account \d+$/ }, { account: 'default' }])
  const { number } = (await mock.accounts()).find(({ name }) => name === 'sandbox-secret')!
  t.equal(events[0].account, `sandbox account ${number}`, 'the list of accounts has the number')
  t.notMatch(JSON.stringify(events), 'sandbox-secret')
})

t.test('a mock that stops ends the stream', async (t) => {
  const mock = await createMomock()
  const opened = Promise.withResolvers<void>()
  const events = mock.events({ onOpen: opened.resolve })
  const first = events.next()
  await opened.promise
  await mock.close()
  t.same(await first, { value: undefined, done: true })
})

t.test('a stream refuses other accounts than own and all', async (t) => {
  const mock = await createMomock()
  t.teardown(mock.close)
  await t.rejects(mock.call('GET', '/events?accounts=some'), {
    status: 400,
    message: /accounts must be 'own' for the events of this account, or 'all'/
  })
})

t.test('a client that connects again gets what it has missed', async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const send = async (): Promise<string> => {
    const deposit = requests.v2.deposit!()
    await post(mock, '/v2/deposits', deposit)
    return String(deposit.depositId)
  }
  const collectIds = async (stream: FollowedStream, count: number): Promise<string[]> =>
    (await stream.collect(({ event }) => event === 'accepted', count)).map(
      ({ data }) => data.paymentId
    )
  const first = await followStream(t, mock.url)
  const seen = await send()
  const [{ id, data }] = await first.collect(({ event }) => event === 'accepted', 1)
  t.equal(data.paymentId, seen)
  first.close()
  const missed = await send()
  const again = await followStream(t, mock.url, id)
  t.strictSame(await collectIds(again, 1), [missed])
  for (const unknown of ['nonsense', '5.1', '', '0.99999']) {
    const stream = await followStream(t, mock.url, unknown)
    const next = await send()
    const isPast = unknown === 'nonsense' || unknown === ''
    const [received] = await collectIds(stream, 1)
    t.equal(received, isPast ? next : seen, `after the id '${unknown}'`)
    stream.close()
  }
})

t.test('a client that comes back late learns how much it has missed', long, async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const first = await followStream(t, mock.url)
  for (let n = 0; n < 1010; n += 10) {
    await Promise.all(Array.from({ length: 10 }, () => post(mock, '/v2/nothing', {})))
  }
  const answers = await first.collect(({ event }) => event === 'answer', 3)
  const again = await followStream(t, mock.url, answers[2].id)
  const [missed] = await again.collect(() => true, 1)
  t.match(missed, { event: 'missed', data: { count: 7 } })
})

t.test('a client learns what it has missed, also when nothing is kept any more', async (t) => {
  for (const [kept, after, missed] of [
    [[28, 29, 30], 27, 0],
    [[28, 29, 30], 20, 7],
    [[], 30, 0],
    [[], 1, 29],
    // The server has started again since.
    [[], 99, 0]
  ] as const) {
    const listKept = (): object[] => kept.map((number) => ({ number, account: 1, event: {} }))
    const feed = { count: 30, listKept, listen: () => () => {} } as unknown as EventFeed
    let count = 0
    const { id } = followEvents(feed, undefined, () => {}, () => {})
    const since = id.replace('.30', `.${after}`)
    followEvents(feed, since, () => {}, (missed) => (count = missed))
    t.equal(count, missed, `after ${after}, with ${kept.length} kept`)
  }
})
