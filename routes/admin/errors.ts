import type { TSchema } from '@sinclair/typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { errorStatuses, type ErrorCode } from '../../src/admin-api/errors.ts'
import { retryAfter } from '../../src/ports/ledger-error.ts'
import { findNearest } from '../../src/lib/validator.ts'
import type { RequestPart } from '../http/hints.ts'
import { explainError } from '../http/unexpected.ts'

/** Error of an admin call: a code, the problem, and its fix. */
export class AdminError extends Error {
  readonly reason: ErrorCode
  readonly hint: string
  /** Additional fields of the error, if the schema of the call has any. */
  readonly more: object

  constructor (reason: ErrorCode, message: string, hint: string, more: object = {}) {
    super(message)
    this.name = 'AdminError'
    this.reason = reason
    this.hint = hint
    this.more = more
  }
}

/** Returns the HTTP status of an error code. */
export function statusOf (reason: ErrorCode): number {
  return errorStatuses[reason]
}

/** Sends an error. */
export function sendFailure (
  reply: FastifyReply,
  { reason, message, hint, more }: AdminError
): FastifyReply {
  if (reason === 'UNAVAILABLE') reply.header('retry-after', retryAfter)
  return reply.code(statusOf(reason)).send({ error: { code: reason, message, hint, ...more } })
}

/** Translates any error of a request. */
export async function explainFailure (
  error: FastifyError,
  request: FastifyRequest,
  log: Logger
): Promise<AdminError> {
  if (error instanceof AdminError) return error
  const { code, message } = explainError(error, request, log)
  switch (code) {
    case 'UNAVAILABLE':
      return new AdminError('UNAVAILABLE', message, 'see the log of the server')
    case 'UNEXPECTED':
      return new AdminError('INTERNAL_ERROR', message, 'see the log of the server')
    case 'TOO_LARGE':
      return new AdminError('TOO_LARGE', message, 'split it into several calls')
    case 'NOT_AUTHENTICATED':
      return new AdminError('UNAUTHORIZED', message, 'GET /__admin/accounts lists all accounts')
    default:
      return new AdminError('BAD_REQUEST', message, await hintFor(error, request))
  }
}

/** Suggests the nearest known name, or falls back to a general hint. */
export function suggestName (
  name: string,
  candidates: readonly string[],
  otherwise = `use ${candidates.join(' or ')}`
): string {
  const near = findNearest(name, candidates)
  return near === undefined ? otherwise : `did you mean ${near}?`
}

/** Hint for a request that does not match its schema: a correction, or an example. */
async function hintFor (
  { validationContext: part }: Partial<FastifyError>,
  { routeOptions: { schema, config }, body, query, params, headers }: FastifyRequest
): Promise<string> {
  const { hintFor: correctionFor, exampleFor } = await import('../http/hints.ts')
  const { documentation } = config
  const wanted =
    (typeof documentation === 'object' ? documentation.body : undefined) ?? schema?.body
  const correction =
    part === undefined
      ? undefined
      : correctionFor(
        schema?.[part as RequestPart] as TSchema,
        { body, querystring: query, params, headers }[part],
        part as RequestPart
      )
  const example = wanted === undefined ? undefined : exampleFor(wanted as TSchema)
  return (
    correction ??
    (example === undefined
      ? 'GET /__admin/docs describes every call'
      : `send JSON such as ${example}, with Content-Type: application/json`)
  )
}
