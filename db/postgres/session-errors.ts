import pg from 'pg'
import { noEncryption, noPassword, type Query, type QueryError } from './messages.ts'

/** SQLSTATE of a value of another type. */
const wrongType = '42804'
/** Message about a type that does not exist any more. Its SQLSTATE is that of many problems. */
const typeIsGone = 'cache lookup failed for type'

/** Errors of the driver that have no code, by their texts. */
const codesOfTexts = [
  ['password must be a string', noPassword],
  ['timeout expired', 'ETIMEDOUT'],
  ['does not support SSL connections', noEncryption]
] as const

/** Returns whether an error ends the connection. The others come from a statement. */
export function isConnectionError (error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity !== 'ERROR'
}

/**
 * Returns whether an error comes from rows whose table was created again or has other columns: they
 * have another type now.
 */
export function isOutdated (error: Error, queries: readonly Query[]): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const hasRows = queries.some(({ values }) => values.some((value) => value instanceof Uint8Array))
  return hasRows && (error.code === wrongType || error.message.startsWith(typeIsGone))
}

/** Returns the part of an error that the server needs. */
export function describeError (error: unknown, isLost = false): QueryError {
  if (!(error instanceof Error)) return { message: String(error), isLost }
  const { message, code } = error as Error & { code?: string }
  for (const [text, code] of codesOfTexts) {
    if (message.includes(text)) return { message, code, isLost }
  }
  // A name with several addresses gives an error without text, with one error for each.
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  return { message: message || String(first?.message ?? code), code, isLost }
}
