import t from 'tap'
import { receiver, until } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { holdLock, serveMany } from './servers.ts'

/** Times of actions that wait for another server: they happen when the wait is over. */

/** The clock runs so fast that differences between the servers do not matter. */
const speed = 1000
const waitedMs = 500_000

const phone = '/__admin/phone/260763456789/deposits'

/** A genuine callback of a deposit in PROCESSING does not exist. */
const forged = { status: 'COMPLETED', unsigned: true }

/** Calls that change a deposit which stays PROCESSING. */
const rows: Array<[string, (id: string) => [method: string, path: string, body: object]]> = [
  ['a move by hand', (id) => ['POST', `/__admin/payments/deposit/${id}/move`, { to: 'COMPLETED' }]],
  ['a callback', (id) => ['POST', `/__admin/payments/deposit/${id}/callbacks`, forged]],
  ['an answer of the customer', (id) => ['POST', `${phone}/${id}`, { decision: 'approve' }]]
]

/** Claims all accounts, so that other servers wait. */
const claimOfAccounts = 'SELECT 1 FROM accounts FOR NO KEY UPDATE'

async function readClock (server: Running): Promise<number> {
  return Date.parse((await server.call('GET', '/__admin/clock')).body.now)
}

t.test('an action has the time at which it gets its turn', postgresOptions, async (t) => {
  const merchant = await receiver(t)
  const { db, servers } = await serveMany(t, 2, ['--callback-url', merchant.url])
  const [one, other] = servers
  const script = [{ after: '10ms', to: 'PROCESSING' }]
  await one.call('POST', '/__admin/scenarios', { name: 'stays', script })
  await one.call('PUT', '/__admin/clock', { mode: 'running', speed })
  for (const [name, write] of rows) {
    const { depositId } = deposit()
    await one.call('POST', '/v2/deposits', deposit(depositId))
    const end = await holdLock(t, db, claimOfAccounts)
    const acting = other.call(...write(depositId))
    await until(
      () => runSql(db, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
      ({ length }) => length > 0
    )
    const began = await readClock(one)
    await until(
      () => readClock(one),
      (now) => now > began + waitedMs
    )
    await end()
    t.ok((await acting).status < 300, `${name} succeeds`)
    const { body } = await one.call('GET', `/__admin/callbacks?paymentId=${depositId}`)
    const created = Date.parse(body.callbacks[0].created)
    t.ok(created > began + waitedMs / 2, `${name} happens after the wait`)
  }
})
