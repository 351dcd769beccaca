import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { isDeepStrictEqual, promisify } from 'node:util'
import t from 'tap'
import { FormatRegistry, Type } from '../../src/lib/typebox-parts.ts'

const run = promisify(execFile)
const partsFile = new URL('../../src/lib/typebox-parts.ts', import.meta.url).href
const require = createRequire(import.meta.url)
const whole: typeof import('@sinclair/typebox') = require('@sinclair/typebox')

type Builder = typeof Type | typeof whole.Type

const object = (builder: Builder) =>
  builder.Object(
    { id: builder.String(), note: builder.Optional(builder.String()) },
    { $id: 'Note', description: 'a note', additionalProperties: false }
  )

/** Schemas that are made in the same way with all of TypeBox and with its parts. */
const rows: Record<string, (builder: Builder) => unknown> = {
  Array: (builder) => builder.Array(builder.Boolean(), { minItems: 1 }),
  Integer: (builder) => builder.Integer({ minimum: 1 }),
  Literal: (builder) => builder.Literal('a'),
  Null: (builder) => builder.Null(),
  Number: (builder) => builder.Number({ maximum: 2 }),
  Object: object,
  'Object without required properties': (builder) =>
    builder.Object({ a: builder.Optional(builder.Null()) }),
  Optional: (builder) => builder.Optional(builder.String({ pattern: '^a$' })),
  'Optional, switched off': (builder) =>
    builder.Optional(builder.Optional(builder.String()), false),
  'Partial of an object': (builder) => builder.Partial(object(builder)),
  'Partial with options': (builder) => builder.Partial(object(builder), { description: 'other' }),
  'Partial of a union': (builder) =>
    builder.Partial(builder.Union([object(builder), builder.Object({ b: builder.Null() })])),
  'Record of texts': (builder) => builder.Record(builder.String(), builder.Unknown()),
  'Record with a pattern and options': (builder) =>
    builder.Record(builder.String({ pattern: '^[A-Z]$' }), builder.Null(), { minProperties: 1 }),
  'Record of numbers': (builder) => builder.Record(builder.Integer(), builder.Null()),
  'Record of words': (builder) =>
    builder.Record(builder.Union([builder.Literal('a'), builder.Literal('b')]), builder.Null()),
  Union: (builder) => builder.Union([builder.String(), builder.Null()], { description: 'a' }),
  'Union of one': (builder) => builder.Union([builder.String()]),
  'Union of none': (builder) => builder.Union([]),
  Unsafe: (builder) => builder.Unsafe<string>({ type: 'string' })
}

t.test('the parts of TypeBox make the schemas of TypeBox', async (t) => {
  for (const [name, make] of Object.entries(rows)) {
    t.ok(isDeepStrictEqual(make(Type), make(whole.Type)), name)
    t.equal(JSON.stringify(make(Type)), JSON.stringify(make(whole.Type)), `${name}, as JSON`)
  }
  t.equal(FormatRegistry.Set, whole.FormatRegistry.Set, 'the registry of formats')
})

t.test('the parts of TypeBox are few files', async (t) => {
  const script = `await import(${JSON.stringify(partsFile)})
    const { _cache: files } = (await import('node:module')).default
    const loaded = Object.keys(files).filter((file) => file.includes('@sinclair'))
    process.stdout.write(String(loaded.length))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  const files = Number(stdout)
  t.ok(files > 10 && files < 40, `${files} files`)
})
