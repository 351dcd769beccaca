import { createRequire } from 'node:module'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyServerOptions } from 'fastify'
import { createValidator, type Problem } from '../../src/lib/validator.ts'
import { Refused, type RefusalCode } from '../../src/domain/refusal.ts'

/** Makes the function that writes the answers of a schema. */
export type Serialiser = (schema: object) => (value: unknown) => string

/** Makes the function that checks values of a schema, for Fastify. */
export type ValidatorCompiler = (route: {
  schema: TSchema
}) => (value: unknown) => { value: unknown } | { error: Refused }

/** Schema controller of Fastify, for all routes of a server. */
export function schemaController (
  validatorCompiler: ValidatorCompiler,
  serialiser: Serialiser
): FastifyServerOptions['schemaController'] {
  return {
    compilersFactory: {
      buildValidator: () => validatorCompiler,
      buildSerializer:
        () =>
          ({ schema }: { schema: object }) =>
            serialiser(schema)
    }
    // Fastify's types know no compilers but its own.
  } as unknown as FastifyServerOptions['schemaController']
}

/** JSON.stringify: compiling the schemas of the admin API takes longer than all of its answers. */
export const plainSerialiser: Serialiser = () => JSON.stringify

const codes: Record<Problem['rule'], RefusalCode> = {
  missing: 'MISSING',
  unknown: 'UNSUPPORTED',
  invalid: 'INVALID'
}

/** Refusal of a value that does not fit its schema. */
export function refuseValue (schema: TSchema, value: unknown): Refused {
  return toRefusal(createValidator(schema, 'the body').first(value) as Problem, value)
}

/** Makes a refusal of the first problem of a request. */
export function toRefusal ({ rule, path, message }: Problem, value: unknown): Refused {
  if (path !== '') return new Refused(codes[rule], message, path)
  return value === undefined || value === null
    ? new Refused('UNREADABLE', 'the body is empty; send JSON')
    : new Refused('INVALID', message)
}

const require = createRequire(import.meta.url)

/** Compiled serialisers: a process with many servers, as in tests, compiles each one once. */
const stringifiers = new WeakMap<object, (value: unknown) => string>()

/** Returns the compiled serialiser of a schema. */
export function stringifier (schema: object): (value: unknown) => string {
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
