import type { Static, TSchema } from '@sinclair/typebox'
import { choice, Type } from '../lib/typebox.ts'
import type { PageTerms } from '../domain/page-session.ts'
import { languages } from '../domain/page-session.ts'

/** Request of a payment page in a version. The answer is the same in both. */
export interface PageCodec {
  path: string
  request: TSchema
  read: (body: unknown) => PageTerms
}

/** A codec whose reader is typed by its schema. */
export function pageCodec<T extends TSchema> (parts: {
  path: string
  request: T
  read: (body: Static<T>) => PageTerms
}): PageCodec {
  return parts as PageCodec
}

export const Language = choice(languages)
export const Reason = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[ -~\\u00a0-\\u00ff]*$',
  description:
    'a string of 1 to 50 characters of Latin-1: no control characters, no emoji, no long dash'
})

/** Address for the customer. */
export const PageAnswer = Type.Object({ redirectUrl: Type.String() })
