import t from 'tap'
import { runFiles } from './group.ts'

/**
 * Tests of the API, once more without the fast path. `npm test` runs those of bodies, which
 * the fast path reads.
 */

process.env.TEST_FAST_PATH = 'off'
await runFiles('test/api/*.test.ts', {
  // The tests of hooks switch the fast path themselves.
  except: 'test/api/hooks.test.ts',
  full: 'test/api/!(bodies).test.ts'
})
t.equal((await import('../support/helper.ts')).fastPath, false, 'the fast path is off')
