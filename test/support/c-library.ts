import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Says why something of the system under the server cannot be simulated here. */
export const noCompiler = 'it needs Linux and a C compiler (cc)'

/** Compiles a library that is preloaded into the server; nothing, where that cannot be done. */
export function compileLibrary (source: string, folder: string, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  const library = join(folder, `${name}.so`)
  try {
    const flags = ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']
    execFileSync('cc', flags, { stdio: 'ignore' })
    return library
  } catch {
    return undefined
  }
}
