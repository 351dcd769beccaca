import t from 'tap'
import { requests } from '../support/examples.ts'
import { id, patient, receiver, until } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { holdLock, partServers, serveMany } from './servers.ts'

/** Advances of a clock while other servers accept payments and send callbacks. */

/** Makes new payments wait. */
const lockOfPayments = 'LOCK TABLE payments IN SHARE MODE'

const waitingInserts =
  "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'payments'::regclass"
const lockedAccounts = 'SELECT 1 FROM due_leases WHERE queue = 15'
const turns = 'SELECT 1 FROM due_leases WHERE queue = 13'
const isFound = ({ length }: any[]): boolean => length > 0

t.test('an advance moves a payment that is accepted at its end', postgresOptions, async (t) => {
  const merchant = await receiver(t)
  const args = ['--clock', 'frozen', '--callback-url', merchant.url]
  const { db, servers } = await serveMany(t, 2, args)
  const [one, other] = servers
  const release = await holdLock(t, db, lockOfPayments)
  const { depositId } = deposit()
  const accepting = other.call('POST', '/v2/deposits', deposit(depositId))
  await until(() => runSql(db, waitingInserts), isFound)
  const advancing = one.call('POST', '/__admin/clock/advance', { by: '1h' })
  // The advance has looked for due work before the payment is stored, and it is about to end.
  await until(() => runSql(db, lockedAccounts), isFound)
  await release()
  t.equal((await accepting).body.status, 'ACCEPTED')
  const { body } = await advancing
  t.match(body, { transitions: 2, callbacks: 1 })
  t.match(merchant.received, [{ body: { depositId, status: 'COMPLETED' } }])
  t.equal(merchant.received.length, 1, 'the advance ends after its callback')
})

t.test('an advance waits for callbacks that another server sends', postgresOptions, async (t) => {
  const [slow, quick] = [await patient(t), await receiver(t)]
  const served = await serveMany(t, 2, ['--callback-url', slow.url])
  const [one, other] = served.servers
  const { depositId } = deposit()
  await one.call('POST', '/v2/deposits', deposit(depositId))
  const first = await slow.next()
  await other.call('PUT', '/__admin/clock', { mode: 'frozen' })
  await other.call('PATCH', '/__admin/account', { callbacks: { deposits: quick.url } })
  await other.call('POST', `/__admin/payments/deposit/${depositId}/callbacks`, {})
  const idle = (await partServers(served)).other
  const advancing = idle.call('POST', '/__admin/clock/advance', { by: '1s' })
  await until(() => runSql(served.db, turns), isFound)
  first.answer(200)
  t.equal((await advancing).body.callbacks, 1, 'the second callback of the payment')
  t.equal(quick.received.length, 1)
  const { callbacks } = (await one.call('GET', '/__admin/callbacks')).body
  const states = callbacks.map(({ state }: { state: string }) => state)
  t.strictSame(states, ['ACKNOWLEDGED', 'ACKNOWLEDGED'])
})

t.test('all servers show the same time during an advance', postgresOptions, async (t) => {
  const slow = await patient(t)
  const { servers } = await serveMany(t, 2, ['--clock', 'frozen', '--callback-url', slow.url])
  const ids = [deposit().depositId, deposit().depositId]
  const show = async (server: Running): Promise<string[]> => {
    const statuses = ids.map(async (id) => {
      const { body } = await server.call('GET', `/v2/deposits/${id}`)
      return body.data.status
    })
    const { body } = await server.call('GET', '/__admin/clock')
    return [...(await Promise.all(statuses)), body.now]
  }
  const advance = (by: string) => servers[0].call('POST', '/__admin/clock/advance', { by })

  await servers[0].call('POST', '/v2/deposits', deposit(ids[0]))
  await advance('200ms')
  await servers[0].call('POST', '/v2/deposits', deposit(ids[1]))
  const { now: start } = (await servers[0].call('GET', '/__admin/clock')).body
  const advancing = advance('1h')
  const first = await slow.next()
  for (const server of servers) {
    t.strictSame(await show(server), ['COMPLETED', 'PROCESSING', start])
    const { depositId } = deposit()
    await server.call('POST', '/v2/deposits', deposit(depositId))
    const { body } = await server.call('GET', `/__admin/payments/deposit/${depositId}`)
    t.equal(body.history[0].at, start, 'a new payment has this time, too')
    const path = `/__admin/phone/260763456789/deposits/${depositId}`
    const declined = await server.call('POST', path, { decision: 'decline' })
    t.equal(declined.status, 200, 'an action, too: the payment is under way')
    const { requests } = (await server.call('GET', '/__admin/requests')).body
    t.equal(requests[0].at, start, 'and the journal')
  }
  first.answer(200)
  for (let n = 0; n < 3; n++) (await slow.next()).answer(200)
  t.equal((await advancing).body.callbacks, 4)
  const end = new Date(Date.parse(start) + 3_600_000).toISOString()
  for (const server of servers) t.strictSame(await show(server), ['COMPLETED', 'COMPLETED', end])
})

t.test('a checkout counts down on all servers during an advance', postgresOptions, async (t) => {
  const slow = await patient(t)
  const { servers } = await serveMany(t, 2, ['--callback-url', slow.url])
  const [one] = servers
  const checkout = { checkoutId: id(), returnUrl: 'https://shop.example/back' }
  const { redirectUrl } = (await one.call('POST', '/v2/checkouts', checkout)).body
  await one.call('POST', '/v2/deposits', deposit())
  const advancing = one.call('POST', '/__admin/clock/advance', { by: '10s' })
  const callback = await slow.next()
  for (const { ready } of servers) {
    const page = await fetch(ready.url + new URL(redirectUrl).pathname)
    t.match(await page.text(), /data-left-ms="\d+"\s+data-speed="1"/)
  }
  callback.answer(200)
  t.equal((await advancing).status, 200)
})

