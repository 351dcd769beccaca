import t from 'tap'
import type { Attempt, Delivery, DeliveryVerdict } from '../../src/ports/ledger.ts'
import { nextAttempt } from '../../simulator/retries.ts'

/** Retries of callbacks: when the next attempt is due, and when there is none. */

const start = Date.parse('2026-01-31T12:00:00Z')
const minuteMs = 60_000

function createDelivery (attempts: number): Delivery {
  return {
    seq: 1,
    account: 1,
    payment: 1,
    queue: 16,
    url: 'https://shop.example/callbacks',
    body: '{}',
    attempts,
    firstDue: start,
    ...(attempts > 0 && { firstAttempt: start })
  }
}

function createAttempt (at: number, status: number | undefined): Attempt {
  const request = { headers: {}, body: '{}' }
  return { at, durationMs: 1, request, ...(status !== undefined && { status }) }
}

t.test('a callback is acknowledged by 2xx and by no other answer', async (t) => {
  for (const [status, state] of [
    [200, 'ACKNOWLEDGED'],
    [204, 'ACKNOWLEDGED'],
    [299, 'ACKNOWLEDGED'],
    [199, 'PENDING'],
    [302, 'PENDING'],
    [404, 'PENDING'],
    [500, 'PENDING'],
    [undefined, 'PENDING']
  ] as const) {
    const verdict = nextAttempt(createDelivery(0), createAttempt(start, status), start)
    t.equal(verdict.state, state, `${status}`)
  }
})

t.test('the delay doubles up to two minutes, from the end of the attempt', async (t) => {
  for (const [attempts, seconds] of [
    [0, 1],
    [1, 2],
    [2, 4],
    [6, 64],
    [7, 120],
    [8, 120]
  ]) {
    const waitMs = seconds * 1000
    for (const lastedMs of [0, 10_000]) {
      const ended = start + lastedMs
      const expected: DeliveryVerdict = { state: 'PENDING', due: ended + waitMs, waitMs }
      t.same(nextAttempt(createDelivery(attempts), createAttempt(start, 500), ended), expected)
    }
  }
})

t.test('a callback is exhausted when the next attempt would be after 15 minutes', async (t) => {
  const last = start + 13 * minuteMs
  t.same(nextAttempt(createDelivery(9), createAttempt(last, 500), last), {
    state: 'PENDING',
    due: start + 15 * minuteMs,
    waitMs: 2 * minuteMs
  })
  const exhausted = { state: 'EXHAUSTED' }
  t.same(nextAttempt(createDelivery(9), createAttempt(last, 500), last + 1), exhausted)
})
