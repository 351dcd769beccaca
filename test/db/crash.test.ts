import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { folder, until } from '../support/helper.ts'
import { deposit, serve, type Answer, type Running } from '../support/process.ts'
import { Queue, waitFor } from '../support/waits.ts'

/** So many deposits are sent at once; the server is killed when half of them are answered. */
const crowd = 400

interface Accepted {
  depositId: string
  created: string
  token: string
}

t.test('a killed server loses no answered payment', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await serve(t, ['--db', db])
  const accepted = await acceptUntilKilled(first)
  t.ok(accepted.length >= crowd / 2, `${accepted.length} of ${crowd} were answered`)
  t.match(await first.end(), { code: null, signal: 'SIGKILL' })

  const { call } = await serve(t, ['--db', db])
  const repeats = await Promise.all(
    accepted.map(({ depositId, token }) => call('POST', '/v2/deposits', deposit(depositId), token))
  )
  const expected = accepted.map(({ depositId, created }) => ({
    depositId,
    status: 'DUPLICATE_IGNORED',
    created
  }))
  t.same(
    repeats.map(({ body }) => body),
    expected,
    'a repeat of each is ignored and says when the first was'
  )

  const find = ({ depositId, token }: Accepted): Promise<Answer> =>
    call('GET', `/v2/deposits/${depositId}`, undefined, token)
  t.same(
    (await Promise.all(accepted.map(find))).filter(({ body }) => body.status !== 'FOUND'),
    [],
    'each is found'
  )
  await Promise.all(
    accepted.map((one) =>
      until(
        () => find(one),
        ({ body }) => body.data.status === 'COMPLETED'
      )
    )
  )
  t.pass('each goes on to its end')
})

/** Payouts that wait for a provider: more than one transaction releases. */
const waitingPayouts = 3000

t.test('a kill while an outage ends leaves no payment waiting', long, async (t) => {
  const db = join(folder(t), 'ledger.db')
  const args = ['--db', db, '--clock', 'frozen']
  const provider = '/__admin/providers/MTN_MOMO_ZMB'
  const first = await serve(t, args)
  await first.call('PUT', provider, { PAYOUT: 'DELAYED' })
  for (let n = 0; n < waitingPayouts; n += 20) {
    const payouts = Array.from({ length: 20 }, () => ({ ...requests.v2.payout!(), amount: '1' }))
    t.equal((await first.call('POST', '/v2/payouts/bulk', payouts)).status, 200)
  }
  const put = first.call('PUT', provider, { PAYOUT: 'OPERATIONAL' }).catch(() => undefined)
  // The end of another release is not the end of this one.
  const other = first
    .call('PUT', '/__admin/providers/AIRTEL_OAPI_ZMB', { PAYOUT: 'OPERATIONAL' })
    .catch(() => undefined)
  const state = async (): Promise<string> =>
    JSON.stringify((await first.call('GET', '/__admin/providers')).body)
  await until(state, (text) => text.includes('OPERATIONAL'))
  await first.stop('SIGKILL')
  const isEarly = (await put) === undefined
  t.comment(`killed ${isEarly ? 'before' : 'after'} the end of the release`)
  await other

  const { call } = await serve(t, args)
  await call('POST', '/__admin/clock/advance', { until: 'idle' })
  const { counts } = (await call('GET', '/__admin/payments/counts')).body
  t.match(counts, [{ kind: 'payout', status: 'COMPLETED', count: waitingPayouts }])
  const idle = await call('POST', '/__admin/clock/advance', { until: 'next' })
  t.match(idle.body, { transitions: 0 }, 'nothing is due any more')
})

/**
 * Sends deposits of two accounts at once, kills the server when half are answered, and returns the
 * answered ones.
 */
async function acceptUntilKilled ({ call, process }: Running): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  await Promise.allSettled(
    Array.from({ length: crowd }, async (_, index) => {
      const token = index % 2 === 0 ? 'test-token' : 'sandbox-crash'
      const { body } = await call('POST', '/v2/deposits', deposit(), token)
      if (body.status === 'ACCEPTED') accepted.push({ ...body, token })
      if (accepted.length === crowd / 2) process.kill('SIGKILL')
    })
  )
  return accepted
}

t.test('an open callback is delivered after a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const { url, silent, arrival } = await quietReceiver(t)
  const first = await serve(t, ['--db', db, '--callback-url', url])
  const one = deposit()
  await first.call('POST', '/v2/deposits', one)
  t.match(await arrival(), { depositId: one.depositId, status: 'COMPLETED' }, 'it was on its way')
  await first.stop('SIGKILL')

  silent(false)
  const again = arrival()
  await serve(t, ['--db', db])
  t.match(
    await again,
    { depositId: one.depositId, status: 'COMPLETED' },
    'it comes again, to the URL it was meant for'
  )
})

t.test('a clock runs again if the server was killed during an advance', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const { url, arrival } = await quietReceiver(t)
  const first = await serve(t, ['--db', db, '--callback-url', url])
  await first.call('POST', '/v2/deposits', deposit())
  const onItsWay = arrival()
  first.call('POST', '/__admin/clock/advance', { by: '1h' }).catch(() => {})
  await onItsWay
  t.equal(
    (await first.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' })).status,
    200,
    'something is saved while the advance waits for the receiver'
  )
  await first.stop('SIGKILL')
  const again = await serve(t, ['--db', db])
  t.match((await again.call('GET', '/__admin/clock')).body, { mode: 'running' })
})

/** A receiver that takes callbacks and, while it is silent, answers none. */
async function quietReceiver (
  t: Test
): Promise<{ url: string; silent: (yes: boolean) => void; arrival: () => Promise<unknown> }> {
  let quiet = true
  const arrivals = new Queue<unknown>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (!quiet) response.end()
    arrivals.add(JSON.parse(Buffer.concat(chunks).toString()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    silent: (yes) => {
      quiet = yes
    },
    arrival: () => waitFor('a callback', arrivals.take())
  }
}
