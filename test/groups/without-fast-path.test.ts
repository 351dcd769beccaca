import t from 'tap'
import { runFiles } from './group.ts'

/** Tests of the API, once more without the fast path. */

process.env.TEST_FAST_PATH = 'off'
// The tests of hooks switch the fast path themselves.
await runFiles('test/api/*.test.ts', { except: 'test/api/hooks.test.ts' })
t.equal((await import('../support/helper.ts')).fastPath, false, 'the fast path is off')
