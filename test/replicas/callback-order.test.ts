import t from 'tap'
import { patient } from '../support/helper.ts'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { partServers, serveMany } from './servers.ts'

/** Callbacks of one payment to several receivers, which several servers send. */

/** Completes a deposit, which has no callback URL yet, and returns its identifier. */
async function createDeposit (server: Running): Promise<string> {
  const { depositId } = deposit()
  await server.call('POST', '/v2/deposits', deposit(depositId))
  const moved = { to: 'COMPLETED' }
  await server.call('POST', `/__admin/payments/deposit/${depositId}/move`, moved)
  return depositId
}

/** Sends a callback of a deposit to a receiver. */
async function sendCallback (server: Running, deposit: string, url: string): Promise<void> {
  await server.call('PATCH', '/__admin/account', { callbacks: { deposits: url } })
  await server.call('POST', `/__admin/payments/deposit/${deposit}/callbacks`, {})
}

t.test('callbacks of a payment to two receivers do not overlap', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  const [slow, quick] = await Promise.all([patient(t), patient(t)])
  const deposits = [await createDeposit(servers[0]), await createDeposit(servers[0])]

  await sendCallback(servers[0], deposits[0], slow.url)
  const first = await slow.next()
  // The other server finds the receiver free, but not the payment.
  await sendCallback(servers[1], deposits[0], quick.url)
  await sendCallback(servers[1], deposits[1], quick.url)
  const other = await quick.next()
  t.equal(other.body.depositId, deposits[1], 'a callback of another payment overtakes')
  other.answer(200)
  first.answer(200)
  const second = await quick.next()
  t.equal(second.body.depositId, deposits[0], 'the next callback of the payment follows')
  second.answer(200)
})

t.test('a callback waits for one of its payment that is due before', postgresOptions, async (t) => {
  const served = await serveMany(t, 2)
  const { servers } = served
  const [busy, free] = await Promise.all([patient(t), patient(t)])
  const deposits: string[] = []
  for (let n = 0; n < 3; n++) deposits.push(await createDeposit(servers[0]))

  await sendCallback(servers[0], deposits[0], busy.url)
  const blocking = await busy.next()
  const { owner: stalled, other } = await partServers(served)
  // The queue of the receiver stays leased, and nobody takes callbacks from it.
  stalled.process.kill('SIGSTOP')
  await sendCallback(other, deposits[1], busy.url)
  await sendCallback(other, deposits[1], free.url)
  await sendCallback(other, deposits[2], free.url)
  const overtaking = await free.next()
  t.equal(overtaking.body.depositId, deposits[2], 'a callback of another payment overtakes')
  overtaking.answer(200)
  stalled.process.kill('SIGCONT')
  blocking.answer(200)
  const first = await busy.next()
  t.equal(first.body.depositId, deposits[1], 'the first callback of the payment')
  first.answer(200)
  const second = await free.next()
  t.equal(second.body.depositId, deposits[1], 'its second callback')
  second.answer(200)
})
