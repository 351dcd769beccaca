import t from 'tap'
import { makeLong } from '../support/full.ts'
import { patient, until } from '../support/helper.ts'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { ownerOf, serveMany } from './servers.ts'

/** Callbacks that wait on one server for a busy receiver, while another needs the account. */

/** Most callbacks that one receiver gets at once. */
const atOnce = 32

const rows = [
  { title: 'the callback was taken and waits for a connection', callbacks: atOnce + 8 },
  { title: 'the callback was not taken yet: too many are before it', callbacks: 160 }
]

const busyAccount = 'sandbox-busy'
const account = 'sandbox-reset'

/** Accepts deposits of an account while its clock stands still. */
async function createDeposits (server: Running, token: string, count: number): Promise<void> {
  await server.call('PUT', '/__admin/clock', { mode: 'frozen' }, token)
  await Promise.all(
    Array.from({ length: count }, () => server.call('POST', '/v2/deposits', deposit(), token))
  )
}

/** Lets all deposits of an account end. */
async function endDeposits (server: Running, token: string): Promise<void> {
  const clock = { mode: 'running', now: '2090-01-01T00:00:00Z' }
  await server.call('PUT', '/__admin/clock', clock, token)
}

const options = makeLong(postgresOptions)

for (const { title, callbacks } of rows) {
  t.test(`a busy receiver does not delay a reset: ${title}`, options, async (t) => {
    const { url, next } = await patient(t)
    const args = ['--callback-url', url, '--callback-timeout', '10m']
    const served = await serveMany(t, 2, args)
    const { servers } = served
    await createDeposits(servers[0], busyAccount, callbacks)
    await createDeposits(servers[0], account, 1)
    await endDeposits(servers[0], busyAccount)
    for (let n = 0; n < atOnce; n++) await next()
    const owner = await ownerOf(served, busyAccount)
    const [sender, other] = owner === servers[0] ? servers : [...servers].reverse()

    // The server that sends to the receiver gets the queue of the other account, too.
    other.process.kill('SIGSTOP')
    await endDeposits(sender, account)
    await until(
      () => ownerOf(served, account),
      (server) => server === sender
    )
    other.process.kill('SIGCONT')
    t.equal((await other.call('POST', '/__admin/reset', undefined, account)).status, 200)
    for (const server of servers) {
      const { body } = await server.call('GET', '/__admin/callbacks', undefined, account)
      t.strictSame(body.callbacks, [], 'the account has no callback any more')
    }
    const { body } = await other.call('GET', '/__admin/callbacks', undefined, busyAccount)
    t.ok(
      body.callbacks.every(({ attempts }: { attempts: object[] }) => attempts.length === 0),
      'the receiver has answered nothing yet'
    )
  })
}