/** Call of the admin API that changes a clock. */
type ClockCall = [method: string, path: string, body: object]

const speeds = [1000, 0.001]
const modes = ['running', 'frozen']
/** Clocks of servers may differ by some milliseconds: with speed 1000, these are seconds. */
const differenceMs = 4000
const setBack = 'returns to earlier times'
const earlier = (n: number): string => new Date(Date.UTC(2030, 0, 1) - n * 60_000).toISOString()

/** Changes of a clock, on the servers in turn. Deposits are PROCESSING after 30 s. */
const changes: Array<[name: string, count: number, write: (n: number) => ClockCall]> = [
  ['advances', 40, () => ['POST', 'clock/advance', { by: '10s' }]],
  ['changes of the speed', 60, (n) => ['PUT', 'clock', { mode: 'running', speed: speeds[n % 2] }]],
  ['stops', 60, (n) => ['PUT', 'clock', { mode: modes[n % 2], speed: 1000 }]],
  [setBack, 40, (n) => ['PUT', 'clock', { mode: 'running', speed: 1000, now: earlier(n) }]]
]
for (const [name, count, write] of changes) {
  t.test(`no status and no time goes back during ${name}`, postgresOptions, async (t) => {
    const { servers } = await serveMany(t, 2, ['--clock', 'frozen'])
    const script = [{ after: '30s', to: 'PROCESSING' }]
    await servers[0].call('POST', '/__admin/scenarios', { name: 'stays', script })
    const end = new AbortController()
    const seen: string[] = []
    /** Checks new deposits on all servers in turn. */
    const checkMany = async (): Promise<void> => {
      while (!end.signal.aborted) {
        const { depositId } = deposit()
        await servers[0].call('POST', '/v2/deposits', deposit(depositId))
        let last = 'ACCEPTED'
        for (let n = 0; n < 20 && !end.signal.aborted; n++) {
          const { body } = await servers[n % 2].call('GET', `/v2/deposits/${depositId}`)
          const { status } = body.data
          if (status !== last && last !== 'ACCEPTED') seen.push(`${status} after ${last}`)
          last = status
        }
      }
    }
    const checkTime = async (): Promise<void> => {
      for (let n = 0, last = 0; !end.signal.aborted; n++) {
        const { body } = await servers[n % 2].call('GET', '/__admin/clock')
        const now = Date.parse(body.now)
        if (now < last - differenceMs && name !== setBack) seen.push(`${now} after ${last}`)
        last = now
      }
    }
    const checks = [...Array.from({ length: 4 }, checkMany), checkTime()]
    for (let n = 0; n < count; n++) {
      const [method, path, body] = write(n)
      const { status } = await servers[n % 2].call(method, `/__admin/${path}`, body)
      if (status !== 200) t.fail(`${method} ${path}: ${status}`)
    }
    end.abort()
    await Promise.all(checks)
    t.strictSame(seen, [])
  })
}

/** Servers that accept payments during advances, by their numbers. The first one advances. */
const accepting: Array<[name: string, servers: number[]]> = [
  ['other servers accept', [1, 2, 1, 2]],
  ['all servers accept', [0, 1, 2, 0]]
]
for (const [name, senders] of accepting) {
  t.test(`no payment is lost while ${name} others`, postgresOptions, async (t) => {
    const merchant = await receiver(t)
    const args = ['--clock', 'frozen', '--callback-url', merchant.url]
    const { servers } = await serveMany(t, 3, args)
    const advance = () => servers[0].call('POST', '/__admin/clock/advance', { by: '1h' })
    const accepted: string[] = []
    const end = new AbortController()
    const sendMany = async (server: Running): Promise<void> => {
      while (!end.signal.aborted) {
        const { depositId } = deposit()
        await server.call('POST', '/v2/deposits', deposit(depositId))
        accepted.push(depositId)
      }
    }
    const sending = senders.map((n) => sendMany(servers[n]))
    for (let n = 0; n < 4; n++) await advance()
    end.abort()
    await Promise.all(sending)
    await advance()
    const delivered = new Set(merchant.received.map(({ body }) => body.depositId))
    t.strictSame(
      accepted.filter((depositId) => !delivered.has(depositId)),
      []
    )
  })
}

for (const goal of [{ by: '1h' }, { until: 'idle' }]) {
  const name = `payments of other servers do not delay an advance: ${JSON.stringify(goal)}`
  t.test(name, postgresOptions, async (t) => {
    const { servers } = await serveMany(t, 2)
    const [one, other] = servers
    const provider = '/__admin/providers/MTN_MOMO_ZMB'
    await one.call('PUT', provider, { PAYOUT: 'DELAYED', for: '30m' })
    const { now } = (await one.call('GET', '/__admin/clock')).body
    const stop = new AbortController()
    const sending = Promise.all(
      [1, 2, 3].map(async () => {
        while (!stop.signal.aborted) await other.call('POST', '/v2/deposits', deposit())
      })
    )
    const payout = requests.v2.payout!()
    await one.call('POST', '/v2/payouts', payout)
    const advance = await one.call('POST', '/__admin/clock/advance', goal)
    stop.abort()
    await sending
    t.equal(advance.status, 200)
    const { body } = await one.call('GET', `/__admin/payments/payout/${payout.payoutId}`)
    const moves: Array<{ status: string; at: string }> = body.history
    const late = Date.parse(moves.at(-1)!.at) - Date.parse(now) - 30 * 60_000
    t.ok(late >= 0 && late < 60_000, `older work is done in its time: ${late} ms after it`)
  })
}
