import type { RequestListener } from 'node:http'
import type {
  FastifyError,
  FastifyInstance,
  FastifyRequest,
  FastifyServerOptions
} from 'fastify'
import type { Logger } from 'pino'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { isUnavailable, unavailableMessage } from '../../src/ports/ledger-error.ts'
import type { WireReply } from '../../src/wire/wire.ts'
import { wrongContentType } from './body.ts'

/** Message about an error that nobody expected. */
export const unexpectedMessage = 'something went wrong inside the mock; its log says what'

/** Translates an error of a request. One that nobody expected is logged. */
export function explainError (error: FastifyError, request: FastifyRequest, log: Logger): Refusal {
  if (error instanceof Refused) return error
  if (isUnavailable(error)) return { code: 'UNAVAILABLE', message: unavailableMessage }
  if (error.statusCode === 413) {
    const { bodyLimit } = request.routeOptions
    return { code: 'TOO_LARGE', message: `the body is larger than ${bodyLimit} bytes` }
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return wrongContentType(request.headers['content-type'], '')
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return { code: 'UNREADABLE', message: error.message }
  }
  const { method, url } = request
  log.error({ err: error, method, url }, 'a request failed unexpectedly')
  return { code: 'UNEXPECTED', message: unexpectedMessage }
}

/**
 * Last answers of a server: to errors of routes whose own error handler has failed, and to requests
 * that have failed before they had a route. They load no code: the reason may be that no file can
 * be opened.
 */

/** Method and address of a request. */
export interface Target {
  method?: string
  url?: string
}

/** Writes the answer to a request that failed unexpectedly, in the form of its area. */
export type DescribeUnexpected = (target: Target) => WireReply

export interface LastAnswers {
  describe: DescribeUnexpected
  log: Logger
}

const json = 'application/json; charset=utf-8'

/**
 * Adds the error handler of all contexts whose own handler fails, or that have none. `refuse`
 * answers the errors of clients.
 */
export function handleUnexpected (
  http: FastifyInstance,
  refuse: FastifyServerOptions['frameworkErrors'],
  { describe, log }: LastAnswers
): void {
  http.setErrorHandler((error: FastifyError, request, reply) => {
    const isOfClient = error.statusCode !== undefined && error.statusCode < 500
    if (isOfClient && refuse !== undefined) return refuse(error, request, reply)
    const { method, url } = request
    log.error({ err: error, method, url }, 'a request failed unexpectedly')
    const { status, body } = describe({ method, url })
    // As text: it may be the serialiser that cannot be loaded.
    return reply.code(status).type(json).send(JSON.stringify(body))
  })
}

/** Answers a request without Fastify. */
export function sendUnexpected (
  { describe, log }: LastAnswers,
  error: unknown,
  { method, url }: Target,
  response: Parameters<RequestListener>[1]
): void {
  log.error({ err: error, method, url }, 'a request failed before it had a route')
  const { status, body } = describe({ method, url })
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': json }).end(JSON.stringify(body))
}
