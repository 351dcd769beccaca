import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
import { requests } from '../support/examples.ts'
import { patient, type Client } from '../support/helper.ts'
import { oneServerOptions } from '../support/servers.ts'
import { openSandbox } from '../support/sandboxes.ts'

t.test('a change wakes up only the listeners of its payment', async (t) => {
  const listeners = new ChangeListeners()
  const calls: string[] = []
  const unlisten = [
    listeners.listen(1, [{ seq: 10 }, { id: 'AB' }], () => calls.push('ten')),
    listeners.listen(1, [{ seq: 11 }], () => calls.push('eleven')),
    listeners.listen(1, [{ phoneNumber: '260' }], () => calls.push('phone')),
    listeners.listen(2, [{ seq: 10 }], () => calls.push('other account'))
  ]
  const rows: Array<[change: Parameters<ChangeListeners['notify']>, wanted: string[]]> = [
    [[1, { seq: 10, details: { id: 'ab' } }], ['ten']],
    [
      [1, { seq: 11, details: { phoneNumber: '260' } }],
      ['eleven', 'phone']
    ],
    [[1, { seq: 12, details: { id: 'cd', phoneNumber: '261' } }], []],
    [[2, { seq: 10 }], ['other account']],
    [[1], ['ten', 'eleven', 'phone']],
    [[3], []]
  ]
  for (const [change, wanted] of rows) {
    listeners.notify(...change)
    t.strictSame(calls, [], 'nobody is called before the transaction has ended')
    await nextTurn()
    t.strictSame(calls.splice(0), wanted, JSON.stringify(change))
  }
  t.equal(listeners.size, 5)
  listeners.notify(1)
  for (const stop of unlisten) stop()
  await nextTurn()
  t.strictSame(calls, [], 'a listener that has left is not called')
  t.equal(listeners.size, 0)
})

t.test('a wait leaves no listener behind', oneServerOptions, async (t) => {
  const mock = await openSandbox(t)
  const deposit = async (): Promise<string> => {
    const request = requests.v2.deposit!() as { depositId: string }
    await mock.call('POST', '/v2/deposits', request)
    return request.depositId
  }
  const wait = (id: string, fields: object = {}) =>
    mock.call('POST', '/__admin/wait', { kind: 'deposit', id, ...fields })
  const id = await deposit()
  t.match(await wait(id), { status: 200, body: { status: 'COMPLETED' } })
  t.match(await wait(id), { status: 200 }, 'it is final already')
  t.match(await wait(id, { until: 'FAILED' }), { status: 408 }, 'it can never fail')
  t.match(await wait('11111111-1111-4111-8111-111111111111'), { status: 404 })
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen' })
  const open = await deposit()
  t.match(await wait(open), { status: 409 }, 'the clock is frozen')
  await mock.call('PUT', '/__admin/clock', { mode: 'running', speed: 0.001 })
  t.match(await wait(open, { timeout: '1ms' }), { status: 408 }, 'the time is up')
  t.equal(await countListeners(mock), 0)
  const pending = wait(open)
  while ((await countListeners(mock)) === 0) await nextTurn()
  t.equal(await countListeners(mock), 2, 'an open wait listens to its payment')
  await mock.call('PUT', '/__admin/clock', { mode: 'running', speed: 1000 })
  t.match(await pending, { status: 200, body: { status: 'COMPLETED' } })
  t.equal(await countListeners(mock), 0)
})

async function countListeners ({ call }: Client): Promise<number> {
  const { body } = await call('GET', '/__admin/metrics')
  return Number(/^momock_change_listeners (\d+)$/m.exec(String(body))?.[1])
}

t.test('a wait for a callback without a URL ends at once and says how to set one', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const { depositId: id } = (await call('POST', '/v2/deposits', requests.v2.deposit!())).body
  const wait = { kind: 'deposit', id, until: 'acknowledged', timeout: '5m' }
  const sink = 'http://127.0.0.1:1/__admin/sink/shop'
  const refusal = {
    status: 408,
    body: {
      error: {
        code: 'TIMEOUT',
        message:
          `deposit ${id} is ACCEPTED, and no callback URL is set for deposits: nothing will be ` +
          'sent',
        hint: /--callback-url URL, or PATCH \/__admin\/account \{ "callbacks": \{ "deposits": /,
        seen: { status: 'ACCEPTED' }
      }
    }
  }
  t.match(await call('POST', '/__admin/wait', wait), refusal)
  await call('PATCH', '/__admin/account', { callbacks: { deposits: sink } })
  t.match(await call('POST', '/__admin/wait', wait), { status: 409 }, 'now the clock is frozen')
  await call('PATCH', '/__admin/account', { callbacks: null })
  await call('POST', '/__admin/clock/advance', { by: '1m' })
  t.match(await call('POST', '/__admin/wait', wait), {
    status: 408,
    body: { error: { message: /is COMPLETED and has no callback, and no callback URL is set/ } }
  })
  const payout = (await call('POST', '/v2/payouts', requests.v2.payout!())).body.payoutId
  const other = { ...wait, kind: 'payout', id: payout }
  t.match(await call('POST', '/__admin/wait', other), {
    status: 408,
    body: { error: { hint: /"payouts"/ } }
  })
})

t.test('a running clock is shown as running during an advance, and a wait goes on', async (t) => {
  const merchant = await patient(t)
  const { call } = await openSandbox(t, { callbackUrl: merchant.url })
  await call('PUT', '/__admin/clock', { mode: 'running', speed: 0.5 })
  const deposit = async (): Promise<string> =>
    (await call('POST', '/v2/deposits', requests.v2.deposit!())).body.depositId
  await deposit()
  const advancing = call('POST', '/__admin/clock/advance', { by: '1h' })
  const first = await merchant.next()
  t.match((await call('GET', '/__admin/clock')).body, { mode: 'running', speed: 0.5 })
  const { accounts } = (await call('GET', '/__admin/accounts')).body
  t.equal(accounts.at(-1).clock, 'running')
  const waiting = call('POST', '/__admin/wait', { kind: 'deposit', id: await deposit() })
  first.answer(200)
  const second = await merchant.next()
  second.answer(200)
  t.equal((await advancing).status, 200)
  t.match(await waiting, { status: 200, body: { status: 'COMPLETED' } })
})
