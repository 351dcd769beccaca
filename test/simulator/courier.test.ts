import { pino } from 'pino'
import t from 'tap'
import { Courier, type CourierParts } from '../../simulator/courier.ts'
import { DeliverySlots } from '../../simulator/delivery-slots.ts'
import { firstCallbackQueue } from '../../src/ports/due-queue.ts'
import type { Delivery, Exchange } from '../../src/ports/ledger.ts'
import { runningClock } from '../../src/lib/clock.ts'
import { Counters } from '../../src/monitoring/counters.ts'
import { until } from '../support/helper.ts'
import { waitFor } from '../support/waits.ts'

/** Callbacks while the server stops, while the ledger refuses, and while some are dropped. */

const queue = { account: 1, queue: firstCallbackQueue }
const nextQueue = { account: 1, queue: firstCallbackQueue + 1 }
const request = { headers: {}, body: '' }

function deliver (seq: number, payment: number, to = queue): Delivery {
  const url = 'http://127.0.0.1:1/'
  return { ...to, seq, payment, url, body: '{}', firstDue: 0, attempts: 0 }
}

type Send = (delivery: Delivery, stop: AbortSignal) => Promise<Exchange>

/** Returns a courier with a closed ledger, except for some calls of its outbox. */
function createCourier (
  outbox: object,
  send: Send,
  accounts: object = { byId: () => ({ clock: runningClock() }) }
): Courier {
  const recordAttempt = async (): Promise<void> => {
    throw new Error('the ledger is closed')
  }
  return new Courier({
    accounts,
    systemClock: { now: () => 0 },
    log: pino({ level: 'silent' }),
    counters: new Counters(),
    observation: {},
    callbackSender: { sendCallback: send, close: async () => {} },
    outbox: { recordAttempt, ...outbox }
  } as unknown as CourierParts)
}

t.test('a callback that is taken while the server stops is not sent', async (t) => {
  const sent: number[] = []
  const takeDueCallbacks = async (): Promise<Delivery[]> => {
    await courier.close()
    return [deliver(1, 1)]
  }
  const courier = createCourier({ takeDueCallbacks }, async ({ seq }) => {
    sent.push(seq)
    return { request, status: 200 }
  })
  t.equal(await courier.sendDueCallbacks(queue, 0), 0)
  t.strictSame(sent, [], 'the next start sends it')
})

t.test('while the server stops, no callback is begun that would be aborted', async (t) => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const aborted: number[] = []
  const sent: number[] = []
  let seq = 0
  const outbox = {
    takeDueCallbacks: async () => [deliver(++seq, seq)],
    recordAttempt: async () => {}
  }
  const courier = createCourier(outbox, async ({ seq }, stop) => {
    sent.push(seq)
    stop.addEventListener('abort', () => aborted.push(seq))
    if (seq === 1) await answered
    else await new Promise((resolve) => stop.addEventListener('abort', resolve))
    return { request, status: 200 }
  })
  await courier.sendDueCallbacks(queue, 0)
  const closed = courier.close()
  t.equal(await courier.sendDueCallbacks(queue, 0), 0)
  answer()
  await closed
  t.strictSame([sent, aborted], [[1], []])
})

t.test('a callback that waits for a connection is not sent after the stop', async (t) => {
  const sent: number[] = []
  let seq = 0
  const takeDueCallbacks = async (): Promise<Delivery[]> =>
    Array.from({ length: 40 }, () => deliver(++seq, seq))
  const courier = createCourier({ takeDueCallbacks }, async ({ seq }, stop) => {
    sent.push(seq)
    await new Promise((resolve) => stop.addEventListener('abort', resolve))
    return { request, error: 'aborted' }
  })
  await courier.sendDueCallbacks(queue, 0)
  const closed = courier.close()
  // More are taken in the time that callbacks on their way have.
  await courier.sendDueCallbacks(queue, 0)
  await closed
  t.equal(sent.length, 32, 'those that had a connection')
})

t.test('a callback that cannot be begun leaves its connection to others', async (t) => {
  let seq = 0
  let begun = 0
  const byId = (): object => {
    if (++begun <= 32) throw new Error('there is no such account')
    return { clock: runningClock() }
  }
  const sent = Promise.withResolvers<number>()
  const outbox = {
    takeDueCallbacks: async () => Array.from({ length: 33 }, () => deliver(++seq, seq)),
    recordAttempt: async () => {}
  }
  const send: Send = async ({ seq }) => {
    sent.resolve(seq)
    return { request, status: 200 }
  }
  const courier = createCourier(outbox, send, { byId })
  await courier.sendDueCallbacks(queue, 0)
  t.equal(await waitFor('the last callback', sent.promise), 33)
})

t.test('an account stays held until its aborted callbacks are due again', async (t) => {
  let requeues = 0
  let refreshes = 0
  const outbox = {
    requeueLostCallbacks: async () => {
      if (++requeues === 1) throw new Error('the disk is full')
    },
    takeDueCallbacks: async () => []
  }
  const courier = createCourier(outbox, async () => ({ request, status: 200 }))
  courier.holdAccount(queue.account)
  const refresh = async (): Promise<void> => {
    refreshes++
  }
  await t.rejects(courier.resumeAccount(queue.account, refresh), /the disk is full/)
  await until(
    async () => refreshes,
    (count) => count === 1
  )
  t.equal(requeues, 2)
})

t.test('a callback that is dropped lets the next one of its payment start', async (t) => {
  const started: number[] = []
  const slots = new DeliverySlots(1, ({ seq }) => started.push(seq))
  slots.add(deliver(1, 1))
  slots.add(deliver(2, 2))
  slots.add(deliver(3, 2, nextQueue))
  slots.dropWaiting((delivery) => delivery.queue === queue.queue)
  t.strictSame(started, [1, 3])
})
