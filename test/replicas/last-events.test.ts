import t from 'tap'
import { patient } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, refused } from '../support/process.ts'
import { followEvents, type Message } from '../support/sse.ts'
import { serveMany } from './servers.ts'

/** Events of a server that is stopped while it works, as another server shows them. */

t.test('a stream has the last events of a server that stops', postgresOptions, async (t) => {
  const { url, next } = await patient(t)
  const { db, servers } = await serveMany(t, 2, ['--callback-url', url])
  const [one, other] = servers
  const stream = await followEvents(t, one.ready.url)

  // The other server moves the payments and sends the callbacks.
  one.process.kill('SIGSTOP')
  const deposits = [deposit(), deposit(), deposit()]
  for (const sent of deposits) await other.call('POST', '/v2/deposits', sent)
  const callbacks = [await next(), await next(), await next()]
  one.process.kill('SIGCONT')
  const { depositId } = deposits[0]
  const acknowledged = one.call('POST', '/__admin/wait', {
    kind: 'deposit',
    id: depositId,
    until: 'acknowledged'
  })
  other.process.kill('SIGTERM')
  await refused(other)
  for (const { answer } of callbacks) answer(200)
  t.match(await other.end(), { code: 0, stderr: '' })
  t.match(await acknowledged, { status: 200 })

  // An event that comes after all of them.
  const later = deposit()
  await one.call('POST', '/v2/deposits', later)
  ;(await next()).answer(200)
  const seen: string[] = []
  const isLast = ({ event, data }: Message): boolean => {
    if (event === 'callback') seen.push(data.paymentId)
    return event === 'callback' && data.paymentId === later.depositId
  }
  await stream.collect(isLast, 1)
  t.strictSame(
    seen.sort(),
    [...deposits, later].map(({ depositId }) => depositId).sort(),
    'each callback once'
  )
  for (const table of ['servers', 'server_leases']) {
    t.equal((await runSql(db, `SELECT 1 FROM ${table}`)).length, 1, `it is not in ${table}`)
  }
})
