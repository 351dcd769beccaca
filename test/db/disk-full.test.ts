import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeLong } from '../support/full.ts'
import { folder, patient, until } from '../support/helper.ts'
import { deposit, serve, type Running } from '../support/process.ts'

/**
 * A server whose ledger cannot grow. A limit on the size of its files fails its writes as a full
 * disk does, and can be removed again.
 */

const hasLimits = spawnSync('prlimit', ['--version']).status === 0
const reason = 'prlimit of util-linux is not installed'
const options: { skip: string | false } = { skip: hasLimits ? false : reason }

interface Limited extends Running {
  fillDisk: () => void
  freeDisk: () => void
}

/** Limits the size of the files of a process. */
function limitFiles (pid: number | undefined, size: string): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${size}:`])
  if (status !== 0) throw new Error(String(stderr))
}

async function serveLimited (t: Test, args: string[] = []): Promise<Limited> {
  const db = join(folder(t), 'ledger.db')
  const running = await serve(t, ['--db', db, ...args])
  const limit = (size: string): void => limitFiles(running.process.pid, size)
  return {
    ...running,
    // The log of the ledger cannot grow above its current size.
    fillDisk: () => limit(String(statSync(`${db}-wal`).size)),
    freeDisk: () => limit('unlimited')
  }
}

t.test('a change that cannot be stored has no effect', options, async (t) => {
  const { call, fillDisk, freeDisk } = await serveLimited(t)
  const before = {
    scenarios: (await call('GET', '/__admin/scenarios')).body.scenarios,
    providers: (await call('GET', '/__admin/providers')).body,
    mode: (await call('GET', '/__admin/clock')).body.mode
  }
  const changes: Array<[method: string, path: string, body: object]> = [
    ['POST', '/__admin/scenarios', { name: 'refused', reject: 'AMOUNT_OUT_OF_BOUNDS' }],
    ['PUT', '/__admin/providers/MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' }],
    ['PUT', '/__admin/clock', { mode: 'frozen' }],
    ['POST', '/__admin/reset', {}]
  ]
  const one = deposit()
  await call('POST', '/v2/deposits', one)
  fillDisk()
  for (const [method, path, body] of changes) {
    t.ok((await call(method, path, body)).status >= 500, `${method} ${path} is refused`)
  }
  freeDisk()
  const after = {
    scenarios: (await call('GET', '/__admin/scenarios')).body.scenarios,
    providers: (await call('GET', '/__admin/providers')).body,
    mode: (await call('GET', '/__admin/clock')).body.mode
  }
  t.strictSame(after, before)
  t.equal((await call('GET', `/v2/deposits/${one.depositId}`)).body.status, 'FOUND')
  t.equal((await call('POST', '/v2/deposits', deposit())).body.status, 'ACCEPTED')
})

const longOptions = makeLong(options)

t.test('a callback whose result could not be stored reaches its end', longOptions, async (t) => {
  const receiver = await patient(t)
  const { call, fillDisk, freeDisk, output } = await serveLimited(t, [
    '--callback-url',
    receiver.url
  ])
  await call('POST', '/v2/deposits', deposit())
  await call('POST', '/v2/deposits', deposit())
  const callbacks = [await receiver.next(), await receiver.next()]
  fillDisk()
  callbacks[0].answer(200)
  callbacks[1].answer(500)
  await until(
    async () => output(),
    (text) => text.includes('could not be stored')
  )
  freeDisk()
  const states = async (): Promise<Array<[state: string, attempts: number]>> =>
    (await call('GET', '/__admin/callbacks')).body.callbacks.map((callback: any) => [
      callback.state,
      callback.attempts.length
    ])
  const retry = await receiver.next()
  t.equal(retry.body.depositId, callbacks[1].body.depositId, 'only the refused one is sent again')
  retry.answer(200)
  t.same((await until(states, (all) => all.every(([state]) => state === 'ACKNOWLEDGED'))).sort(), [
    ['ACKNOWLEDGED', 1],
    ['ACKNOWLEDGED', 2]
  ])
})
