import { createRequire } from 'node:module'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyServerOptions } from 'fastify'
import { Refused, type RefusalCode } from '../../src/domain/refusal.ts'
import { compileSchema, createValidator, type Problem } from '../../src/lib/validator.ts'

const require = createRequire(import.meta.url)

/**
 * Compilers of schemas for all routes of a server. Options, because with `setValidatorCompiler()`
 * Fastify would load its own compilers, too. Its types know no others.
 */
export const schemaController = {
  compilersFactory: {
    buildValidator: () => compileValidator,
    buildSerializer: () => compileSerialiser
  }
} as unknown as FastifyServerOptions['schemaController']

/**
 * Makes the validator of a schema. The first request compiles it, so that the start does not grow
 * with the number of routes.
 */
function compileValidator ({ schema }: { schema: TSchema }) {
  let compiled: ReturnType<typeof compileSchema> | undefined
  return (value: unknown): { value: unknown } | { error: Refused } => {
    compiled ??= compileSchema(schema)
    return compiled.Check(value) ? { value } : { error: refuseValue(schema, value) }
  }
}

/** Makes the serialiser of a schema. The first answer compiles it. */
function compileSerialiser ({ schema }: { schema: object }): (value: unknown) => string {
  let write: ((value: unknown) => string) | undefined
  return (value) => (write ??= stringifier(schema))(value)
}

/** Compiled serialisers: a process with many servers, as in tests, compiles each one once. */
const stringifiers = new WeakMap<object, (value: unknown) => string>()

function stringifier (schema: object): (value: unknown) => string {
  let made = stringifiers.get(schema)
  if (made === undefined) stringifiers.set(schema, (made = makeStringifier(schema)))
  return made
}

function makeStringifier (schema: object): (value: unknown) => string {
  const build = require('fast-json-stringify') as (schema: object) => (value: unknown) => string
  // Without formats: the serialiser does not know ours, and the values were checked before.
  return build(
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === 'format' && typeof value === 'string' ? undefined : value
    )
  )
}

const codes: Record<Problem['rule'], RefusalCode> = {
  missing: 'MISSING',
  unknown: 'UNSUPPORTED',
  invalid: 'INVALID'
}

/** Refusal of a value that does not fit its schema. */
function refuseValue (schema: TSchema, value: unknown): Refused {
  return toRefusal(createValidator(schema, 'the body').first(value) as Problem, value)
}

/** Makes a refusal of the first problem of a request. */
export function toRefusal ({ rule, path, message }: Problem, value: unknown): Refused {
  if (path !== '') return new Refused(codes[rule], message, path)
  return value === undefined || value === null
    ? new Refused('UNREADABLE', 'the body is empty; send JSON')
    : new Refused('INVALID', message)
}
