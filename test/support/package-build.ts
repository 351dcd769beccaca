import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the program of the package as `npm run build` does, in a folder of its own. Everything
 * else of the package is linked. Returns the path of the program.
 */
export function buildPackage (folder: string): string {
  const home = join(folder, 'package')
  const program = join(home, 'dist', 'src')
  mkdirSync(home)
  execFileSync(
    process.execPath,
    [join(root, 'node_modules', '.bin', 'rolldown'), '--config', '--dir', program],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }
  )
  for (const name of readdirSync(root)) {
    if (name !== 'dist' && !name.startsWith('.')) symlinkSync(join(root, name), join(home, name))
  }
  return join(program, 'main.js')
}
