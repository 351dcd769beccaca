import type { TSchema } from '@sinclair/typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { errorStatuses, type ErrorCode } from '../../src/admin-api/errors.ts'
import { isUnavailable, retryAfter, unavailableMessage } from '../../src/ports/ledger-error.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { findNearest } from '../../src/lib/validator.ts'
import { bodyLimit, wrongContentType } from '../http/body.ts'
import type { RequestPart } from '../http/hints.ts'

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

/** Translates any error of a request. Unexpected errors are logged. */
export async function explainFailure (
  error: FastifyError,
  request: FastifyRequest,
  log: Logger
): Promise<AdminError> {
  if (error instanceof AdminError) return error
  if (isUnavailable(error)) {
    return new AdminError('UNAVAILABLE', unavailableMessage, 'see the log of the server')
  }
  if (error.statusCode === 413) {
    return new AdminError(
      'TOO_LARGE',
      `the body is larger than ${bodyLimit} bytes`,
      'split it into several calls'
    )
  }
  if (error instanceof Refused) {
    return error.code === 'NOT_AUTHENTICATED'
      ? new AdminError('UNAUTHORIZED', error.message, 'GET /__admin/accounts lists all accounts')
      : new AdminError('BAD_REQUEST', error.message, await hintFor(error, request))
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const { message } = wrongContentType(request.headers['content-type'], '')
    return new AdminError('BAD_REQUEST', message, await hintFor(error, request))
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AdminError('BAD_REQUEST', error.message, await hintFor(error, request))
  }
  log.error(
    { err: error, method: request.method, url: request.url },
    'an admin call failed unexpectedly'
  )
  return new AdminError(
    'INTERNAL_ERROR',
    'an unexpected error occurred inside the mock',
    'see the log of the server'
  )
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
