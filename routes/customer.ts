import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Refused, type Refusal, type RefusalCode } from '../src/domain/refusal.ts'
import { CustomerError } from '../src/wire/customer.ts'
import { failureCode } from '../src/wire/v2-answers.ts'
import { bodyLimit } from './body.ts'
import type { RouteConfig } from './context.ts'
import { document, html, type Html } from './html.ts'

/** What the addresses a customer is sent to have in common: no token, the unguessable end of the path is the key. */

/** Everything else a customer can do wrong is 400. */
const statuses: Partial<Record<RefusalCode, number>> = { NOT_FOUND: 404, WRONG_STATE: 409, LINK_EXPIRED: 410, TOO_LARGE: 413, UNEXPECTED: 500 }

/** How anything a customer does can be refused. */
export const customerRefusals = Object.fromEntries([400, ...Object.values(statuses)].map((status) => [status, CustomerError]))

/** What the reference says of something a customer can do. */
export function customer (id: string, summary: string): RouteConfig {
  return { documentation: { id, summary, tag: 'customer' } }
}

/** Prepares an app for customers: a body may be left out, and what goes wrong is said as JSON, or as a page if a browser asks for one. */
export function forCustomers (app: FastifyInstance, log: Logger): void {
  // Where everything is fixed, there is nothing to send.
  app.addHook('preValidation', async (request) => {
    request.body ??= {}
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refused) return refuse(request, reply, error)
    if (error.statusCode === 413) return refuse(request, reply, { code: 'TOO_LARGE', message: `the body is larger than ${bodyLimit} bytes` })
    if (error.statusCode !== undefined && error.statusCode < 500) return refuse(request, reply, { code: 'UNREADABLE', message: error.message })
    log.error({ err: error, method: request.method, url: request.url }, 'a request failed unexpectedly')
    return refuse(request, reply, { code: 'UNEXPECTED', message: 'something went wrong inside the mock; its log says what' })
  })
}

/** Refuses what a customer asked for. What else is known of it can go beside the error. */
export function refuse (request: FastifyRequest, reply: FastifyReply, { code, message }: Refusal, beside: object = {}): FastifyReply {
  const status = statuses[code] ?? 400
  if (wantsHtml(request)) return sendHtml(reply.code(status), document('Not possible', html`<h1>This is not possible</h1><p>${message}.</p>`))
  return reply.code(status).send({ ...beside, error: { code: failureCode(code), message, hint: hintFor(code, request) } })
}

/** Does the caller prefer a page to JSON? Only browsers say so. */
export function wantsHtml ({ headers: { accept = '' } }: FastifyRequest): boolean {
  const page = accept.indexOf('text/html')
  const json = accept.indexOf('application/json')
  return page !== -1 && (json === -1 || page < json)
}

/** Sends a page that can load nothing and run nothing. */
export function sendHtml (reply: FastifyReply, { text }: Html): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .serializer((page: string) => page)
    .send(text)
}

/** What to do about it. */
function hintFor (code: RefusalCode, { url }: FastifyRequest): string {
  const page = url.split('?', 1)[0].split('/').slice(0, 3).join('/').slice(0, 200)
  switch (code) {
    case 'NOT_FOUND': return 'use the redirectUrl of the answer that opened it; a later one for the same deposit takes its place'
    case 'LINK_EXPIRED': return 'have the merchant open a new session'
    case 'WRONG_STATE': return `GET ${page} with Accept: application/json shows where it stands`
    default: return `GET ${page} with Accept: application/json shows what can be chosen and what is fixed`
  }
}
