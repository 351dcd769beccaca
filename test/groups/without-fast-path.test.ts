import t from 'tap'
import { runFiles } from './group.ts'

/**
 * Tests of what the fast path reads, once more without it. `npm test` runs those of bodies.
 */

process.env.TEST_FAST_PATH = 'off'
await runFiles('test/api/{amounts,bodies,deposits,depth,duplicates,payments}.test.ts', {
  full: 'test/api/!(bodies).test.ts'
})
t.equal((await import('../support/helper.ts')).fastPath, false, 'the fast path is off')
