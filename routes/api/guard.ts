import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../src/domain/refusal.ts'
import { isUnavailable, retryAfter, unavailableMessage } from '../../src/ports/ledger-error.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { failureCode } from '../../src/wire/v2/answers.ts'
import type { Wire, WireReply } from '../../src/wire/wire.ts'
import { AdminError, sendFailure } from '../admin/errors.ts'
import { errorIds, type ApiGuardParts, type ApiScope } from '../http/api-route.ts'
import { drainBody } from '../http/body.ts'
import type { RouteIndex } from '../http/route-index.ts'
import { sendUnexpected, type DescribeUnexpected, type LastAnswers } from '../http/unexpected.ts'

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
    const { bodyLimit, config } = request.routeOptions
    const reason = request.refusal ?? refusalOf(error, bodyLimit)
    const hint = error.validationContext === 'body' ? hintOnVersion(api, request) : ''
    const refusal = { ...reason, message: reason.message + hint }
    if (refusal.code === 'UNEXPECTED') {
      const { method, url } = request
      log.error({ err: error, method, url }, 'a request failed unexpectedly')
    }
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

/** Refusal that an error means for the client. */
function refusalOf (error: FastifyError, bodyLimit: number): Refusal {
  if (error instanceof Refused) return error
  if (isUnavailable(error)) return { code: 'UNAVAILABLE', message: unavailableMessage }
  if (error.statusCode === 413) {
    return { code: 'TOO_LARGE', message: `the body is larger than ${bodyLimit} bytes` }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return { code: 'UNREADABLE', message: error.message }
  }
  return {
    code: 'UNEXPECTED',
    message: unexpectedMessage
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
export function handleUnknownRoutes (api: ApiScope, routeIndex: RouteIndex): void {
  const { app, wire, ids, recorder } = api
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

/** Areas of addresses outside of the payments API. */
const areas: ReadonlyArray<[area: 'admin' | 'page', begin: RegExp]> = [
  ['admin', /^\/__admin(\/|$)/],
  ['page', /^\/(pay|checkout|authorise)\//]
]

function areaOf (url: string): 'admin' | 'page' | 'api' {
  return areas.find(([, begin]) => begin.test(url))?.[0] ?? 'api'
}

/** Version of the API that an address belongs to. */
function wireOf (url: string, wires: readonly Wire[]): Wire {
  return wires.find(({ prefix }) => prefix !== '' && url.startsWith(`${prefix}/`)) ?? wires[0]
}

const unexpectedMessage = 'something went wrong inside the mock; its log says what'

/** Returns the function that writes answers to unexpected errors, in the form of their area. */
export function describeUnexpected (wires: readonly Wire[], ids: Ids): DescribeUnexpected {
  return ({ method = '', url = '' }) => {
    if (areaOf(url) !== 'api') {
      const code = areaOf(url) === 'admin' ? 'INTERNAL_ERROR' : failureCode('UNEXPECTED')
      const hint = 'see the log of the server'
      return { status: 500, body: { error: { code, message: unexpectedMessage, hint } } }
    }
    return wireOf(url, wires).answers.refused(
      { code: 'UNEXPECTED', message: unexpectedMessage },
      { operation: 'none' },
      (message) => ids.error('', method, url, '', message)
    )
  }
}

type Unroutable = (error: Error, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Handler of requests that Fastify refuses before it knows their route. */
export function handleUnroutable (
  wires: readonly Wire[],
  parts: Pick<ApiGuardParts, 'ids' | 'recorder'>,
  answers: LastAnswers
): Unroutable {
  const refuse = refuseUnroutable(wires, parts)
  return async (error, request, reply) => {
    try {
      return await refuse(error, request, reply)
    } catch (failure) {
      reply.hijack()
      sendUnexpected(answers, failure, { method: request.method, url: request.raw.url }, reply.raw)
    }
  }
}

function refuseUnroutable (
  wires: readonly Wire[],
  { ids, recorder }: Pick<ApiGuardParts, 'ids' | 'recorder'>
): Unroutable {
  return async (error, request, reply) => {
    const { url = '' } = request.raw
    const area = areaOf(url)
    if (area === 'admin') {
      recorder.countMiss(400)
      return sendFailure(
        reply,
        new AdminError('BAD_REQUEST', error.message, 'write a % in an address as %25')
      )
    }
    if (area === 'page') {
      recorder.countMiss(404)
      // Loaded late: the API starts without the pages.
      const { refusePage } = await import('../pages/customer.ts')
      const message = `no page has this address: ${error.message}`
      return await refusePage(request, reply, { code: 'NOT_FOUND', message })
    }
    const answer = wireOf(url, wires).answers.refused(
      { code: 'UNREADABLE', message: error.message },
      { operation: 'none' },
      errorIds(request, ids)
    )
    await recorder.recordMiss(request, answer)
    return sendReply(reply, answer)
  }
}

function sendReply (reply: FastifyReply, { status, body }: WireReply): FastifyReply {
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
