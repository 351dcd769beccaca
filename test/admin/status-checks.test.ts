import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { connectMomock, type Momock } from '../../src/index.ts'
import type { StatusCheckAnswer } from '../../src/index.ts'
import { createMomock } from '../support/momock.ts'

/** The answers to status checks that a tester orders, and callbacks that a tester has signed. */

const depositId = 'f4401bd2-1568-4140-bf2d-eb77d2b2b639'

async function openMock (t: Test): Promise<Momock> {
  const mock = await createMomock()
  t.teardown(() => mock.close())
  const body = {
    depositId,
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    }
  }
  const headers = { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' }
  await fetch(`${mock.url}/v2/deposits`, { method: 'POST', headers, body: JSON.stringify(body) })
  await mock.wait('deposit', depositId)
  return mock
}

interface Checked {
  status: number
  type: string | null
  body: any
}

async function check (mock: Momock, path = '/v2/deposits'): Promise<Checked> {
  const headers = { authorization: `Bearer ${mock.token}` }
  const response = await fetch(`${mock.url}${path}/${depositId}`, { headers })
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: await response.json() }
}

const orders: Array<[answer: StatusCheckAnswer, v2: object, v1: object]> = [
  [{ found: false }, { status: 200, body: { status: 'NOT_FOUND' } }, { status: 200, body: [] }],
  [{ status: 503 }, { status: 503 }, { status: 503 }],
  [{ status: 429 }, { status: 429 }, { status: 429 }],
  [
    { record: { status: 'PROCESSING' } },
    { body: { data: { status: 'PROCESSING' } } },
    { body: [{ status: 'PROCESSING' }] }
  ],
  [
    { record: { country: null, amount: 15 } },
    { body: { data: { country: undefined, amount: 15 } } },
    { body: [{ country: undefined, amount: 15 }] }
  ],
  [{ delay: 1 }, { body: { data: { status: 'COMPLETED' } } }, { body: [{ status: 'COMPLETED' }] }]
]

t.test('a status check is answered as ordered, and honestly after that', async (t) => {
  const mock = await openMock(t)
  for (const [answer, v2, v1] of orders) {
    const about = JSON.stringify(answer)
    await mock.orderStatusChecks({ answers: [answer, answer] })
    const type = 'application/json; charset=utf-8'
    t.match(await check(mock), { ...v2, type }, `${about} in v2`)
    t.match(await check(mock, '/deposits'), { ...v1, type }, `${about} in v1`)
    t.match(
      await check(mock),
      { body: { status: 'FOUND', data: { status: 'COMPLETED' } } },
      `${about}: then as usual`
    )
  }
})

t.test('a reset connection, what comes after the list, other accounts and a reset', async (t) => {
  const mock = await openMock(t)
  const ordered = await mock.orderStatusChecks({
    answers: [{ fault: 'reset' }],
    then: { status: 500 }
  })
  t.same(ordered, { answers: [{ fault: 'reset' }], then: { status: 500 } })
  await t.rejects(check(mock), 'no answer')
  t.match(await check(mock), {
    status: 500,
    body: { failureReason: { failureCode: 'UNKNOWN_ERROR' } }
  })
  t.match(await check(mock), { status: 500 }, 'as long as nothing else is ordered')
  const other = connectMomock(mock.url, 'sandbox-other')
  const headers = { authorization: `Bearer ${other.token}` }
  const response = await fetch(`${mock.url}/v2/deposits/${depositId}`, { headers })
  t.match(await response.json(), { status: 'NOT_FOUND' }, 'another account notices nothing')
  await mock.reset()
  t.match(await check(mock), { status: 200, body: { status: 'NOT_FOUND' } }, 'a reset ends it')
})

const refused: Array<[body: object, message: RegExp]> = [
  [{ answers: [{ delay: '61s' }] }, /delay must be at most 60s/],
  [{ answers: [{ status: 404 }] }, /answers\.0\.status must be 500, 503 or 429/],
  [{ answer: [] }, /answer is not supported here; did you mean answers/]
]

t.test('orders that make no sense are refused and change nothing', async (t) => {
  const mock = await openMock(t)
  for (const [body, message] of refused) {
    await t.rejects(mock.call('PUT', '/status-checks', body), { message }, JSON.stringify(body))
  }
  t.same(await mock.call('GET', '/status-checks'), { answers: [], then: {} })
})

t.test('a callback is signed as the server would sign it', async (t) => {
  const mock = await openMock(t)
  const url = `${mock.url}/__admin/sink/shop`
  const send = async (order: { at?: string; wrongKey?: boolean }): Promise<string> => {
    const { headers, body } = await mock.signCallback({ url, body: '{ "any": "thing" }', ...order })
    await fetch(url, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${mock.token}` },
      body
    })
    const { signature } = (await mock.sink('shop')).callbacks.at(-1) ?? {}
    return `${signature?.valid} ${signature?.because}`
  }
  t.match(await send({}), /^true/)
  t.match(await send({ wrongKey: true }), /^false .*(signature|key)/)
  t.match(await send({ at: '2026-01-01T00:00:00Z' }), /^false .*expired|^false/)
  await t.rejects(mock.signCallback({ url: 'shop', body: '' }), {
    message: /url must be the http or https URL/
  })
})

t.test('nothing is sent when a callback is signed', async (t) => {
  const mock = await openMock(t)
  let received = 0
  const server = createServer((_, response) => {
    received++
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  await mock.signCallback({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    body: '{}'
  })
  t.equal(received, 0)
})
