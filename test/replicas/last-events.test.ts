import t from 'tap'
import { makeLong } from '../support/full.ts'
import { patient } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, refused, type Running } from '../support/process.ts'
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

for (const what of ['alone', 'beside another one']) {
  const name = `a stream ${what} continues after another server stalled`
  t.test(name, makeLong(postgresOptions), async (t) => {
    const { servers } = await serveMany(t, 2)
    const [one, stalled] = servers
    const isAccepted = ({ event }: Message): boolean => event === 'accepted'
    const send = async ({ call }: Running): Promise<string> => {
      const body = deposit()
      t.match((await call('POST', '/v2/deposits', body)).body, { status: 'ACCEPTED' })
      return body.depositId
    }
    const first = await followEvents(t, one.ready.url)
    for (let n = 0; n < 2; n++) await send(stalled)
    const seen = await first.collect(isAccepted, 2)
    // The other server goes on to send its events as long as one stream is open.
    if (what === 'alone') first.close()

    const missed = [await send(stalled), await send(stalled)]
    stalled.process.kill('SIGSTOP')
    const second = await followEvents(t, one.ready.url, seen[1].id)
    stalled.process.kill('SIGCONT')
    const last = await send(one)
    const continued = await second.collect(isAccepted, 3)
    t.strictSame(
      continued.map(({ data }) => data.paymentId).sort(),
      [...missed, last].sort(),
      'the ones that were missed come once the server answers'
    )
    second.close()

    const later = await send(stalled)
    const third = await followEvents(t, one.ready.url, continued[2].id)
    const [next] = await third.collect(isAccepted, 1)
    t.equal(next.data.paymentId, later, 'nothing comes twice')
  })
}
