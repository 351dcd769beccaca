import t from 'tap'
import { isFull } from '../support/full.ts'
import { runFiles } from './group.ts'

/**
 * Tests of the API, once more through the TLS listener with HTTP/2. `npm test` runs those of
 * payments, bodies and pages; `npm run test:full` runs all, except those of the plain listener.
 */

process.env.TEST_TRANSPORT = 'http2'
await runFiles(isFull ? 'test/api/*.test.ts' : 'test/api/{bodies,checkouts,deposits}.test.ts', {
  except: 'test/api/{error-ids,public-url,slow-clients,wrong-addresses}.test.ts'
})
t.equal((await import('../support/helper.ts')).transport, 'http2', 'the calls use HTTP/2')
