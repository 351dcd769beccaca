import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { JavaScriptTypeBuilder, TProperties, TSchema } from '@sinclair/typebox'

/**
 * The parts of TypeBox that this project uses. Loading all 200 files of TypeBox takes a quarter of
 * the start time, so each schema builder is loaded by itself and the compiler on first use. All
 * parts are CommonJS: the ES module build would have a second, empty format registry. The build of
 * the package takes `typebox-whole.ts` instead.
 *
 * `Optional`, `Partial` and `Record` of TypeBox load 70 more files, for schemas that are rare. They
 * are loaded for those only: this saves a twentieth of a start.
 */

type TypeBox = typeof import('@sinclair/typebox')

interface Parts {
  Type: Pick<
    JavaScriptTypeBuilder,
    (typeof simpleMakers)[number] | 'Optional' | 'Partial' | 'Record' | 'Union'
  >
  FormatRegistry: Pick<TypeBox['FormatRegistry'], 'Get' | 'Set'>
}

/** Schema builders with few files. */
const simpleMakers = [
  'Array',
  'Boolean',
  'Integer',
  'Literal',
  'Null',
  'Number',
  'Object',
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
  const load = (name: string, file = name): TypeBox =>
    require(join(dirname(whole), 'type', name.toLowerCase(), `${file.toLowerCase()}.js`))
  try {
    const Type = {
      ...Object.fromEntries(simpleMakers.map((name) => [name, load(name)[name]])),
      ...makersOfUsualSchemas(load)
    }
    return { Type, FormatRegistry: load('registry', 'index').FormatRegistry } as unknown as Parts
  } catch {
    // The file layout of TypeBox is not public. If it changes, loading everything still works.
    return require(whole)
  }
}

/** Returns `Optional`, `Partial` and `Record`. They load those of TypeBox for rare schemas. */
function makersOfUsualSchemas (load: (name: string, file?: string) => TypeBox): object {
  const { CreateType } = load('create', 'type')
  const symbols = load('symbols')
  const { PatternStringExact } = load('patterns')
  const { Object: createObject } = load('object')

  const Optional = (schema: TSchema, isOptional?: boolean): unknown =>
    isOptional !== undefined || schema[symbols.Kind] === 'MappedResult'
      ? load('optional').Optional(schema, isOptional ?? true)
      : CreateType({ ...schema, [symbols.OptionalKind]: 'Optional' })

  const Partial = (schema: TSchema, options?: object): unknown => {
    if (schema[symbols.Kind] !== 'Object' || symbols.TransformKind in schema) {
      return load('partial').Partial(schema, options)
    }
    const { $id: _, required: __, properties, ...rest } = schema
    const all: TProperties = properties
    const optional = Object.entries(all).map(([name, value]) => [name, Optional(value)])
    return CreateType({ ...createObject(Object.fromEntries(optional), rest), ...options })
  }

  const Record = (key: TSchema, value: TSchema, options: object = {}): unknown => {
    if (key[symbols.Kind] !== 'String') return load('record').Record(key, value, options)
    const patternProperties = { [key.pattern ?? PatternStringExact]: value }
    return CreateType({ [symbols.Kind]: 'Record', type: 'object', patternProperties }, options)
  }

  return { Optional, Partial, Record }
}
