import type { Kind } from '../domain/kinds.ts'
import type { PageTerms } from '../domain/page-session.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'
import { Refused } from '../domain/refusal.ts'
import { createValidator } from '../lib/validator.ts'
import { v1 } from '../wire/v1/wire.ts'

/** Reads a v1 payment, or returns undefined if v1 refuses it. */
export function readPayment (kind: Kind, body: unknown): PaymentRequest | undefined {
  const codec = v1.codecs[kind.name]
  if (codec === undefined || !createValidator(codec.request).check(body)) return undefined
  return readOrUndefined(() => codec.read(body))
}

/** Reads a v1 payment page, or returns undefined if v1 refuses it. */
export function readPage (body: unknown): PageTerms | undefined {
  return createValidator(v1.page.request).check(body)
    ? readOrUndefined(() => v1.page.read(body))
    : undefined
}

function readOrUndefined<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

/** Lists the fields of a v1 request of a kind. */
export function listKnownFields (kind: Kind): string[] {
  return Object.keys(v1.codecs[kind.name]?.request.properties ?? {})
}
