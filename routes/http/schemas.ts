import { createRequire } from 'node:module'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyServerOptions } from 'fastify'
import { createValidator, type Problem } from '../../src/lib/validator.ts'
import { Refused, type RefusalCode } from '../../src/domain/refusal.ts'

/** Writes an answer. */
export type Serialiser = (schema: object) => (value: unknown) => string

/**
 * What requests are checked with, and answers written with. Both are made by the first request that
 * needs them, so that the start does not grow with the number of routes.
 */
export function schemaController (serialiser: Serialiser): FastifyServerOptions['schemaController'] {
  return {
    compilersFactory: {
      buildValidator:
        () =>
          ({ schema }: { schema: TSchema }) => {
            const { check, first } = createValidator(schema)
            return (value: unknown) =>
              check(value) ? { value } : { error: toRefusal(first(value) as Problem, value) }
          },
      buildSerializer:
        () =>
          ({ schema }: { schema: object }) =>
            serialiser(schema)
    }
    // Fastify's types know no compilers but its own.
  } as unknown as FastifyServerOptions['schemaController']
}

/**
 * By what the schema compiles to: worth it where the same is answered thousands of times in a
 * second.
 */
export const compiledSerialiser: Serialiser = (schema) => {
  let write: ((value: unknown) => string) | undefined
  return (value) => (write ??= stringifier(schema))(value)
}

/** As it is. To compile a schema with alternatives takes longer than a tester asks for it. */
export const plainSerialiser: Serialiser = () => JSON.stringify

const codes: Record<Problem['rule'], RefusalCode> = {
  missing: 'MISSING',
  unknown: 'UNSUPPORTED',
  invalid: 'INVALID'
}

/** What is wrong with a request. Where there is no body, there is nothing to read. */
export function toRefusal ({ rule, path, message }: Problem, value: unknown): Refused {
  if (path !== '') return new Refused(codes[rule], message)
  return value === undefined || value === null
    ? new Refused('UNREADABLE', 'the body is empty; send JSON')
    : new Refused('INVALID', message.replace('the value', 'the body'))
}

const require = createRequire(import.meta.url)

function stringifier (schema: object): (value: unknown) => string {
  const build = require('fast-json-stringify') as (schema: object) => (value: unknown) => string
  // What the values look like was settled where they were made, and the serialiser does not know
  // our own formats.
  return build(
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === 'format' && typeof value === 'string' ? undefined : value
    )
  )
}
