// An old Node has no registerHooks, and could not load a file that imports it by its name. It must
// load this one, so that `createMomock()` can say which Node it needs.
import module, { type LoadHookContext } from 'node:module'

/** Loads own files faster than a plain import. */

const folders = ['src', 'routes', 'simulator', 'db'].map(
  (name) => new URL(`../${name}/`, import.meta.url).href
)
const formats: Record<string, LoadHookContext['format']> = {
  '.ts': 'module-typescript',
  '.js': 'module'
}

/**
 * Loads the server. The large packages come first, because they load more slowly when there are
 * hooks: this saves 6 % of the processor time of a start, and the hooks save 8 %.
 */
export async function loadServer (): Promise<typeof import('./server.ts')> {
  await Promise.all([import('fastify'), import('pino')])
  resolveOwnFiles()
  return await import('./server.ts')
}

/**
 * Loads own files for `createMomock()`. The process is that of a test, so the hooks are removed
 * afterwards. The package has few files and needs no hooks.
 */
export async function loadOwnFiles<T> (load: () => Promise<T>): Promise<T> {
  if (!import.meta.url.endsWith('.ts')) return await load()
  await Promise.all([import('fastify'), import('pino')])
  const hooks = resolveOwnFiles()
  try {
    return await load()
  } finally {
    hooks.deregister()
  }
}

/** Resolves imports of own files, which are complete paths, without a search for the file. */
function resolveOwnFiles (): ReturnType<typeof module.registerHooks> {
  return module.registerHooks({
    resolve (specifier, context, nextResolve) {
      const format = specifier.startsWith('.') ? formats[specifier.slice(-3)] : undefined
      const { parentURL } = context
      if (format === undefined || !folders.some((folder) => parentURL?.startsWith(folder))) {
        return nextResolve(specifier, context)
      }
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    }
  })
}
