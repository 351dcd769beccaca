import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { JavaScriptTypeBuilder } from '@sinclair/typebox'

/**
 * The parts of TypeBox that this project uses. Loading all 200 files of TypeBox takes a quarter of
 * the start time, so each schema builder is loaded by itself and the compiler on first use. All
 * parts are CommonJS: the ES module build would have a second, empty format registry. The build of
 * the package takes `typebox-whole.ts` instead.
 */

interface Parts {
  Type: Pick<JavaScriptTypeBuilder, (typeof makers)[number]>
  FormatRegistry: Pick<typeof import('@sinclair/typebox').FormatRegistry, 'Get' | 'Set'>
}

const makers = [
  'Array',
  'Boolean',
  'Integer',
  'Literal',
  'Null',
  'Number',
  'Object',
  'Optional',
  'Partial',
  'Record',
  'String',
  'Union',
  'Unknown',
  'Unsafe'
] as const

const require = createRequire(import.meta.url)

const loaded = loadParts()
export const Type: Parts['Type'] = loaded.Type
export const FormatRegistry: Parts['FormatRegistry'] = loaded.FormatRegistry

/** Schema compiler, loaded on first use. */
export const compiler = loadOnce<typeof import('@sinclair/typebox/compiler')>(
  '@sinclair/typebox/compiler'
)
/** Validation errors, loaded on first use. */
export const errors = loadOnce<typeof import('@sinclair/typebox/errors')>(
  '@sinclair/typebox/errors'
)

/** Returns a function that loads a module on its first call. */
function loadOnce<T> (name: string): () => T {
  let loaded: T | undefined
  return () => (loaded ??= require(name) as T)
}

function loadParts (): Parts {
  const whole = require.resolve('@sinclair/typebox')
  const part = (name: string): Record<string, unknown> =>
    require(join(dirname(whole), 'type', name.toLowerCase(), 'index.js'))
  try {
    const Type = Object.fromEntries(makers.map((name) => [name, part(name)[name]]))
    return { Type, FormatRegistry: part('registry').FormatRegistry } as unknown as Parts
  } catch {
    // The file layout of TypeBox is not public. If it changes, loading everything still works.
    return require(whole)
  }
}
