import { pino } from 'pino'
import t from 'tap'
import { Courier, type CourierParts } from '../../simulator/courier.ts'
import { firstCallbackQueue } from '../../src/domain/due-queue.ts'
import type { Delivery } from '../../src/domain/ports.ts'
import { runningClock } from '../../src/lib/clock.ts'
import { Counters } from '../../src/monitoring/counters.ts'

/** Callbacks that are taken from the outbox while the server stops. */

const queue = { account: 1, queue: firstCallbackQueue }
const delivery: Delivery = {
  ...queue,
  seq: 1,
  payment: 1,
  url: 'http://127.0.0.1:1/',
  body: '{}',
  firstDue: 0,
  attempts: 0
}

t.test('a callback that is taken while the server stops is not sent', async (t) => {
  const sent: number[] = []
  const parts: Partial<CourierParts> = {
    accounts: { byId: () => ({ clock: runningClock() }) } as unknown as CourierParts['accounts'],
    systemClock: { now: () => 0 },
    log: pino({ level: 'silent' }),
    counters: new Counters(),
    observation: {},
    callbackSender: {
      sendCallback: async ({ seq }: Delivery) => {
        sent.push(seq)
        return { request: { headers: {}, body: '' }, status: 200 }
      },
      close: async () => {}
    } as unknown as CourierParts['callbackSender'],
    outbox: {
      takeDueCallbacks: async () => {
        await courier.close()
        return [delivery]
      },
      recordAttempt: async () => {
        throw new Error('the ledger is closed')
      }
    } as unknown as CourierParts['outbox']
  }
  const courier = new Courier(parts as CourierParts)
  t.equal(await courier.sendDueCallbacks(queue, 0), 0)
  t.strictSame(sent, [], 'the next start sends it')
  await courier.waitForQueue(queue)
})
