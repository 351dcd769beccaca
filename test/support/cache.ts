import { createHash } from 'node:crypto'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Cache of what tests make from the source. */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folder of the cache. */
export const cacheFolder = join(root, 'node_modules/.cache/momock')

/** Name for the state of the source files: it changes with each of them. */
export function fingerprint (): string {
  const hash = createHash('sha256').update(root).update(process.version)
  for (const file of globSync(
    ['{src,routes,simulator,db}/**/*.{ts,js,json}', '{package-lock.json,rolldown.config.js}'],
    { cwd: root }
  ).sort()) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
