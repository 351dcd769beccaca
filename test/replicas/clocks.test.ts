import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { folder, receiver, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { serveShared } from './servers.ts'

/** Servers whose system clocks differ: the clock of the database decides. */

const shiftClock = pathToFileURL('test/harness/faults/shift-clock.js').href

/** Starts a server for each difference to the real time, in milliseconds. */
async function serveShifted (t: Test, shifts: number[], args: string[]): Promise<Running[]> {
  const db = await createSchema(t, (await openCluster()).url)
  return await Promise.all(
    shifts.map((shift) => {
      const file = join(folder(t), 'shift')
      writeFileSync(file, String(shift))
      const env = { NODE_OPTIONS: `--import=${shiftClock}`, SHIFT_CLOCK_BY: file }
      return serveShared(t, db, args, { env })
    })
  )
}

async function readClocks (servers: Running[]): Promise<number[]> {
  const answers = await Promise.all(servers.map(({ call }) => call('GET', '/__admin/clock')))
  return answers.map(({ body }) => Date.parse(body.now))
}

function spread (times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times)
}

t.test('servers whose clocks differ by seconds show the same time', postgresOptions, async (t) => {
  const merchant = await receiver(t)
  const servers = await serveShifted(t, [-7000, 0, 7000], ['--callback-url', merchant.url])
  const [slow, right, fast] = servers
  t.ok(spread([...(await readClocks(servers)), Date.now()]) < 1500, 'all clocks run')

  const { depositId } = deposit()
  const began = Date.now()
  await slow.call('POST', '/v2/deposits', deposit(depositId))
  await until(
    async () => (await fast.call('GET', `/v2/deposits/${depositId}`)).body.data,
    ({ status }) => status === 'COMPLETED'
  )
  t.ok(Date.now() - began < 6000, 'a payment of the slow server does not wait for its clock')
  const { body } = await right.call('GET', `/__admin/payments/deposit/${depositId}`)
  const times = body.history.map(({ at }: { at: string }) => Date.parse(at))
  t.ok(times[0] >= began - 1500 && times.at(-1) <= Date.now() + 1500, 'its times are real')

  const now = '2030-01-01T00:00:00Z'
  await fast.call('PUT', '/__admin/clock', { mode: 'running', now, speed: 10 })
  const sped = await readClocks(servers)
  t.ok(spread([...sped, Date.parse(now)]) < 15_000, 'a clock that runs ten times as fast')
  await slow.call('PUT', '/__admin/clock', { mode: 'frozen' })
  t.equal(spread(await readClocks(servers)), 0, 'a frozen clock')
  await right.call('POST', '/__admin/clock/advance', { by: '1h' })
  t.equal(spread(await readClocks(servers)), 0, 'a clock that was advanced')
})

t.test('a frozen clock begins at the same time on all servers', postgresOptions, async (t) => {
  const servers = await serveShifted(t, [-7000, 7000], ['--clock', 'frozen'])
  t.equal(spread(await readClocks(servers)), 0, 'the default account')
  const made = await servers[0].call('POST', '/__admin/accounts', { tokens: [{ token: 'shop' }] })
  t.equal(made.status, 201)
  const clocks = await Promise.all(
    servers.map(({ call }) => call('GET', '/__admin/clock', undefined, 'shop'))
  )
  t.equal(clocks[0].body.now, clocks[1].body.now, 'an account that was made later')
  t.ok(Math.abs(Date.parse(clocks[0].body.now) - Date.now()) < 60_000)
})
