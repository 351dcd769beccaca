import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the package as `npm run build` does, in a folder of its own. Everything else of the
 * package is linked. Returns the path of its program.
 */
export function buildPackage (folder: string): string {
  const home = join(folder, 'package')
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  mkdirSync(home)
  execFileSync(
    process.execPath,
    [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', join(home, 'dist')],
    { stdio: ['ignore', 'inherit', 'inherit'] }
  )
  for (const name of readdirSync(root)) {
    if (name !== 'dist' && !name.startsWith('.')) symlinkSync(join(root, name), join(home, name))
  }
  return join(home, 'dist', 'src', 'main.js')
}
