import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { App } from '../../src/app.ts'
import type { Call } from './helper.ts'
import { startRoundRobin } from './round-robin.ts'

/** Servers that share a ledger, which a test uses as if they were one. */

/** Number of servers that share each ledger; `npm run test:replicas` sets it. */
export const serverCount = Number(process.env.TEST_SERVERS ?? 1)

/** Options of a test about one server: its metrics, its stop, or its journal alone. */
export const oneServerOptions = {
  skip: serverCount === 1 ? false : 'it is about one server'
} as const

/** Reads the metrics of each server, as Prometheus does. */
export async function readMetrics (call: Call): Promise<string> {
  const texts: string[] = []
  for (let n = 0; n < serverCount; n++) texts.push((await call('GET', '/__admin/metrics')).body)
  return texts.join('')
}

/** Puts a balancer before servers, and returns them as one. */
export async function joinServers (
  t: Pick<Test, 'teardown'>,
  apps: readonly App[]
): Promise<{ app: App; url: string }> {
  const addresses = apps.map(({ links }) => links.listening)
  const url = await startRoundRobin(t, addresses)
  // Callbacks to the servers themselves use the address that the test knows.
  for (const { links } of apps) links.listening = url
  let turn = 0
  const http: FastifyInstance = Object.create(apps[0].http, {
    inject: {
      value: (...request: Parameters<FastifyInstance['inject']>) =>
        apps[turn++ % apps.length].http.inject(...request)
    }
  })
  const links = new Proxy(apps[0].links, {
    set: (_, name, value) => apps.every(({ links }) => Reflect.set(links, name, value))
  })
  const forAll = async (work: (app: App) => Promise<void>): Promise<void> => {
    for (const app of apps) await work(app)
  }
  const app: App = {
    ...apps[0],
    http,
    links,
    settle: () => forAll((app) => app.settle()),
    close: () => forAll((app) => app.close())
  }
  return { app, url }
}
