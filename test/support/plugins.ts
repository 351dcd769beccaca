import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Has tap built without the plugins that `.taprc` leaves out, where that has not been done yet, as
 * after `npm ci`. It would do so by itself, but the run in which it does still has all of them; and
 * with the one for TypeScript, which Node does not need, everything takes twice as long.
 */
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const built = readFileSync(path('node_modules/@tapjs/test/test-built/dist/esm/index.js'), 'utf8')
const leftOut = readFileSync(path('.taprc'), 'utf8').matchAll(/"!(@tapjs\/[\w-]+)"/g)
if (leftOut.some(([, name]) => built.includes(`"${name}"`))) {
  execFileSync(process.execPath, [path('node_modules/tap/dist/esm/run.mjs'), 'build'], {
    stdio: 'inherit'
  })
}
