import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { CallbackView, PaymentSummary as SummarySchema, PaymentView } from '../routes/admin/views.ts'
import { connectMomock, createMomock, MomockError, type Callback, type Momock, type MomockClient, type Payment, type PaymentSummary } from '../src/index.ts'
import { but, requests } from './examples.ts'
import { receiver } from './helper.ts'
import { serve } from './process.ts'

/** Compiles only if what the reference promises is what the types say. */
type Promised<Answer, Shown extends Answer> = Shown
export type Promises = [Promised<PaymentSummary, Static<typeof SummarySchema>>, Promised<Payment, Static<typeof PaymentView>>, Promised<Callback, Static<typeof CallbackView>>]

const deposit = () => but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')

async function pay ({ url, token }: MomockClient, body = deposit()): Promise<string> {
  const response = await fetch(`${url}/v2/deposits`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const { status } = await response.json() as { status: string }
  if (status !== 'ACCEPTED') throw new Error(`${status}`)
  return body.depositId
}

/** The same story, whether the mock is in this process or in another. */
const places: Array<[where: string, open: (t: any, callbackUrl: string) => Promise<MomockClient>]> = [
  ['in this process', async (t, callbackUrl) => {
    const mock: Momock = await createMomock({ port: 0, clock: 'frozen', callbackUrl })
    t.teardown(() => mock.close())
    return mock
  }],
  ['in another', async (t, callbackUrl) => {
    const { ready } = await serve(t, ['--clock', 'frozen', '--callback-url', callbackUrl, '--admin-token', 'secret'])
    return connectMomock(`${ready.url}/`, ready.token, { adminToken: 'secret' })
  }]
]

for (const [where, open] of places) {
  t.test(`a mock ${where}, in the hands of a test`, async (t) => {
    const merchant = await receiver(t)
    const mock = await open(t, merchant.url)
    const id = await pay(mock)
    t.match(await mock.advance('15m'), { mode: 'frozen', transitions: 2, callbacks: 1 })
    t.match(await mock.wait('deposit', id), { status: 'COMPLETED', scenario: 'default' })
    t.match(await mock.wait('deposit', id, 'acknowledged'), { callbacks: [{ state: 'ACKNOWLEDGED' }] })
    t.match(await mock.callbacks(), [{ paymentId: id, attempts: [{ status: 200 }] }])
    t.match(await mock.callbacks({ state: 'PENDING' }), [])
    t.match(await mock.scenario({ when: { kind: 'deposit' }, script: [{ after: '1s', to: 'PROCESSING' }, { after: '1m', to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }], times: 1 }), { name: /^scenario-\d+$/, used: 0, remaining: 1 })
    const failing = await pay(mock)
    await mock.advance({ until: 'idle' })
    t.match(await mock.payment('deposit', failing), { status: 'FAILED', history: [{}, {}, { failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' } }] })
    const [used] = await mock.scenarios()
    t.match(used, { used: 1, remaining: 0 })
    await mock.removeScenario(used.name)
    t.strictSame((await mock.payments({ status: 'FAILED' })).map(({ id }) => id), [failing])
    t.match(await mock.provider('MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' }), { operationTypes: { DEPOSIT: 'CLOSED' } })
    await t.rejects(pay(mock), /REJECTED/)
    const other = mock.as('sandbox-client')
    t.match(await other.setClock({ mode: 'frozen', now: '2026-01-01T00:00:00Z' }), { now: '2026-01-01T00:00:00.000Z' })
    const moved = await pay(other)
    t.match(await other.move('deposit', moved, 'FAILED', 'INSUFFICIENT_BALANCE'), { status: 'FAILED' })
    t.strictSame((await other.payments()).map(({ id }) => id), [moved])
    t.not((await mock.clock()).now, (await other.clock()).now)
    await mock.orderSink('shop', [500])
    t.match(await mock.sink('shop'), { received: 0, url: /\/__admin\/sink\/shop$/ })
    const refused = await mock.wait('deposit', moved).catch((error: unknown) => error)
    t.ok(refused instanceof MomockError)
    t.match(refused, { status: 404, code: 'NOT_FOUND', message: /^POST \/__admin\/wait: there is no deposit .* \(a payment belongs to/ })
  })
}

t.test('lists are whole, however many pages they have', async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const ids: string[] = []
  for (let batch = 0; batch < 11; batch++) ids.push(...await Promise.all(Array.from({ length: 100 }, () => pay(mock))))
  t.equal((await mock.payments()).length, 1100)
  t.equal((await mock.payments({ limit: 3 })).length, 3)
})

t.test('a program that closes its mock ends by itself', async (t) => {
  const source = `
    import { createMomock } from '${new URL('../src/index.ts', import.meta.url).href}'
    const mock = await createMomock()
    await mock.advance('1s')
    await mock.close()`
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'inherit', 'inherit'], env })
  t.teardown(() => child.kill('SIGKILL'))
  t.strictSame(await once(child, 'exit'), [0, null])
})

t.test('a setting that does not exist is named', async (t) => {
  await t.rejects(createMomock({ prot: 1 } as object), /prot is not supported here; did you mean port\?/)
})
