import t from 'tap'
import { runFiles } from './group.ts'

/**
 * Tests of requests and answers, once more through the TLS listener with HTTP/2. `npm test` runs
 * those of bodies.
 */

process.env.TEST_TRANSPORT = 'http2'
await runFiles('test/api/{bodies,checkouts,cors,deposits,head,payments}.test.ts', {
  full: 'test/api/!(bodies).test.ts'
})
t.equal((await import('../support/helper.ts')).transport, 'http2', 'the calls use HTTP/2')
