import t from 'tap'
import { postgresOptions } from '../support/postgres.ts'
import { deposit } from '../support/process.ts'
import { serveMany } from './servers.ts'

/** Changes of a clock while several servers get the requests. */

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
