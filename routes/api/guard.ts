import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../src/domain/refusal.ts'
import { retryAfter } from '../../src/ports/ledger-error.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { WireReply } from '../../src/wire/wire.ts'
import { errorIds, type ApiScope } from '../http/api-route.ts'
import { drainBody } from '../http/body.ts'
import type { RouteIndex } from '../http/route-index.ts'
import { explainError } from '../http/unexpected.ts'

/** Answers the errors of one version of the API in its format. */
export function handleApiErrors (api: ApiScope): void {
  api.app.setErrorHandler(errorHandler(api))
}

type ErrorHandler = (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply
) => Promise<FastifyReply>

/** Handler that answers every error in the format of one version. */
function errorHandler (api: ApiScope): ErrorHandler {
  const { wire, ids, log, recorder } = api
  return async (error, request, reply) => {
    if (error.statusCode === 413) await drainBody(request)
    const { config } = request.routeOptions
    const reason = request.refusal ?? explainError(error, request, log)
    const hint = error.validationContext === 'body' ? hintOnVersion(api, request) : ''
    const refusal = { ...reason, message: reason.message + hint }
    if (refusal.code === 'UNAVAILABLE') reply.header('retry-after', retryAfter)
    const { operation = 'none', kind } = config
    const answer = wire.answers.refused(
      refusal,
      { operation, kind, id: kind && readPaymentId(request, kind.idField) },
      errorIds(request, ids)
    )
    if (request.is404) await recorder.recordMiss(request, answer)
    return sendReply(reply, answer)
  }
}

/** Hint for a body that fits another version: clients move from v1 to v2 kind by kind. */
function hintOnVersion ({ wire, wires }: ApiScope, { routeOptions, body }: FastifyRequest): string {
  const { operation, kind } = routeOptions.config
  if (operation !== 'initiate' || kind === undefined) return ''
  for (const other of wires) {
    const codec = other.codecs[kind.name]
    if (other === wire || codec === undefined || !createValidator(codec.request).check(body)) {
      continue
    }
    return `; this is a body of ${other.version}, which POST ${other.prefix}/${kind.path} takes`
  }
  return ''
}

/** Answers requests to addresses without a route, with the nearest route. */
export function handleUnknownRoutes (api: ApiScope & { routeIndex: RouteIndex }): void {
  const { app, wire, ids, recorder, routeIndex } = api
  app.setErrorHandler(errorHandler(api))
  app.setNotFoundHandler(async (request, reply) => {
    const refusal: Refusal = {
      code: 'NO_ROUTE',
      message: routeIndex.hint(request.method, request.url)
    }
    const answer = wire.answers.refused(refusal, { operation: 'none' }, errorIds(request, ids))
    await recorder.recordMiss(request, answer)
    return sendReply(reply, answer)
  })
}

/** Sends an answer of the API. */
export function sendReply (reply: FastifyReply, { status, body }: WireReply): FastifyReply {
  reply.request.answer = body
  return reply.code(status).send(body)
}

/** Identifier of the payment in a path or a body, valid or not. */
function readPaymentId ({ params, body }: FastifyRequest, idField: string): string | undefined {
  const id = readField(params, idField) ?? readField(body, idField)
  return typeof id === 'string' ? id.slice(0, 36) : undefined
}

/** Value of a field; undefined if the value is no object or has no such field. */
export function readField (value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}
