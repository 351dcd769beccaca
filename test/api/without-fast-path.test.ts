import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/**
 * The tests of the API, once more without the fast path. They run beside each other, because each
 * is a process of its own.
 */

const folder = fileURLToPath(new URL('.', import.meta.url))
const own = 'without-fast-path.test.ts'
const files = readdirSync(folder).filter(
  // path.test.ts and hooks.test.ts switch the fast path themselves.
  (name) => name.endsWith('.test.ts') && ![own, 'path.test.ts', 'hooks.test.ts'].includes(name)
)

t.jobs = availableParallelism()
t.setTimeout(0)
t.ok(files.length > 5, `${files.length} files`)
for (const file of files) {
  t.spawn(
    process.execPath,
    [`${folder}${file}`],
    { env: { ...process.env, TEST_FAST_PATH: 'off', TAP: '1' }, buffered: true, timeout: 0 },
    `${file} without the fast path`
  )
}
