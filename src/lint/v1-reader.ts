import type { TSchema } from '@sinclair/typebox'
import type { Kind } from '../domain/kinds.ts'
import type { PageTerms } from '../domain/page-session.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'
import { Refused } from '../domain/refusal.ts'
import { createValidator } from '../lib/validator.ts'
import { v1 } from '../wire/v1/wire.ts'

/** What was read, or why v1 refuses it. */
export type Reading<T> = { read: T } | { problems: string[] }

/** Wrong fields of one body that are named. */
const mostProblems = 5

/** Reads a v1 payment. */
export function readPayment (kind: Kind, body: unknown): Reading<PaymentRequest> {
  const codec = v1.codecs[kind.name]
  if (codec === undefined) return { problems: [`v1 has no ${kind.path}`] }
  return readBody(codec.request, body, (valid) => codec.read(valid))
}

/** Reads a v1 payment page. */
export function readPage (body: unknown): Reading<PageTerms> {
  return readBody(v1.page.request, body, (valid) => v1.page.read(valid))
}

function readBody<T> (schema: TSchema, body: unknown, read: (body: unknown) => T): Reading<T> {
  const validator = createValidator(schema, 'the body')
  if (!validator.check(body)) {
    const problems = validator.all(body)
    const missing = problems.filter(({ rule }) => rule === 'missing').map(({ path }) => path)
    const wrong = problems.filter(({ rule }) => rule !== 'missing').map(({ message }) => message)
    return {
      problems: [
        ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
        ...wrong.slice(0, mostProblems)
      ]
    }
  }
  try {
    return { read: read(body) }
  } catch (error) {
    if (error instanceof Refused) return { problems: [error.message] }
    throw error
  }
}

/** Lists the fields of a v1 request of a kind. */
export function listKnownFields (kind: Kind): string[] {
  return Object.keys(v1.codecs[kind.name]?.request.properties ?? {})
}
