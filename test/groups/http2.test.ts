import t from 'tap'
import { runFolder } from './group.ts'

/**
 * Tests of the API, once more through the TLS listener with HTTP/2. All of them pass with
 * `TEST_TRANSPORT=http2 node test/groups/api.test.ts`, but they take a minute. These cover bodies,
 * answers, idempotency and pages.
 */

process.env.TEST_TRANSPORT = 'http2'
const slow = ['accounts', 'decisions', 'finances', 'hooks', 'isolation', 'payments']
const plain = ['error-ids', 'public-url', 'slow-clients', 'wrong-addresses']
await runFolder(
  'api',
  [...slow, ...plain].map((name) => `${name}.test.ts`)
)
t.equal((await import('../support/helper.ts')).transport, 'http2', 'the calls use HTTP/2')
