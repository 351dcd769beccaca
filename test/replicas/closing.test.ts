import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { MomockOptions } from '../../src/index.ts'
import { until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { startProgram } from '../support/program.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** Mocks that are closed while their database is away. */

const file = fileURLToPath(new URL('./closed-mock.ts', import.meta.url))

interface Situation {
  what: string
  options: MomockOptions
  /** Takes the database away. */
  begin: (network: TcpProxy, url: string) => Promise<unknown>
}

/** Cuts the connection at a statement, and lets no other one begin. */
async function cutFrom (network: TcpProxy, text: string): Promise<void> {
  await network.cutAt(text)
  await network.refuse()
}

const situations: Situation[] = [
  {
    what: 'whose database refuses connections',
    options: {},
    begin: (network) => network.refuse()
  },
  { what: 'whose database says nothing', options: {}, begin: async (network) => network.pause() },
  {
    what: 'that deletes an unused sandbox account',
    options: { sandboxIdle: '4s' },
    begin: async (network, url) => {
      await fetch(`${url}/v2/active-conf`, { headers: { authorization: 'Bearer sandbox-shop' } })
      await cutFrom(network, 'DELETE FROM tokens')
    }
  }
]

for (const { what, options, begin } of situations) {
  t.test(`a mock ${what} can be closed`, postgresOptions, async (t) => {
    const { network, start } = await prepare(t)
    const { prints, stop } = start(options)
    const [url] = await prints(/^http.*$/m)
    await begin(network, url)
    t.match(await stop('SIGUSR2'), { code: 0, stdout: /closed/, stderr: '' })
  })
}

t.test('a connection that begins while a mock is closed is ended', postgresOptions, async (t) => {
  const { network, start } = await prepare(t)
  const { child, prints } = start({}, 'stay')
  const [url] = await prints(/^http.*$/m)
  const before = network.count()
  network.pause()
  t.equal((await fetch(`${url}/ready`)).status, 503, 'the connection is lost')
  const isBegun = (count: number): boolean => count > before
  await until(async () => network.count(), isBegun)
  child.kill('SIGUSR2')
  await prints(/closed/)
  network.resume()
  const isEnded = (count: number): boolean => count === 0
  t.equal(await until(async () => network.count(), isEnded), 0)
})

/** Prepares a ledger, the network to it, and a function that starts a mock. */
async function prepare (t: Test) {
  const db = await createSchema(t, (await openCluster()).url)
  const network = await startProxy(t, Number(new URL(db).port))
  const far = `${db.replace(/:\d+\//, `:${network.port}/`)}&statement_timeout=700`
  // Through `env`, because tap slips its own loader into Node processes.
  const words = ['env', '-u', 'NODE_OPTIONS', process.execPath, file] as const
  return {
    network,
    start: (options: MomockOptions, ...more: string[]) =>
      startProgram(t, [...words, JSON.stringify({ db: far, ...options }), ...more])
  }
}
