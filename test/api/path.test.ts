import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

/**
 * A reader of the code follows one deposit through few files. Small helpers (`src/lib`) and what
 * every statement passes on its way to the database (`db/database.ts` and the engines) do not
 * count. A move is a call in another file than the call before it.
 */

const run = promisify(execFile)
const file = (name: string): string =>
  fileURLToPath(new URL(`../support/${name}`, import.meta.url))

const uncounted = /^(src\/lib|db\/(database\.ts|sqlite|postgres))/

/** Most files and moves: of an accepted POST, and of a payment with its delivered callback. */
const limits = { post: { files: 26, moves: 41 }, life: { files: 60, moves: 190 } }

const program = ['--import', file('path-hooks.ts'), file('path-program.ts')]
const { stdout } = await run(process.execPath, program)
const paths: Record<keyof typeof limits, string[]> = JSON.parse(stdout)

for (const [name, most] of Object.entries(limits)) {
  const counted = paths[name as keyof typeof limits].filter((path) => !uncounted.test(path))
  const visits = counted.filter((path, n) => path !== counted[n - 1])
  const shown = visits.join(' > ')
  t.ok(new Set(visits).size <= most.files, `${name}: ${new Set(visits).size} files: ${shown}`)
  t.ok(visits.length - 1 <= most.moves, `${name}: ${visits.length - 1} moves`)
}
