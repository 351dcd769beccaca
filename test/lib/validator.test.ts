import t from 'tap'
import { settings } from '../../src/config/config.ts'
import { Type } from '../../src/lib/typebox.ts'
import { compileSchema, createValidator, findNearest } from '../../src/lib/validator.ts'

/**
 * A validator has a short way for simple schemas. It must decide as the compiled schema of TypeBox
 * does, for every setting and every kind of value.
 */

const values = [
  undefined,
  null,
  true,
  false,
  -1,
  0,
  1.5,
  7070,
  65536,
  2 ** 53,
  NaN,
  Infinity,
  '',
  'x',
  'a b',
  '7070',
  'running',
  'frozen',
  'info',
  'silent',
  'pretty',
  'localhost,*.example.com',
  'a, b',
  'http://shop.example/callbacks',
  'http://shop.example/?x=1',
  'ftp://shop.example',
  '127.0.0.1',
  '2026-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  'é'.repeat(300),
  [],
  ['x'],
  {},
  { port: 7070 },
  { port: 'x' },
  { port: 7070, name: 'shop' },
  { port: 7070, name: undefined },
  { port: 7070, other: 1 }
]

const Shop = { port: Type.Integer({ minimum: 1 }), name: Type.Optional(Type.String()) }
const schemas = [
  ...settings.map(({ name, schema }) => ({ name, schema })),
  { name: 'a closed object', schema: Type.Object(Shop, { additionalProperties: false }) },
  { name: 'an open object', schema: Type.Object(Shop) },
  { name: 'a choice', schema: Type.Union([Type.Literal('x'), Type.Integer(), Type.Null()]) },
  { name: 'a number', schema: Type.Number({ exclusiveMinimum: 0 }) },
  { name: 'a multiple', schema: Type.Integer({ multipleOf: 2 }) },
  { name: 'a list', schema: Type.Array(Type.String(), { minItems: 1 }) },
  { name: 'a map', schema: Type.Record(Type.String(), Type.Integer()) }
]

t.test('validators decide as the compiled schema does', async (t) => {
  for (const { name, schema } of schemas) {
    const compiled = compileSchema(schema)
    const { first, all } = createValidator(schema)
    const wrong = values.filter((value) => {
      const fits = compiled.Check(value)
      return (first(value) === undefined) !== fits || (all(value).length === 0) !== fits
    })
    t.same(wrong, [], name)
  }
})

t.test('a long name is compared with nothing', async (t) => {
  const rows: Array<[name: string, nearest: string | undefined]> = [
    ['providr', 'provider'],
    ['p'.repeat(100), 'p'.repeat(99)],
    ['p'.repeat(101), undefined]
  ]
  for (const [name, nearest] of rows) {
    t.equal(findNearest(name, ['provider', 'p'.repeat(99)]), nearest, `${name.length} letters`)
  }
})
