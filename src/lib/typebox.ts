import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { JavaScriptTypeBuilder } from '@sinclair/typebox'

/**
 * TypeBox, as much of it as is used here. The whole of it is two hundred files, and reading them
 * was a quarter of a start: the makers of schemas are taken one by one, and what checks with them
 * when something is checked. All of it is the kind that is required, because formats are known only
 * to the kind they were told to.
 */

interface Parts {
  Type: Pick<JavaScriptTypeBuilder, (typeof makers)[number]>
  FormatRegistry: { Set: (format: string, fits: (text: string) => boolean) => void }
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

const loaded = parts()
export const Type: Parts['Type'] = loaded.Type
export const FormatRegistry: Parts['FormatRegistry'] = loaded.FormatRegistry

/** What compiles schemas. */
export const compiler = loadOnce<typeof import('@sinclair/typebox/compiler')>(
  '@sinclair/typebox/compiler'
)
/** What says what is wrong with values. */
export const errors = loadOnce<typeof import('@sinclair/typebox/errors')>(
  '@sinclair/typebox/errors'
)

/**
 * Something that is loaded when it is first asked for. To require it again would mean to look for
 * it again.
 */
function loadOnce<T> (name: string): () => T {
  let loaded: T | undefined
  return () => (loaded ??= require(name) as T)
}

function parts (): Parts {
  const whole = require.resolve('@sinclair/typebox')
  const part = (name: string): Record<string, unknown> =>
    require(join(dirname(whole), 'type', name.toLowerCase(), 'index.js'))
  try {
    const Type = Object.fromEntries(makers.map((name) => [name, part(name)[name]]))
    return { Type, FormatRegistry: part('registry').FormatRegistry } as unknown as Parts
  } catch {
    // Where its files lie is its own affair: if they have moved, a start takes longer.
    return require(whole)
  }
}
