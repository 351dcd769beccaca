import {
  createMomock as createOneMomock,
  MomockClient,
  type Momock,
  type MomockOptions
} from '../../src/index.ts'
import { isPostgres, placeLedger } from './postgres.ts'
import { startRoundRobin } from './round-robin.ts'
import { serverCount } from './servers.ts'

/**
 * Starts a mock as `createMomock()` of the package does. `npm run test:postgres` puts its ledger in
 * PostgreSQL, and `npm run test:replicas` starts several servers and a balancer instead.
 */
export async function createMomock (options: MomockOptions = {}): Promise<Momock> {
  if (!isPostgres || options.db !== undefined) return await createOneMomock(options)
  const ends: Array<() => unknown> = []
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
  }
  try {
    return await createSharedMomock(options, { teardown: (end) => ends.push(end) }, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts servers that share a ledger, and returns a client that uses them as one mock. */
async function createSharedMomock (
  { onUnmatched, ...options }: MomockOptions,
  t: { teardown: (end: () => unknown) => void },
  stop: () => Promise<void>
): Promise<Momock> {
  const db = await placeLedger(t, ':memory:')
  const urls: string[] = []
  const url = await startRoundRobin(t, urls)
  const mocks: Momock[] = []
  for (let n = 0; n < serverCount; n++) {
    const mock = await createOneMomock({ publicUrl: url, ...options, db })
    t.teardown(() => mock.close())
    mocks.push(mock)
    urls.push(mock.url)
  }
  const [{ token, env }] = mocks
  const { PAWAPAY_SIGNED_CALLBACKS } = env
  const client = new MomockClient(url, token, {
    adminToken: options.adminToken,
    onUnmatched,
    env: { PAWAPAY_SIGNED_CALLBACKS }
  })
  const close = onUnmatched === 'throw' ? () => client.expectNoUnmatched().finally(stop) : stop
  return Object.assign(client, { close, [Symbol.asyncDispose]: close })
}
