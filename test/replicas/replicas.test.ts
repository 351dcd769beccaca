import { readdirSync } from 'node:fs'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { isFull, makeLong } from '../support/full.ts'
import { folder, id, patient, receiver, until } from '../support/helper.ts'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, run, type Running } from '../support/process.ts'
import { kill, partServers, serveMany } from './servers.ts'

/** Servers that share a ledger in PostgreSQL, seen from outside. */

const longOptions = makeLong(postgresOptions)

t.test('duplicates through three servers give one payment', postgresOptions, async (t) => {
  const merchant = await receiver(t)
  const { servers } = await serveMany(t, 3, ['--callback-url', merchant.url])
  const depositId = id()
  const count = isFull ? 1000 : 90
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      n % 2 === 0
        ? servers[n % 3].call('POST', '/v2/deposits', deposit(depositId))
        : servers[n % 3].call('POST', '/deposits', { ...requests.v1.deposit!(), depositId })
    )
  )
  const counts = Object.groupBy(answers, ({ body }) => String(body.status))
  t.equal(counts.ACCEPTED?.length, 1)
  t.equal(counts.DUPLICATE_IGNORED?.length, count - 1)
  const status = async (): Promise<string[]> =>
    await Promise.all(
      servers.map(
        async ({ call }) => (await call('GET', `/v2/deposits/${depositId}`)).body.data.status
      )
    )
  await until(status, (all) => all.every((one) => one === 'COMPLETED'))
  const callbacks = async (): Promise<any[]> =>
    (await servers[1].call('GET', '/__admin/callbacks')).body.callbacks
  await until(callbacks, ([callback]) => callback?.state === 'ACKNOWLEDGED')
  t.equal((await callbacks()).length, 1)
  t.equal(merchant.received.length, 1)
  t.match((await servers[2].call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('callbacks of a killed server are sent by another one', postgresOptions, async (t) => {
  const merchant = await patient(t)
  const served = await serveMany(t, 2, ['--callback-url', merchant.url])
  const { depositId } = deposit()
  await served.servers[0].call('POST', '/v2/deposits', deposit(depositId))
  await merchant.next()
  const { owner, other } = await partServers(served)
  await kill(served, owner)
  const again = await merchant.next()
  t.equal(again.body.depositId, depositId)
  again.answer(200)
  const list = async (): Promise<any[]> =>
    (await other.call('GET', '/__admin/callbacks')).body.callbacks
  await until(list, ([{ state }]) => state === 'ACKNOWLEDGED')
})

t.test('a server that stops gives its callbacks to the others', longOptions, async (t) => {
  const merchant = await patient(t)
  const served = await serveMany(t, 2, ['--callback-url', merchant.url])
  const { depositId } = deposit()
  await served.servers[0].call('POST', '/v2/deposits', deposit(depositId))
  await merchant.next()
  await (await partServers(served)).owner.stop()
  const again = await merchant.next()
  t.equal(again.body.depositId, depositId)
  again.answer(200)
})

t.test('a change counts in the next request on another server', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  const [one, other] = servers
  const made = await one.call('POST', '/__admin/accounts', { tokens: [{ token: 'shop-token' }] })
  t.equal(made.status, 201)
  const { name } = made.body
  const send = (): Promise<{ body: any }> =>
    other.call('POST', '/v2/deposits', deposit(), 'shop-token')
  t.equal((await send()).body.status, 'ACCEPTED', 'the account of the other server')
  await one.call('PATCH', '/__admin/account', { operations: ['PAYOUT'] }, 'shop-token')
  t.equal((await send()).body.status, 'REJECTED', 'its changed settings')
  await other.call('PATCH', '/__admin/account', { companyName: 'Shop' }, 'shop-token')
  const { body } = await one.call('GET', '/__admin/account', undefined, 'shop-token')
  t.match(body.settings, { operations: ['PAYOUT'], companyName: 'Shop' }, 'no change is lost')
  await one.call('DELETE', `/__admin/accounts/${name}`)
  t.equal((await other.call('POST', '/v2/deposits', deposit(), 'shop-token')).status, 401)
})

t.test('a caller is judged by what other servers have changed', longOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  const [one, other] = servers
  const changes: Array<[change: string, settings: object, status: number, failure?: string]> = [
    ['it must sign', { signedRequestsOnly: true }, 401, 'HTTP_SIGNATURE_ERROR'],
    ['its token only reads', { tokens: [{ token: 'TOKEN', allow: ['read'] }] }, 403],
    ['it has another token', { tokens: [{ token: 'TOKEN-2' }] }, 401]
  ]
  const sent: Array<[what: string, body: (depositId: string) => object]> = [
    ['a deposit', deposit],
    ['an invalid deposit', (depositId) => ({ depositId })]
  ]
  for (const [change, settings, status, failure] of changes) {
    for (const [what, body] of sent) {
      const token = id()
      await one.call('POST', '/__admin/accounts', { tokens: [{ token }] })
      const first = await other.call('POST', '/v2/deposits', deposit(), token)
      t.equal(first.body.status, 'ACCEPTED')
      const patch = JSON.parse(JSON.stringify(settings).replace('TOKEN', token))
      t.equal((await one.call('PATCH', '/__admin/account', patch, token)).status, 200)
      const depositId = id()
      const refused = await other.call('POST', '/v2/deposits', body(depositId), token)
      t.equal(refused.status, status, `${what}: ${change}`)
      if (failure !== undefined) t.match(refused.body, { failureReason: { failureCode: failure } })
      const { body: list } = await one.call('GET', '/__admin/payments', undefined, token)
      t.notMatch(JSON.stringify(list), depositId, 'nothing is stored')
    }
  }
})

