import { readdirSync } from 'node:fs'
import t from 'tap'

/**
 * Tests of the API, once more without the fast path. They run in this one process, because the
 * start of a process costs more than most of them.
 */

process.env.TEST_FAST_PATH = 'off'
t.setTimeout(0)

const files = readdirSync(import.meta.dirname).filter(
  (name) =>
    name.endsWith('.test.ts') &&
    // path.test.ts and hooks.test.ts switch the fast path themselves.
    !['without-fast-path.test.ts', 'path.test.ts', 'hooks.test.ts'].includes(name)
)
t.ok(files.length > 5, `${files.length} files`)
for (const file of files) await import(`./${file}`)
t.equal((await import('../support/helper.ts')).fastPath, false, 'the fast path is off')
