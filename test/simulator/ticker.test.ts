import { pino } from 'pino'
import t from 'tap'
import { Ticker } from '../../simulator/ticker.ts'
import type { Account } from '../../src/domain/account.ts'
import { paymentQueue, type Queue } from '../../src/ports/due-queue.ts'
import { runningClock, stopwatch, systemClock } from '../../src/lib/clock.ts'
import { build, id, receiver, testMachine, until } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, requests } from '../support/examples.ts'
import { waitFor } from '../support/waits.ts'

/** Due work is never forgotten, however it was added to the due queue. */

t.test('every callback arrives when many accounts are busy at once', async (t) => {
  const merchant = await receiver(t)
  const { call } = await build(t, { callbackUrl: merchant.url })
  const sent = new Set<string>()
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      for (let i = 0; i < 6; i++) {
        const body = requests.v2.deposit!()
        sent.add(body.depositId)
        await call('POST', '/v2/deposits', body, { authorization: `Bearer sandbox-${n}` })
        await new Promise((resolve) => setTimeout(resolve, (n * 7 + i * 13) % 40))
      }
    })
  )
  await until(
    async () => merchant.received.length,
    (count) => count >= sent.size
  )
  t.strictSame(new Set(merchant.received.map(({ body }) => body.depositId)), sent)
})

t.test('an account continues after its clock jumps over a due time', async (t) => {
  const { call } = await openSandbox(t)
  for (const [method, path, body] of [
    ['POST', '/clock/advance', { by: '10m' }],
    ['PUT', '/clock', { mode: 'running', now: '2031-01-01T00:00:00Z' }],
    ['PUT', '/clock', { mode: 'running', now: '2021-01-01T00:00:00Z' }]
  ] as const) {
    await call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/',
      expiresAfter: 3
    })
    await call(method, `/__admin${path}`, body)
    const deposit = requests.v2.deposit!()
    await call('POST', '/v2/deposits', deposit)
    t.equal(
      (
        await until(
          async () => (await call('GET', `/v2/deposits/${deposit.depositId}`)).body.data,
          ({ status }) => status === 'COMPLETED'
        )
      ).status,
      'COMPLETED',
      JSON.stringify(body)
    )
  }
})

t.test('each cancelled payment is called back', async (t) => {
  const merchant = await receiver(t)
  const { call } = await openSandbox(t, { callbackUrl: merchant.url })
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  const payouts = Array.from({ length: 10 }, () => but(requests.v2.payout!(), 'amount', '1'))
  for (const body of payouts) await call('POST', '/v2/payouts', body)
  for (const { payoutId } of payouts) await call('POST', `/v2/payouts/fail-enqueued/${payoutId}`)
  await until(
    async () => merchant.received.length,
    (count) => count >= payouts.length
  )
  t.equal(merchant.received.length, payouts.length)
})

t.test('payments and callbacks follow a system clock that jumps forward', async (t) => {
  const merchant = await receiver(t)
  const systemClock = testMachine()
  const { call } = await build(t, { callbackUrl: merchant.url }, systemClock)
  const completed = async (): Promise<string[]> =>
    merchant.received
      .filter(({ body }) => body.status === 'COMPLETED')
      .map(({ body }) => body.depositId)
  const [quick, slow] = [requests.v2.deposit!(), requests.v2.deposit!()]
  await call('POST', '/v2/deposits', quick)
  await call('POST', '/__admin/scenarios', {
    name: 'slow',
    when: { kind: 'deposit' },
    script: [
      { after: '1ms', to: 'PROCESSING' },
      { after: '1h', to: 'COMPLETED' }
    ]
  })
  await call('POST', '/v2/deposits', slow)
  // After the callback of the quick deposit, only the slow one is waited for.
  systemClock.time += 1000
  await until(completed, (ids) => ids.includes(quick.depositId))
  systemClock.time += 2 * 60 * 60 * 1000
  t.strictSame(await until(completed, ({ length }) => length === 2), [
    quick.depositId,
    slow.depositId
  ])
})

t.test('work of an account that was deleted meanwhile is forgotten', async (t) => {
  const accounts = new Map([1, 2].map((id) => [id, { id, clock: runningClock() } as Account]))
  const worked = Promise.withResolvers<number>()
  const listeners: Array<(queue: Queue, due: number) => void> = []
  const ticker = new Ticker(
    {
      listen: (listener) => listeners.push(listener),
      listQueues: async () => [],
      listQueuesOf: async () => [],
      findNextDue: async () => undefined
    },
    { find: (id) => accounts.get(id), byId: (id) => accounts.get(id)! },
    { now: () => Date.now() },
    pino({ level: 'silent' }),
    async ({ account }) => {
      worked.resolve(account)
      return true
    }
  )
  await ticker.start()
  t.teardown(() => ticker.stop())
  for (const account of [1, 2]) listeners[0]({ account, queue: paymentQueue }, Date.now())
  accounts.delete(1)
  t.equal(await worked.promise, 2, 'the other account goes on')
  t.doesNotThrow(() => listeners[0]({ account: 1, queue: paymentQueue }, Date.now()))
})

t.test('an account goes on after its due times could not be read', async (t) => {
  const worked = Promise.withResolvers<number>()
  const account = { id: 1, clock: runningClock() } as Account
  let now = 0
  const ticker = new Ticker(
    {
      listen: () => {},
      listQueues: async () => [{ account: 1, queue: paymentQueue, due: 50 }],
      listQueuesOf: async () => {
        throw new Error('the disk is full')
      },
      findNextDue: async () => undefined
    },
    { find: () => account, byId: () => account },
    { now: () => now },
    pino({ level: 'silent' }),
    async ({ account }) => {
      worked.resolve(account)
      return true
    }
  )
  await ticker.start()
  t.teardown(() => ticker.stop())
  await t.rejects(ticker.refreshAccount(1), /the disk is full/)
  now = 100
  t.equal(await worked.promise, 1)
})

t.test('work that failed is tried again a second later at any speed', async (t) => {
  await Promise.all(
    [0.01, 1, 1000].map(async (speed) => {
      const account = { id: 1, clock: { ...runningClock(), since: Date.now(), speed } } as Account
      const tries: number[] = []
      const done = Promise.withResolvers<void>()
      const ticker = new Ticker(
        {
          listen: () => {},
          listQueues: async () => [{ account: 1, queue: paymentQueue, due: 0 }],
          listQueuesOf: async () => [],
          findNextDue: async () => undefined
        },
        { find: () => account, byId: () => account },
        systemClock,
        pino({ level: 'silent' }),
        async () => {
          if (tries.push(stopwatch()) === 1) throw new Error('the disk is full')
          done.resolve()
          return true
        }
      )
      await ticker.start()
      await waitFor(`the second try at speed ${speed}`, done.promise)
      await ticker.stop()
      t.ok(tries[1] - tries[0] >= 999, `speed ${speed}`)
    })
  )
})
