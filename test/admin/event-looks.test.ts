import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Account } from '../../src/domain/account.ts'
import type { Callback } from '../../src/ports/ledger.ts'
import { runningClock, systemClock } from '../../src/lib/clock.ts'
import { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
import { Journal } from '../../src/monitoring/request-journal.ts'
import { EventWaiter, type EventWaiterParts } from '../../src/services/event-waiter.ts'
import { Verification } from '../../src/services/verification.ts'
import { until } from '../support/helper.ts'

/** How much of an account a wait and a verification read, and how often. */

const account = { id: 1, clock: runningClock() } as Account
const pageSize = 500

/** An account with callbacks that are numbered from 1 on. Pages that are read are counted. */
function openAccount (size: number): {
  verification: Verification
  waiter: EventWaiter
  listeners: ChangeListeners
  countReads: () => number
} {
  let reads = 0
  const verification = new Verification(
    {} as Journal,
    {
      callbacks: async (_, { after = size + 1, limit }) => {
        reads++
        const length = Math.min(limit, after - 1)
        return Array.from({ length }, (_, n) => createCallback(after - 1 - n))
      },
      list: async () => {
        reads++
        return { found: [] }
      }
    },
    { countRows: async (_table, _account, before = 0) => Math.max(0, before - 1) }
  )
  const listeners = new ChangeListeners()
  const waiter = new EventWaiter({
    verification,
    accounts: { changes: { keepInUse: (_: Account, work: () => unknown) => work() } },
    journal: new Journal(10),
    changeListeners: listeners,
    systemClock
  } as unknown as EventWaiterParts)
  return { verification, waiter, listeners, countReads: () => reads }
}

function createCallback (seq: number): Callback {
  const url = 'http://shop.test/callbacks'
  const body = JSON.stringify({ number: seq })
  return { seq, url, body, created: seq, state: 'PENDING', tries: 0, attempts: [] }
}

t.test('a wait reads the latest events first, and ends with those it needs', async (t) => {
  const rows: Array<[body: object, count: number, pages: number, newest: number]> = [
    [{}, 1, 1, 1400],
    [{ number: 1400 }, 1, 1, 1400],
    [{ number: 700 }, 1, 2, 700],
    [{}, 501, 2, 1400]
  ]
  for (const [body, count, pages, newest] of rows) {
    const { waiter, countReads } = openAccount(1400)
    const waited = { step: { callback: { body } }, count }
    const outcome = await waiter.wait(account, waited, 60_000, new AbortController().signal)
    t.match(outcome, { found: { id: newest } }, JSON.stringify(waited))
    t.equal(countReads(), pages)
  }
})

t.test('an open wait looks again after a change, and not before', async (t) => {
  const { waiter, listeners, countReads } = openAccount(10)
  const waited = { step: { callback: { body: { number: 11 } } }, count: 1 }
  const abandoned = new AbortController()
  const waiting = waiter.wait(account, waited, 60_000, abandoned.signal)
  for (const looks of [1, 2, 3]) {
    await until(
      async () => countReads(),
      (count) => count === looks
    )
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    t.equal(countReads(), looks)
    listeners.notify(looks === 3 ? 2 : account.id, { seq: 1 })
  }
  abandoned.abort()
  t.match(await waiting, { unmet: { count: 0 } })
  t.equal(listeners.size, 0)
})

t.test('a wait for one payment looks again after its own changes only', async (t) => {
  const { waiter, listeners, countReads } = openAccount(0)
  const [id, other] = ['11111111-1111-4111-8111-111111111111', 'another']
  const abandoned = new AbortController()
  const waited = { step: { payment: { id: id.toUpperCase() } }, count: 1 }
  const waiting = waiter.wait(account, waited, 60_000, abandoned.signal)
  for (const [looks, changed] of [
    [1, other],
    [1, id],
    [2, other]
  ] as const) {
    await until(
      async () => countReads(),
      (count) => count === looks
    )
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    t.equal(countReads(), looks)
    listeners.notify(account.id, { seq: 1, details: { id: changed } })
  }
  abandoned.abort()
  t.match(await waiting, { unmet: { count: 0 } })
})

t.test('a verification reads the last 10,000 events, and counts those before', async (t) => {
  for (const [size, dropped] of [
    [0, 0],
    [pageSize, 0],
    [10_000, 0],
    [10_700, 700]
  ]) {
    const { verification, countReads } = openAccount(size)
    const all = { callback: {}, atLeast: size - dropped }
    const none = { callback: { body: { number: 0 } }, count: 0 }
    const { failed, ...rest } = await verification.verify(account, [all, none])
    t.same(rest, { dropped }, `${size} callbacks`)
    t.match(
      failed.map(({ index }) => index),
      dropped === 0 ? { length: 0 } : { 0: 1, length: 1 },
      'what is not looked at may fit'
    )
    t.equal(countReads(), Math.min(Math.floor(size / pageSize) + 1, 10_000 / pageSize))
  }
})
