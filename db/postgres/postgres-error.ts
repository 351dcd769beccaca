import pg from 'pg'

/** SQLSTATE of a row that exists already. */
export const uniqueViolation = '23505'

/** Code of the error that PostgreSQL wants a password and there is none. The driver has no code. */
export const noPassword = 'no password'
/** Code of the error that PostgreSQL has no encryption. */
export const noEncryption = 'no encryption'

/** Errors of the driver that have no code, by their texts. */
const codesOfTexts = [
  ['password must be a string', noPassword],
  ['timeout expired', 'ETIMEDOUT'],
  ['does not support SSL connections', noEncryption]
] as const

/** Error of PostgreSQL or of the connection to it. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  /** SQLSTATE of PostgreSQL, or the code of a system error. */
  readonly code: string
  /** True if the connection is gone, and with it the transaction. */
  readonly isLost: boolean
  /** True if the work is done again: a row exists that was inserted as if it did not. */
  isRepeatable = false

  constructor (message: string, code: string, isLost: boolean) {
    super(message)
    this.code = code
    this.isLost = isLost
  }
}

/** Returns whether an error ends the connection. The others come from a statement. */
export function isConnectionError (error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity !== 'ERROR'
}

/** Returns an error as the rest of the engine knows it. */
export function toPostgresError (error: unknown, isLost = false): PostgresError {
  if (error instanceof PostgresError) return error
  if (!(error instanceof Error)) return new PostgresError(String(error), '', isLost)
  const { message, code = '' } = error as Error & { code?: string }
  const known = codesOfTexts.find(([text]) => message.includes(text))
  // A name with several addresses gives an error without text, with one error for each.
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  const text = message || String(first?.message ?? code)
  return new PostgresError(text, known?.[1] ?? code, isLost)
}