t.test('a status check needs an account that other servers have', longOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  const [one, other] = servers
  const [token, depositId] = [id(), id()]
  const { body } = await one.call('POST', '/__admin/accounts', { tokens: [{ token }] })
  await one.call('POST', '/v2/deposits', deposit(depositId), token)
  const check = (): Promise<{ status: number; body: any }> =>
    other.call('GET', `/v2/deposits/${depositId}`, undefined, token)
  t.equal((await check()).body.status, 'FOUND')
  await one.call('DELETE', `/__admin/accounts/${body.name}`)
  t.equal((await check()).status, 401)
})

t.test('all servers follow the clock of an account', longOptions, async (t) => {
  const merchant = await receiver(t)
  const { servers } = await serveMany(t, 3, ['--callback-url', merchant.url])
  const [one, other, third] = servers
  await one.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' })
  const { depositId } = deposit()
  await other.call('POST', '/v2/deposits', deposit(depositId))
  const status = async (server: Running): Promise<string> =>
    (await server.call('GET', `/v2/deposits/${depositId}`)).body.data.status
  t.equal(await status(third), 'ACCEPTED')
  await third.call('POST', '/__admin/clock/advance', { by: '10m' })
  t.equal(merchant.received.length, 1, 'an advance answers after the callback')
  for (const server of servers) {
    t.equal(await status(server), 'COMPLETED')
    t.match((await server.call('GET', '/__admin/clock')).body, { now: '2026-03-01T00:10:00.000Z' })
  }
})

t.test('an address of something else than PostgreSQL is no file', async (t) => {
  const db = 'mysql://momock:secret@127.0.0.1/momock'
  const cwd = folder(t)
  for (const args of [['--port', '0'], ['doctor']]) {
    const { code, stdout, stderr } = await run(t, args, { cwd, env: { MOMOCK_DB: db } })
    t.equal(code, 2)
    t.match(stdout + stderr, /a file, :memory:, or postgres:\/\/USER@HOST\/DATABASE/)
    t.notMatch(stdout + stderr, /secret/)
  }
  t.strictSame(readdirSync(cwd), [])
})
