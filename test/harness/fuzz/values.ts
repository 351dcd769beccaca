import fc from 'fast-check'
import type { Random } from '../../support/random.ts'

/** Values that fit a schema, and values that do not. */

/** A JSON Schema, as far as the document of the server uses it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  examples?: unknown[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/** Every callback goes to a port of this machine where nobody listens. */
const nowhere = 'http://127.0.0.1:9/fuzz'
const deepest = 12

/** Makes values for the schemas of a document. */
export class ValueMaker {
  readonly #random: Random
  readonly #resolve: (ref: string) => Schema

  constructor (random: Random, resolve: (ref: string) => Schema) {
    this.#random = random
    this.#resolve = resolve
  }

  /** A value that fits; what is optional is there half of the time. */
  fitting (schema: Schema, name = '', depth = 0): unknown {
    const random = this.#random
    if (schema.$ref !== undefined) return this.fitting(this.#resolve(schema.$ref), name, depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return this.fitting(random.pick(choices), name, depth + 1)
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    if (type === 'object' || schema.properties !== undefined) return this.#object(schema, depth)
    if (type === 'array') return this.#array(schema, name, depth)
    if (type === 'string') return this.#string(schema, name)
    if (type === 'integer' || type === 'number') {
      const low = schema.minimum ?? 0
      return random.integer(low, Math.min(schema.maximum ?? low + 100, low + 100))
    }
    if (type === 'boolean') return random.chance(0.5)
    return type === 'null' ? null : { any: 'thing' }
  }

  #object ({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const names = Object.keys(properties).filter((name) => {
      return required.includes(name) || (depth < deepest && this.#random.chance(0.5))
    })
    return Object.fromEntries(
      names.map((name) => {
        return [name, this.fitting(properties[name], name, depth + 1)]
      })
    )
  }

  #array ({ items = {} }: Schema, name: string, depth: number): unknown[] {
    const length = depth < deepest ? this.#random.integer(1, 3) : 0
    return Array.from({ length }, () => this.fitting(items, name, depth + 1))
  }

  #string (schema: Schema, name: string): string {
    const random = this.#random
    const { examples, pattern, format } = schema
    if (/url$|callbacks?$/i.test(name) || format === 'uri') return nowhere
    if (/Id$|^id$/.test(name)) return random.uuid()
    if (name === 'timeout' || name === 'delay' || name === 'latency') return '1ms'
    if (examples !== undefined && random.chance(0.9)) return String(random.pick(examples))
    if (format === 'date-time' || /Date$|^(now|to|since)$/.test(name)) {
      return new Date(random.integer(0, 4e12)).toISOString()
    }
    if (/phoneNumber|msisdn/i.test(name)) return '260763456789'
    if (name === 'after' || name === 'by') return `${random.integer(1, 2000)}ms`
    if (pattern !== undefined) return this.#matching(pattern)
    return 'x'.repeat(Math.max(schema.minLength ?? 1, 1))
  }

  #matching (pattern: string): string {
    const seed = this.#random.integer(0, 2 ** 30)
    // A pattern with a look-ahead cannot be generated from; a plain word fits those there are.
    if (pattern.includes('(?')) return `word-${seed}`
    const [text] = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed, numRuns: 1 })
    return text
  }

  /** A value that was changed in one to three places. */
  broken (value: unknown): unknown {
    let changed = structuredClone(value)
    for (let n = this.#random.integer(1, 3); n > 0; n--) changed = this.#breakOnce(changed)
    return changed
  }

  #breakOnce (value: unknown): unknown {
    const random = this.#random
    if (typeof value !== 'object' || value === null || random.chance(0.1)) return wild(random)
    if (Array.isArray(value)) {
      if (value.length === 0) return [wild(random)]
      const at = random.integer(0, value.length - 1)
      return value.map((item, n) => (n === at ? this.#breakOnce(item) : item))
    }
    const entries: Array<[string, unknown]> = Object.entries(value)
    if (entries.length === 0 || random.chance(0.15)) {
      return Object.fromEntries([...entries, [random.pick(oddNames), wild(random)]])
    }
    const [name] = random.pick(entries)
    if (random.chance(0.25)) return Object.fromEntries(entries.filter(([other]) => other !== name))
    const change = random.chance(0.5) ? () => wild(random) : (old: unknown) => this.#breakOnce(old)
    return Object.fromEntries(
      entries.map(([other, old]) => {
        return [other, other === name ? change(old) : old]
      })
    )
  }
}

const oddNames = ['unknown', '__proto__', 'constructor', 'toString', '', 'é', 'a.b', '$ref', '0']

/** Values that have broken programs before. None of them is an address of another machine. */
const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  '',
  ' ',
  '0',
  '-1',
  '00',
  '1e5',
  '0x10',
  'null',
  'undefined',
  '\u0000',
  '\ud800',
  '😀'.repeat(20),
  'x'.repeat(3000),
  '%00',
  '../..',
  '{{7*7}}',
  "'; --",
  '<b>',
  '\r\nX: y',
  0,
  -0,
  -1,
  0.1,
  1e21,
  1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[]],
  [null],
  { a: {} },
  '2016-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '99999-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '2026-01-31T12:00:00+99:99',
  'P1Y',
  '-1s',
  '1e9d',
  '9'.repeat(400),
  '00000000-0000-4000-8000-000000000000',
  '260763456039',
  'MTN_MOMO_ZMB',
  'ZMB',
  'COMPLETED',
  '*',
  '*?*?*?*?*?*?',
  '[0-9',
  '500'
]

export function wild (random: Random): unknown {
  if (random.chance(0.05)) return nested(random.integer(2, 200))
  return random.pick(oddValues)
}

/** A list in a list in a list. */
export function nested (depth: number, core: unknown = 1): unknown {
  let value = core
  for (let n = 0; n < depth; n++) value = [value]
  return value
}
